"""Take resources off a calendar: what has its only home there is deleted, and its guests are notified if the calendar has scheduling."""

from kalends.context import Context
from kalends.dav import text, write_store
from kalends.dav.resources import Resource
from kalends.events import telling
from kalends.events.placements import store as placements
from kalends.events.series import scope
from kalends.records.calendar import Calendar


def remove(ctx: Context, calendar: Calendar, resource: Resource) -> None:
    """Remove the resource, which the actor may edit the calendar for, with all its events."""
    if resource.row and not resource.row.has_events:
        write_store.delete_file(ctx, resource.row.id)
        return
    events = text.load_events(ctx, calendar, [resource])[resource.name]
    ids = [event.id for event in events]
    homeless = placements.find_homeless(ctx, calendar.id, ids)
    deleted = [event for event in events if event.id in homeless]
    telling.tell_deleted(ctx, deleted, "all", calendar.device_notify, None)
    placements.remove(ctx, calendar.id, ids)
    scope.update_rules_after_delete(ctx, deleted, "all")
