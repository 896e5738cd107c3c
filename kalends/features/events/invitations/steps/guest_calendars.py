"""The calendars of invited guests who have an account: the events that are there by invitation, and the files of their clients.

What someone proposes whom the guest does not know is there once the guest has accepted."""

from kalends.core.records.response import Invitation
from kalends.features.calendars import client_file_store as write_store
from kalends.features.events.invitations import store
from kalends.features.events.placements import grant_store as grants
from kalends.features.events.placements import store as placements
from kalends.http.context import Context


def remove(ctx: Context, invitation: Invitation) -> None:
    """Take the events of a withdrawn invitation off the guest's calendars, unless another invitation is to them."""
    removed = placements.remove_invited(ctx, store.find_uncovered(ctx, invitation), invitation.email_key)
    write_store.delete_files_of(ctx, removed)
    for calendar_id in store.delete_proposals(ctx, invitation):
        write_store.delete_file_named(ctx, calendar_id, f"invitation-{invitation.id}.ics")


def place(ctx: Context, invitation: Invitation) -> bool:
    """Put what was proposed to the guest, who takes it, on the calendar; False if nothing is. One who may no longer edit the event grants
    nothing by it."""
    proposals, ids = store.accept_proposals(ctx, invitation), store.find_event_ids(ctx, invitation)
    for calendar_id, granted_by in proposals:
        for event_id in ids:
            placements.insert(ctx, event_id, calendar_id, grants=True, granted_by=granted_by, invited_key=invitation.email_key)
    if proposals:
        grants.revoke_for(ctx, ids)
    return bool(proposals)
