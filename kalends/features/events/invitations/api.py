"""Invitations to an event by mail."""

from kalends import policy
from kalends.core.records.response import InvitationWithResponse
from kalends.core.values import timestamps
from kalends.features.events.invitations import store
from kalends.features.events.invitations.model import InvitationIndex, InvitationInput, InvitationItem, InvitationQuery, Invited
from kalends.features.events.invitations.steps import invite as inviting
from kalends.http.context import Context
from kalends.http.endpoint import endpoint
from kalends.http.input.types import Deletion
from kalends.http.paging import build_page
from kalends.policy import Right


@endpoint("GET", "/api/events/{event_id}/invitations")
def invitations(ctx: Context, event_id: int, params: InvitationQuery) -> InvitationIndex:
    """Who is invited to the event, or to its whole series, for those who may edit it."""
    event = policy.event(ctx, event_id, to=Right.EDIT)
    rows, page = build_page(ctx, params, store.of_event(ctx, event, params.fetch, params.offset), lambda: store.count_of_event(ctx, event))
    return InvitationIndex([_item(row) for row in rows], **page)


@endpoint("POST", "/api/events/{event_id}/invitations", status=202, rate_limited=True)
def invite(ctx: Context, event_id: int, params: InvitationInput) -> Invited:
    """Invite people by mail: addresses, contacts of yours, or all contacts with a tag. Nobody is invited twice.

    Each gets a link of their own to respond, which shows them the event even if it is private, and a calendar file whose replies
    become responses, if the server takes mail.
    """
    return inviting.invite(ctx, event_id, params)


@endpoint("PUT", "/api/events/{event_id}/invitations/{invitation_id}/resend", rate_limited=True)
def resend_invitation(ctx: Context, event_id: int, invitation_id: int) -> InvitationItem:
    """Send the invitation once more, as the event is now."""
    inviting.resend(ctx, event_id, invitation_id)
    return _item(store.with_response(ctx, invitation_id, event_id))


@endpoint("DELETE", "/api/events/{event_id}/invitations/{invitation_id}")
def withdraw_invitation(ctx: Context, event_id: int, invitation_id: int) -> Deletion:
    """Take the invitation back: its link stops, and the guest is notified. A response stays."""
    inviting.withdraw(ctx, event_id, invitation_id)
    return Deletion([invitation_id])


def _item(invitation: InvitationWithResponse) -> InvitationItem:
    """The invitation. Anyone who has responded, by any way, has answered it."""
    has_answered = invitation.response is not None and invitation.state != "withdrawn"
    names = ("id", "event_id", "series_id", "address", "name", "party_max", "response", "detail")
    return InvitationItem(
        **{name: getattr(invitation, name) for name in names},
        state="answered" if has_answered else invitation.state,
        created_at=timestamps.format_utc(invitation.created_at),
        updated_at=timestamps.format_utc(invitation.updated_at),
    )
