"""Notes by mail about replies: to the organiser what is no plain response, to the guest why a response was not recorded."""

from typing import Literal

from kalends.context import Context
from kalends.deliveries.store import mailbox
from kalends.events.invitations import store
from kalends.records.event import Event
from kalends.records.invitation import Invitation
from kalends.users import store as users

HOUR = 3600
# One guest cannot flood the organiser, nor be flooded.
MAX_NOTES_PER_HOUR = 10


def tell_organiser(ctx: Context, invitation: Invitation, event: Event, kind: str, subject: str, text: str) -> Literal["noted", "ignored"]:
    """Queue a note to the organiser about the guest's reply."""
    owner = users.get_organiser(ctx, event.id)
    return _tell(ctx, invitation, event, owner.email_address, kind, subject, text)


def tell_guest(ctx: Context, invitation: Invitation, event: Event, reason: str) -> None:
    """Queue a note to the invited address, which need not be the one that the reply came from."""
    _tell(ctx, invitation, event, invitation.address, "refused", "", reason)


def _tell(
    ctx: Context, invitation: Invitation, event: Event, address: str, kind: str, subject: str, text: str
) -> Literal["noted", "ignored"]:
    if store.count_notes(ctx, invitation.id, ctx.now - HOUR) >= MAX_NOTES_PER_HOUR:
        return "ignored"
    note_id = store.insert_note(ctx, invitation.id, kind, subject, text)
    ctx.tx.run(
        """INSERT INTO deliveries (owner_id, event_id, kind, channel, address, address_key, public, state, attempts,
                                   due_at, created_at, updated_at, cause)
           VALUES (:owner_id, :event_id, 'confirmation', 'email', :address, :address_key, FALSE, 'queued', 0, :now, :now, :now, :cause)""",
        owner_id=event.owner_id,
        event_id=event.id,
        address=address,
        address_key=mailbox(address),
        cause=f"note:{note_id}",
        now=ctx.now,
    )
    return "noted"
