"""The reminders of an event."""

from kalends import policy
from kalends.context import Context
from kalends.events.reminders import present, rules, store
from kalends.events.reminders.model import EventReminderFields, ReminderIndex, ReminderItem, ReminderScope
from kalends.events.series import copies
from kalends.http.endpoint import endpoint
from kalends.http.input.fields import Changes
from kalends.http.input.types import Deletion
from kalends.http.paging import Paging, slice_page
from kalends.policy import Right
from kalends.records.event import Event
from kalends.records.reminder import Reminder


@endpoint("GET", "/api/events/{event_id}/reminders")
def reminders(ctx: Context, event_id: int, params: Paging) -> ReminderIndex:
    """The reminders of the event, for its editors: its own or, if it has none, those of its home calendar."""
    return ReminderIndex(*slice_page(ctx, params, present.load(ctx, policy.event(ctx, event_id, to=Right.EDIT))))


@endpoint("POST", "/api/events/{event_id}/reminders", status=201)
def add_reminder(ctx: Context, event_id: int, params: EventReminderFields) -> ReminderItem:
    """Remind the guests of the event: `before` (minutes), or `days_before` and `at`. Of a series, `scope` adds it to other dates, too.

    An event with reminders of its own does not have those of its calendar. If the event is moved, its guests are reminded of the new time.
    """
    rules.check(params)
    event = copies.lock_event(ctx, event_id)
    policy.require_verified_sender(ctx)
    rules.require_room(store.of_events(ctx, [event.id]))
    reminder_id = store.insert(ctx, params, event_id=event.id)
    others = copies.find_other_dates(ctx, event, params.scope)
    if others:
        store.insert_copies(ctx, [reminder_id], others)
    return _item(ctx, event, reminder_id)


@endpoint("PUT", "/api/events/{event_id}/reminders/{reminder_id}")
def update_reminder(ctx: Context, event_id: int, reminder_id: int, params: Changes[EventReminderFields]) -> ReminderItem:
    """Change the reminder; who has got it for this start does not get it again. `scope` changes its copies on other dates, too."""
    event = copies.lock_event(ctx, event_id)
    reminder = _find(ctx, event, reminder_id)
    fields = rules.merge(params, present.editable(reminder))
    store.update(ctx, _with_copies(ctx, event, reminder, params.get("scope", "this")), fields)
    return _item(ctx, event, reminder_id)


@endpoint("DELETE", "/api/events/{event_id}/reminders/{reminder_id}")
def delete_reminder(ctx: Context, event_id: int, reminder_id: int, params: ReminderScope) -> Deletion:
    """Delete the reminder. `scope` deletes its copies on other dates of the series, too."""
    event = copies.lock_event(ctx, event_id)
    ids = _with_copies(ctx, event, _find(ctx, event, reminder_id), params.scope)
    store.delete(ctx, ids)
    return Deletion(ids)


def _find(ctx: Context, event: Event, reminder_id: int) -> Reminder:
    return copies.find(store.of_events(ctx, [event.id]), reminder_id, "reminder")


def _with_copies(ctx: Context, event: Event, reminder: Reminder, which: str) -> list[int]:
    """The ids of the reminder, and of its copies on other dates of the scope."""
    return [each.id for each in copies.with_copies(ctx, event, reminder, which, store.of_events)]


def _item(ctx: Context, event: Event, reminder_id: int) -> ReminderItem:
    return next(item for item in present.load(ctx, event) if item.id == reminder_id)
