"""The calendars of invited guests who have an account: the events that are there by invitation, and the files of their clients."""

from kalends.context import Context
from kalends.dav import write_store
from kalends.events.invitations import store
from kalends.events.placements import store as placements
from kalends.records.invitation import Invitation


def remove(ctx: Context, invitation: Invitation) -> None:
    """Take the events of a withdrawn invitation off the guest's calendars, unless another invitation is to them."""
    removed = placements.remove_invited(ctx, store.find_uncovered(ctx, invitation), invitation.email_key)
    write_store.delete_files_of(ctx, removed)
