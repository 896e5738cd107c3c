"""The reminders of an event."""

from kalends import policy
from kalends.context import Context
from kalends.events.reminders import change, present
from kalends.events.reminders.model import EventReminderFields, ReminderIndex, ReminderItem, ReminderScope
from kalends.http.endpoint import endpoint
from kalends.http.input.fields import Changes
from kalends.http.input.types import Deletion
from kalends.policy import Right


@endpoint("GET", "/api/events/{event_id}/reminders")
def reminders(ctx: Context, event_id: int) -> ReminderIndex:
    """The reminders of the event, for its editors: its own or, if it has none, those of its home calendar."""
    return ReminderIndex(present.load(ctx, policy.event(ctx, event_id, to=Right.EDIT)))


@endpoint("POST", "/api/events/{event_id}/reminders", status=201)
def add_reminder(ctx: Context, event_id: int, params: EventReminderFields) -> ReminderItem:
    """Remind the guests of the event: `before` (minutes), or `days_before` and `at`. Of a series, `scope` adds it to other dates, too.

    An event with reminders of its own does not have those of its calendar. If the event is moved, its guests are reminded of the new time.
    """
    reminder_id = change.add_to_event(ctx, event_id, params)
    return _of_event(ctx, event_id, reminder_id)


@endpoint("PUT", "/api/events/{event_id}/reminders/{reminder_id}")
def update_reminder(ctx: Context, event_id: int, reminder_id: int, params: Changes[EventReminderFields]) -> ReminderItem:
    """Change the reminder; who has got it for this start does not get it again. `scope` changes its copies on other dates, too."""
    change.change_of_event(ctx, event_id, reminder_id, params)
    return _of_event(ctx, event_id, reminder_id)


@endpoint("DELETE", "/api/events/{event_id}/reminders/{reminder_id}")
def delete_reminder(ctx: Context, event_id: int, reminder_id: int, params: ReminderScope) -> Deletion:
    """Delete the reminder. `scope` deletes its copies on other dates of the series, too."""
    return Deletion(change.delete_of_event(ctx, event_id, reminder_id, params.scope))


def _of_event(ctx: Context, event_id: int, reminder_id: int) -> ReminderItem:
    event = policy.event(ctx, event_id, to=Right.EDIT)
    return next(item for item in present.load(ctx, event) if item.id == reminder_id)
