"""The reminders of all events of a calendar that have none of their own."""

from kalends import policy
from kalends.context import Context
from kalends.events.reminders import present, rules, store
from kalends.events.reminders.model import ReminderFields, ReminderIndex, ReminderItem
from kalends.events.series import copies
from kalends.http.endpoint import endpoint
from kalends.http.input.fields import Changes
from kalends.http.input.types import Deletion
from kalends.http.paging import Paging, slice_page
from kalends.policy import Right
from kalends.records.reminder import Reminder


@endpoint("GET", "/api/calendars/{calendar_id}/reminders")
def calendar_reminders(ctx: Context, calendar_id: int, params: Paging) -> ReminderIndex:
    """The reminders of all events of the calendar that have none of their own, for its owner and editors."""
    policy.calendar(ctx, calendar_id, to=Right.EDIT)
    return ReminderIndex(*slice_page(ctx, params, [present.item(reminder) for reminder in store.of_calendar(ctx, calendar_id)]))


@endpoint("POST", "/api/calendars/{calendar_id}/reminders", status=201)
def add_calendar_reminder(ctx: Context, calendar_id: int, params: ReminderFields) -> ReminderItem:
    """Remind the guests of all events whose home is the calendar, unless they have reminders of their own. Only the owner may."""
    rules.check(params)
    others = _lock(ctx, calendar_id)
    policy.require_verified_sender(ctx)
    rules.require_room(others)
    reminder_id = store.insert(ctx, params, calendar_id=calendar_id)
    return _item(ctx, calendar_id, reminder_id)


@endpoint("PUT", "/api/calendars/{calendar_id}/reminders/{reminder_id}")
def update_calendar_reminder(ctx: Context, calendar_id: int, reminder_id: int, params: Changes[ReminderFields]) -> ReminderItem:
    """Change the reminder for all events of the calendar. Only the owner may."""
    reminder = copies.find(_lock(ctx, calendar_id), reminder_id, "reminder")
    store.update(ctx, [reminder.id], rules.merge(params, present.editable(reminder)))
    return _item(ctx, calendar_id, reminder_id)


@endpoint("DELETE", "/api/calendars/{calendar_id}/reminders/{reminder_id}")
def delete_calendar_reminder(ctx: Context, calendar_id: int, reminder_id: int) -> Deletion:
    """Delete the reminder. Only the owner may."""
    reminder = copies.find(_lock(ctx, calendar_id), reminder_id, "reminder")
    store.delete(ctx, [reminder.id])
    return Deletion([reminder.id])


def _lock(ctx: Context, calendar_id: int) -> list[Reminder]:
    """The reminders of the calendar, which nobody else changes until the transaction ends."""
    copies.lock_calendar(ctx, calendar_id)
    return store.of_calendar(ctx, calendar_id)


def _item(ctx: Context, calendar_id: int, reminder_id: int) -> ReminderItem:
    return next(present.item(each) for each in store.of_calendar(ctx, calendar_id) if each.id == reminder_id)
