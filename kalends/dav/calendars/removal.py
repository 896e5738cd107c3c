"""Take resources off a calendar: what has its only home there is deleted, and its guests are notified if the calendar has scheduling."""

from kalends.core.records.calendar import Calendar
from kalends.dav.calendars import text
from kalends.dav.calendars.resources import Resource
from kalends.features.calendars import client_file_store as write_store
from kalends.features.events.placements import store as placements
from kalends.features.events.series.steps import scope
from kalends.features.events.steps.notify import notify_of_deletion
from kalends.http.context import Context


def remove(ctx: Context, calendar: Calendar, resource: Resource) -> None:
    """Remove the resource, which the actor may edit the calendar for, with all its events."""
    if resource.row and not resource.row.has_events:
        write_store.delete_file(ctx, resource.row.id)
        return
    events = text.load_events(ctx, calendar, [resource])[resource.name]
    ids = [event.id for event in events]
    homeless = placements.find_homeless(ctx, calendar.id, ids)
    deleted = [event for event in events if event.id in homeless]
    notify_of_deletion(ctx, deleted, "all", calendar.device_notify, None)
    placements.remove(ctx, calendar.id, ids)
    scope.update_rules_after_delete(ctx, deleted, "all")
