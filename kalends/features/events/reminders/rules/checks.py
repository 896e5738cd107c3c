"""The rules of one reminder: when it is sent, and how many there may be."""

from collections.abc import Sequence

from msgspec import structs

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.delivery import Reminder
from kalends.features.events.reminders.model import MAX_REMINDERS, EventReminderFields, ReminderFields
from kalends.http.input.fields import Changes


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
