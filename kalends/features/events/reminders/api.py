"""The reminders of an event, and those of all events of a calendar that have none of their own."""

from kalends import policy
from kalends.core.records.delivery import Reminder
from kalends.features.events.reminders import present, store
from kalends.features.events.reminders.model import EventReminderFields, ReminderFields, ReminderIndex, ReminderItem, ReminderScope
from kalends.features.events.reminders.rules import due as rules
from kalends.features.events.series.steps import copies
from kalends.features.events.series.steps.copies import Owner
from kalends.http.context import Context
from kalends.http.endpoint import endpoint
from kalends.http.input.fields import Changes
from kalends.http.input.types import Deletion
from kalends.http.paging import Paging, slice_page
from kalends.policy import Right


@endpoint("GET", "/api/events/{event_id}/reminders")
def reminders(ctx: Context, event_id: int, params: Paging) -> ReminderIndex:
    """The reminders of the event, for its editors: its own or, if it has none, those of its home calendar."""
    owner = copies.event_owner(policy.event(ctx, event_id, to=Right.EDIT))
    page, fields = slice_page(ctx, params, items(ctx, owner))
    return ReminderIndex(page, **fields)


@endpoint("GET", "/api/calendars/{calendar_id}/reminders")
def calendar_reminders(ctx: Context, calendar_id: int, params: Paging) -> ReminderIndex:
    """The reminders of all events of the calendar that have none of their own, for its owner and editors."""
    owner = copies.calendar_owner(policy.calendar(ctx, calendar_id, to=Right.EDIT))
    page, fields = slice_page(ctx, params, items(ctx, owner))
    return ReminderIndex(page, **fields)


@endpoint("POST", "/api/events/{event_id}/reminders", status=201)
def add_reminder(ctx: Context, event_id: int, params: EventReminderFields) -> ReminderItem:
    """Remind the guests of the event: `before` (minutes), or `days_before` and `at`. Of a series, `scope` adds it to other dates, too.

    An event with reminders of its own does not have those of its calendar. If the event is moved, its guests are reminded of the new time.
    """
    rules.check(params)
    return insert(ctx, copies.lock(ctx, event_id=event_id), params, params.scope)


@endpoint("POST", "/api/calendars/{calendar_id}/reminders", status=201)
def add_calendar_reminder(ctx: Context, calendar_id: int, params: ReminderFields) -> ReminderItem:
    """Remind the guests of all events whose home is the calendar, unless they have reminders of their own. Only the owner may."""
    rules.check(params)
    return insert(ctx, copies.lock(ctx, calendar_id=calendar_id), params)


@endpoint("PUT", "/api/events/{event_id}/reminders/{reminder_id}")
def update_reminder(ctx: Context, event_id: int, reminder_id: int, params: Changes[EventReminderFields]) -> ReminderItem:
    """Change the reminder; who has got it for this start does not get it again. `scope` changes its copies on other dates, too."""
    return update(ctx, copies.lock(ctx, event_id=event_id), reminder_id, params)


@endpoint("PUT", "/api/calendars/{calendar_id}/reminders/{reminder_id}")
def update_calendar_reminder(ctx: Context, calendar_id: int, reminder_id: int, params: Changes[ReminderFields]) -> ReminderItem:
    """Change the reminder for all events of the calendar. Only the owner may."""
    return update(ctx, copies.lock(ctx, calendar_id=calendar_id), reminder_id, params)


@endpoint("DELETE", "/api/events/{event_id}/reminders/{reminder_id}")
def delete_reminder(ctx: Context, event_id: int, reminder_id: int, params: ReminderScope) -> Deletion:
    """Delete the reminder. `scope` deletes its copies on other dates of the series, too."""
    return delete(ctx, copies.lock(ctx, event_id=event_id), reminder_id, params.scope)


@endpoint("DELETE", "/api/calendars/{calendar_id}/reminders/{reminder_id}")
def delete_calendar_reminder(ctx: Context, calendar_id: int, reminder_id: int) -> Deletion:
    """Delete the reminder. Only the owner may."""
    return delete(ctx, copies.lock(ctx, calendar_id=calendar_id), reminder_id)


def insert(ctx: Context, owner: Owner, fields: ReminderFields, which: str = "this") -> ReminderItem:
    """Add a reminder to the owner, which is locked, and to the other dates of the scope."""
    policy.require_verified_sender(ctx)
    rules.require_room(_find_own(ctx, owner))
    reminder_id = store.insert(ctx, fields, **owner.key)
    dates = copies.find_other_dates(ctx, owner, which)
    if dates:
        store.insert_copies(ctx, [reminder_id], dates)
    return _item(ctx, owner, reminder_id)


def update(ctx: Context, owner: Owner, reminder_id: int, changes: Changes[EventReminderFields] | Changes[ReminderFields]) -> ReminderItem:
    """Change a reminder of the owner, which is locked, and its copies on the other dates of the scope."""
    reminder = copies.find(_find_own(ctx, owner), reminder_id, "reminder")
    fields = rules.merge(changes, present.editable(reminder))
    store.update(ctx, copies.with_copies(ctx, owner, reminder, changes.get("scope", "this"), store.of_events), fields)
    return _item(ctx, owner, reminder_id)


def delete(ctx: Context, owner: Owner, reminder_id: int, which: str = "this") -> Deletion:
    """Delete a reminder of the owner, which is locked, and its copies on the other dates of the scope."""
    reminder = copies.find(_find_own(ctx, owner), reminder_id, "reminder")
    ids = copies.with_copies(ctx, owner, reminder, which, store.of_events)
    store.delete(ctx, ids)
    return Deletion(ids)


def items(ctx: Context, owner: Owner) -> list[ReminderItem]:
    """The reminders of the owner; an event without any has those of its calendar."""
    return present.load(ctx, owner.event) if owner.event else [present.item(each) for each in _find_own(ctx, owner)]


def _find_own(ctx: Context, owner: Owner) -> list[Reminder]:
    return store.of_events(ctx, [owner.event.id]) if owner.event else store.of_calendar(ctx, owner.calendar_id)


def _item(ctx: Context, owner: Owner, reminder_id: int) -> ReminderItem:
    return next(item for item in items(ctx, owner) if item.id == reminder_id)
