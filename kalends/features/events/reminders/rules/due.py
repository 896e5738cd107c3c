"""When a reminder is due: computed from the start of the event and its time zone, never stored. And how many reminders there may be."""

from collections.abc import Sequence
from datetime import datetime, time, timedelta

from msgspec import Struct, structs

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.delivery import Reminder
from kalends.core.values import datetimes
from kalends.features.events.reminders.model import MAX_REMINDERS, EventReminderFields, ReminderFields
from kalends.http.input.fields import Changes

HOUR = 3600
# A reminder that is later than this is of no use any more, nor one that is later than half of its lead.
MAX_LATENESS = 6 * HOUR
# No SMS is sent at night, on the event's clock: what falls into it waits for the morning, or is sent in the evening before if the
# morning is too late.
NIGHT, MORNING, EVENING = time(21), time(8), time(20)


class Window(Struct, frozen=True):
    """When a reminder is sent: from `due_at` on, before `until_at`."""

    due_at: int
    until_at: int


def find_window(reminder: Reminder, start_at: int, zone: str) -> Window | None:
    """The window of the reminder for this start; None if it would begin with the event or later."""
    due_at = _due_at(reminder, start_at, zone)
    end = start_at
    if reminder.channel == "sms" and due_at < start_at:
        due_at, end = _by_day(due_at, start_at, zone)
    if due_at >= start_at:
        return None
    return Window(due_at, min(due_at + min((start_at - due_at) // 2, MAX_LATENESS), end))


def _due_at(reminder: Reminder, start_at: int, zone: str) -> int:
    if reminder.before is not None:
        return start_at - 60 * reminder.before
    day = datetimes.to_local(start_at, zone).date() - timedelta(days=reminder.days_before or 0)
    return datetimes.to_instant(datetime.combine(day, time()) + timedelta(minutes=reminder.at or 0), zone)


def _by_day(due_at: int, start_at: int, zone: str) -> tuple[int, int]:
    """The time by day, and the next night."""
    local = datetimes.to_local(due_at, zone)
    day = local.date()
    if local.time() >= NIGHT or local.time() < MORNING:
        day += timedelta(days=local.time() >= NIGHT)
        due_at = datetimes.to_instant(datetime.combine(day, MORNING), zone)
        if due_at >= start_at:
            day -= timedelta(days=1)
            due_at = datetimes.to_instant(datetime.combine(day, EVENING), zone)
    return due_at, min(start_at, datetimes.to_instant(datetime.combine(day, NIGHT), zone))


def check(fields: ReminderFields) -> None:
    """Raise Invalid if the fields do not go together."""
    if fields.before is not None:
        for name in ("days_before", "at"):
            if getattr(fields, name) is not None:
                raise errors.invalid(name, gettext("can’t be combined with before. Send one of them"), "conflict")
        return
    if fields.days_before is None and fields.at is None:
        raise errors.invalid("before", gettext("is required unless you send days_before and at"), "required")
    for name, other in (("days_before", "at"), ("at", "days_before")):
        if getattr(fields, name) is None:
            raise errors.invalid(name, gettext("is required with %(other)s", other=other), "required")


def merge(changes: Changes[ReminderFields] | Changes[EventReminderFields], current: ReminderFields) -> ReminderFields:
    """The current fields with the changes. One way to say the time replaces the other."""
    values = dict(changes.values)
    if values.get("before") is not None:
        values = {"days_before": None, "at": None} | values
    elif values.get("days_before") is not None or values.get("at") is not None:
        values = {"before": None} | values
    fields = structs.replace(current, **{name: value for name, value in values.items() if name != "scope"})
    check(fields)
    return fields


def require_room(others: Sequence[Reminder]) -> None:
    """Raise Conflict if there are as many reminders as there may be."""
    if len(others) >= MAX_REMINDERS:
        raise errors.Conflict(gettext("There are already %(max)s reminders. Delete one first.", max=MAX_REMINDERS))
