"""Add, change and delete the reminders of an event, of dates of its series, or of a calendar."""

from kalends import errors, policy
from kalends.context import Context
from kalends.events import store as events
from kalends.events.series import scope
from kalends.http.input.fields import Changes
from kalends.policy import Right
from kalends.records.event import Event
from kalends.records.reminder import Reminder
from kalends.reminders import present, rules, store
from kalends.reminders.model import EventReminderFields, ReminderFields


def add_to_event(ctx: Context, event_id: int, fields: EventReminderFields) -> int:
    """Add the reminder to the event and, with a wider scope, to others of its series; returns its id."""
    rules.check(fields)
    event = _lock_event(ctx, event_id)
    policy.require_verified_sender(ctx)
    rules.require_room(store.of_events(ctx, [event.id]))
    reminder_id = store.insert(ctx, fields, event_id=event.id)
    others = [each.id for each in _find_events(ctx, event, fields.scope) if each.id != event.id]
    if others:
        store.insert_copies(ctx, [reminder_id], others)
    return reminder_id


def change_of_event(ctx: Context, event_id: int, reminder_id: int, changes: Changes[EventReminderFields]) -> None:
    """Change the reminder and, with a wider scope, its copies on other dates of the series."""
    event = _lock_event(ctx, event_id)
    reminder = _find(store.of_events(ctx, [event.id]), reminder_id)
    fields = rules.merge(changes, present.editable(reminder))
    store.update(ctx, [each.id for each in _copies(ctx, event, reminder, changes.get("scope", "this"))], fields)


def delete_of_event(ctx: Context, event_id: int, reminder_id: int, which: str) -> list[int]:
    """Delete the reminder and, with a wider scope, its copies on other dates; returns the ids."""
    event = _lock_event(ctx, event_id)
    reminder = _find(store.of_events(ctx, [event.id]), reminder_id)
    ids = [each.id for each in _copies(ctx, event, reminder, which)]
    store.delete(ctx, ids)
    return ids


def add_to_calendar(ctx: Context, calendar_id: int, fields: ReminderFields) -> int:
    rules.check(fields)
    others = _lock_calendar(ctx, calendar_id)
    policy.require_verified_sender(ctx)
    rules.require_room(others)
    return store.insert(ctx, fields, calendar_id=calendar_id)


def change_of_calendar(ctx: Context, calendar_id: int, reminder_id: int, changes: Changes[ReminderFields]) -> None:
    reminder = _find(_lock_calendar(ctx, calendar_id), reminder_id)
    store.update(ctx, [reminder.id], rules.merge(changes, present.editable(reminder)))


def delete_of_calendar(ctx: Context, calendar_id: int, reminder_id: int) -> None:
    store.delete(ctx, [_find(_lock_calendar(ctx, calendar_id), reminder_id).id])


def _lock_event(ctx: Context, event_id: int) -> Event:
    """The event, whose reminders nobody else changes until the transaction ends."""
    events.lock(ctx, [event_id])
    return policy.event(ctx, event_id, to=Right.EDIT)


def _lock_calendar(ctx: Context, calendar_id: int) -> list[Reminder]:
    """The reminders of the calendar, which nobody else changes until the transaction ends."""
    ctx.tx.advisory_lock(f"calendar {calendar_id}")
    policy.calendar(ctx, calendar_id, to=Right.OWN)
    return store.of_calendar(ctx, calendar_id)


def _find_events(ctx: Context, event: Event, which: str) -> list[Event]:
    dates = scope.find_events(ctx, event, which)
    if len(dates) > 1:
        events.lock_events(ctx, [each.id for each in dates])
    return dates


def _copies(ctx: Context, event: Event, reminder: Reminder, which: str) -> list[Reminder]:
    """The reminder, and its copies on the other dates of the scope."""
    dates = [each.id for each in _find_events(ctx, event, which) if each.id != event.id]
    copies = [each for each in store.of_events(ctx, dates) if each.origin == reminder.origin] if dates else []
    return [reminder, *copies]


def _find(reminders: list[Reminder], reminder_id: int) -> Reminder:
    for reminder in reminders:
        if reminder.id == reminder_id:
            return reminder
    raise errors.NotFound("There is no such reminder here. The reminders of a calendar are changed under /api/calendars.")
