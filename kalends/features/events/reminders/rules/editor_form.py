"""The form in which organisers write a reminder, and the reminder in words."""

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from kalends.core.i18n import gettext, ngettext, pgettext
from kalends.features.events.reminders.model import ReminderItem
from kalends.http.input.form import Form

# The choices of the form; the last one takes the two inputs below it.
BY_CLOCK = "clock"
WHEN = [
    ("60", gettext("1 hour before")),
    ("180", gettext("3 hours before")),
    ("1440", gettext("1 day before")),
    ("2880", gettext("2 days before")),
    ("10080", gettext("1 week before")),
    (BY_CLOCK, gettext("At the day and time below")),
]
NEW = {"when": "1440", "audience": ["going", "maybe"], "days_before": 1, "at": "18:00", "channel": "email"}
GROUPS = [
    ("going", pgettext("guests", "Going")),
    ("maybe", pgettext("guests", "Maybe")),
    ("waiting", gettext("Waiting list")),
    ("all", gettext("All of these")),
]
WHOM = {
    "going": gettext("people who are going"),
    "maybe": gettext("people who might go"),
    "waiting": gettext("people on the waiting list"),
    "all": gettext("everyone who hasn’t said they can’t go"),
}
BEFORE: tuple[tuple[int, Callable[[int], str]], ...] = (
    (7 * 24 * 60, lambda number: ngettext("1 week before", "%(num)s weeks before", number)),
    (24 * 60, lambda number: ngettext("1 day before", "%(num)s days before", number)),
    (60, lambda number: ngettext("1 hour before", "%(num)s hours before", number)),
    (1, lambda number: ngettext("1 minute before", "%(num)s minutes before", number)),
)


def values_of(item: ReminderItem) -> dict[str, Any]:
    """The reminder as values of the form."""
    values = {name: value for name in ("days_before", "at", "audience", "channel", "text") if (value := getattr(item, name)) is not None}
    return NEW | values | {"when": _choice(item)}


def choices(item: ReminderItem) -> Sequence[tuple[str, str]]:
    """The choices of the time, with that of the reminder."""
    when = _choice(item)
    return WHEN if any(when == value for value, _ in WHEN) else [(when, _when(item)), *WHEN]


def _choice(item: ReminderItem) -> str:
    return BY_CLOCK if item.before is None else str(item.before)


def params(form: Form) -> dict[str, Any]:
    """The values of the form as parameters of the API. A browser sends nothing if no box is ticked."""
    names = ("days_before", "at") if form.text("when") == BY_CLOCK else ()
    time = {name: form.values.get(name) for name in names} or {"before": form.values.get("when")}
    others = {name: form.values[name] for name in ("channel", "text", "scope") if name in form.values}
    return time | others | {"audience": form.values.get("audience", [])}


def describe(item: ReminderItem) -> str:
    """`1 day before at 18:00, by e-mail to those who come and those who said maybe`."""
    values = {"when": _when(item), "whom": _whom(item.audience)}
    return (
        gettext("%(when)s, by text message to %(whom)s", **values)
        if item.channel == "sms"
        else gettext("%(when)s, by email to %(whom)s", **values)
    )


def _whom(audience: Sequence[str]) -> str:
    if not audience:
        return gettext("nobody")
    groups = [WHOM["all"]] if "all" in audience else [WHOM[each] for each in audience]
    return reduce(lambda first, second: gettext("%(first)s and %(second)s", first=first, second=second), groups)


def _when(item: ReminderItem) -> str:
    if item.before is not None:
        minutes, describe_number = next(each for each in BEFORE if item.before % each[0] == 0)
        return describe_number(item.before // minutes)
    if not item.days_before:
        return gettext("On the day at %(time)s", time=item.at)
    return ngettext("1 day before at %(time)s", "%(num)s days before at %(time)s", item.days_before, time=item.at)
