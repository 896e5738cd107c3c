"""Representations of reminders in API replies and forms."""

from msgspec import structs

from kalends.core.records.delivery import Reminder
from kalends.core.records.event import Event
from kalends.core.values import datetimes
from kalends.features.events.reminders import recipient_store as recipients
from kalends.features.events.reminders import store
from kalends.features.events.reminders.model import EventReminderFields, ReminderItem, State
from kalends.features.events.reminders.rules import due
from kalends.http.context import Context


def load(ctx: Context, event: Event) -> list[ReminderItem]:
    """The reminders of the event, with what each will do or has done."""
    runs = store.runs_of_event(ctx, event)
    return [_of_event(ctx, reminder, event, runs) for reminder in store.of_event(ctx, event.id, event.calendar_id)]


def item(reminder: Reminder) -> ReminderItem:
    return ReminderItem(
        id=reminder.id,
        event_id=reminder.event_id,
        calendar_id=reminder.calendar_id,
        before=reminder.before,
        days_before=reminder.days_before,
        at=format_clock(reminder.at),
        audience=reminder.groups,
        channel=reminder.channel,
        text=reminder.text,
        due_time=None,
        recipients=None,
        state=None,
    )


def _of_event(ctx: Context, reminder: Reminder, event: Event, runs: dict[int, bool]) -> ReminderItem:
    """runs: of the reminders that were sent, or dropped, whether they were late."""
    window = due.find_window(reminder, event.start_at, event.time_zone)
    state: State = "planned"
    if reminder.id in runs:
        state = "late" if runs[reminder.id] else "sent"
    elif not reminder.groups or event.status != "planned":
        state = "off"
    elif window is None or ctx.now >= window.until_at:
        state = "late"
    return structs.replace(
        item(reminder),
        due_time=None if window is None else datetimes.format_instant(window.due_at, event.time_zone),
        recipients=recipients.count(ctx, event, reminder) if state == "planned" else store.count_sent(ctx, event, reminder),
        state=state,
    )


def editable(reminder: Reminder) -> EventReminderFields:
    """The fields that a client may change."""
    return EventReminderFields(
        before=reminder.before,
        days_before=reminder.days_before,
        at=format_clock(reminder.at),
        audience=reminder.groups,
        channel=reminder.channel,
        text=reminder.text,
    )


def format_clock(minute: int | None) -> str | None:
    """`18:00`, of a minute of the day."""
    return None if minute is None else f"{minute // 60:02}:{minute % 60:02}"
