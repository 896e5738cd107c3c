"""Notes by mail about replies: to the organiser what is no plain response, to the guest why a response was not recorded."""

from typing import Literal

from kalends.core.records.event import Event
from kalends.core.records.response import Invitation
from kalends.features.deliveries import store as deliveries
from kalends.features.events.invitations import store
from kalends.features.users import store as users
from kalends.http.context import Context

HOUR = 3600
# One guest cannot flood the organiser, nor be flooded.
MAX_NOTES_PER_HOUR = 10


def notify_organiser(ctx: Context, invitation: Invitation, event: Event, kind: str, subject: str, text: str) -> Literal["noted", "ignored"]:
    """Queue a note to the organiser about the guest's reply."""
    owner = users.get_organiser(ctx, event.id)
    return _notify(ctx, invitation, event, owner.email_address, kind, subject, text)


def notify_guest(ctx: Context, invitation: Invitation, event: Event, reason: str) -> None:
    """Queue a note to the invited address, which need not be the one that the reply came from."""
    _notify(ctx, invitation, event, invitation.address, "refused", "", reason)


def _notify(
    ctx: Context, invitation: Invitation, event: Event, address: str, kind: str, subject: str, text: str
) -> Literal["noted", "ignored"]:
    if store.count_notes(ctx, invitation.id, ctx.now - HOUR) >= MAX_NOTES_PER_HOUR:
        return "ignored"
    note_id = store.insert_note(ctx, invitation.id, kind, subject, text)
    deliveries.insert_note(ctx, event, address, note_id)
    return "noted"
