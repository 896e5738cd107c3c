"""The reminders of events as alarms of calendar programs: the triggers of VALARM (RFC 5545)."""

from collections.abc import Sequence

from kalends.core.records.delivery import Reminder
from kalends.core.records.event import Event
from kalends.core.values import datetimes
from kalends.db.database import batches
from kalends.features.events.reminders import store
from kalends.http.context import Context

BATCH = 500


def find_triggers(ctx: Context, events: Sequence[Event]) -> dict[int, list[str]]:
    """The triggers of each event that takes place: of its own reminders by e-mail or, if it has none, those of its home calendar."""
    own: dict[int, list[Reminder]] = {}
    for ids in batches([event.id for event in events], BATCH):
        for reminder in store.of_events(ctx, ids):
            own.setdefault(reminder.event_id or 0, []).append(reminder)
    shared: dict[int, list[Reminder]] = {}
    for ids in batches(sorted({event.calendar_id for event in events}), BATCH):
        for reminder in store.of_calendars(ctx, ids):
            shared.setdefault(reminder.calendar_id or 0, []).append(reminder)
    return {
        event.id: [trigger for each in own.get(event.id, shared.get(event.calendar_id, [])) if (trigger := _trigger(each, event))]
        for event in events
        if event.status == "planned"
    }


def _trigger(reminder: Reminder, event: Event) -> str | None:
    """The time before the start as a duration, on the clock of the event, so that the dates of a series have the same."""
    if reminder.channel != "email" or not reminder.groups:
        return None
    if reminder.before is not None:
        return f"-PT{reminder.before}M"
    start = datetimes.to_local(event.start_at, event.time_zone)
    minutes = 60 * start.hour + start.minute - (reminder.at or 0)
    days, minutes = divmod(1440 * (reminder.days_before or 0) + minutes, 1440)
    if days < 0 or not days + minutes:
        return None
    return "-P" + (f"{days}D" if days else "") + (f"T{minutes}M" if minutes else "")
