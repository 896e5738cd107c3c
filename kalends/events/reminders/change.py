"""Add, change and delete the reminders of an event, of dates of its series, or of a calendar."""

from kalends import policy
from kalends.context import Context
from kalends.events.reminders import present, rules, store
from kalends.events.reminders.model import EventReminderFields, ReminderFields
from kalends.events.series import copies
from kalends.http.input.fields import Changes
from kalends.records.reminder import Reminder


def add_to_event(ctx: Context, event_id: int, fields: EventReminderFields) -> int:
    """Add the reminder to the event and, with a wider scope, to others of its series; returns its id."""
    rules.check(fields)
    event = copies.lock_event(ctx, event_id)
    policy.require_verified_sender(ctx)
    rules.require_room(store.of_events(ctx, [event.id]))
    reminder_id = store.insert(ctx, fields, event_id=event.id)
    others = copies.find_other_dates(ctx, event, fields.scope)
    if others:
        store.insert_copies(ctx, [reminder_id], others)
    return reminder_id


def change_of_event(ctx: Context, event_id: int, reminder_id: int, changes: Changes[EventReminderFields]) -> None:
    """Change the reminder and, with a wider scope, its copies on other dates of the series."""
    event = copies.lock_event(ctx, event_id)
    reminder = _find(store.of_events(ctx, [event.id]), reminder_id)
    fields = rules.merge(changes, present.editable(reminder))
    store.update(ctx, [each.id for each in copies.with_copies(ctx, event, reminder, changes.get("scope", "this"), store.of_events)], fields)


def delete_of_event(ctx: Context, event_id: int, reminder_id: int, which: str) -> list[int]:
    """Delete the reminder and, with a wider scope, its copies on other dates; returns the ids."""
    event = copies.lock_event(ctx, event_id)
    reminder = _find(store.of_events(ctx, [event.id]), reminder_id)
    ids = [each.id for each in copies.with_copies(ctx, event, reminder, which, store.of_events)]
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


def _lock_calendar(ctx: Context, calendar_id: int) -> list[Reminder]:
    """The reminders of the calendar, which nobody else changes until the transaction ends."""
    copies.lock_calendar(ctx, calendar_id)
    return store.of_calendar(ctx, calendar_id)


def _find(reminders: list[Reminder], reminder_id: int) -> Reminder:
    return copies.find(reminders, reminder_id, "reminder")
