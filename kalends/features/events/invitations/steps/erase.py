"""Erasing the invitations of a guest who wants to be forgotten."""

from kalends.core.records.event import Event
from kalends.core.records.response import Invitation
from kalends.features.events.invitations import store
from kalends.features.events.invitations.steps import guest_calendars
from kalends.features.subscribers import store as subscribers
from kalends.http.context import Context


def erase_of_address(ctx: Context, event: Event, address: str) -> None:
    """Erase the invitations of the address to the event and to its series; a hash stays, so that the organiser cannot invite it again."""
    for invitation in store.find_of_address(ctx, event, address):
        erase(ctx, invitation, event.owner_id)


def erase(ctx: Context, invitation: Invitation, owner_id: int) -> None:
    """Take the invitation back and erase whose it was."""
    subscribers.suppress(ctx, owner_id, "invitation", invitation.address)
    if invitation.state != "withdrawn":
        guest_calendars.remove(ctx, invitation)
    store.erase(ctx, invitation)
