"""Representations of invitations in API replies and on pages."""

from kalends.core.records.response import InvitationWithResponse
from kalends.core.values import timestamps
from kalends.features.events.invitations.model import InvitationItem


def item(invitation: InvitationWithResponse) -> InvitationItem:
    """The invitation. Anyone who has responded, by any way, has answered it."""
    has_answered = invitation.response is not None and invitation.state != "withdrawn"
    names = ("id", "event_id", "series_id", "address", "name", "party_max", "response", "detail")
    return InvitationItem(
        **{name: getattr(invitation, name) for name in names},
        state="answered" if has_answered else invitation.state,
        created_at=timestamps.format_utc(invitation.created_at),
        updated_at=timestamps.format_utc(invitation.updated_at),
    )
