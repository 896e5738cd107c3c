"""The pages on which organisers add, change and remove the reminders of an event or of a calendar."""

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from msgspec import Struct

from kalends import errors
from kalends.context import Context
from kalends.events.reminders.model import ReminderItem
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.i18n import gettext, ngettext
from kalends.web.forms import FormState
from kalends.web.render import render

# The choices of the form; the last one takes the two inputs below it.
BY_CLOCK = "clock"
WHEN = [
    ("60", gettext("1 hour before")),
    ("180", gettext("3 hours before")),
    ("1440", gettext("1 day before")),
    ("2880", gettext("2 days before")),
    ("10080", gettext("1 week before")),
    (BY_CLOCK, gettext("At the time and day below")),
]
NEW = {"when": "1440", "audience": ["going", "maybe"], "days_before": 1, "at": "18:00", "channel": "email"}
GROUPS = [("going", gettext("Going")), ("maybe", gettext("Maybe")), ("waiting", gettext("Waiting list")), ("all", gettext("All of these"))]
WHOM = {
    "going": gettext("those who come"),
    "maybe": gettext("those who said maybe"),
    "waiting": gettext("those who wait for a place"),
    "all": gettext("everybody who did not say no"),
}
BEFORE: tuple[tuple[int, Callable[[int], str]], ...] = (
    (7 * 24 * 60, lambda number: ngettext("1 week before", "%(num)s weeks before", number)),
    (24 * 60, lambda number: ngettext("1 day before", "%(num)s days before", number)),
    (60, lambda number: ngettext("1 hour before", "%(num)s hours before", number)),
    (1, lambda number: ngettext("1 minute before", "%(num)s minutes before", number)),
)


class Owner(Struct, frozen=True):
    """The event or calendar whose reminders are written."""

    # The path of its page.
    path: str
    name: str
    reminders: list[ReminderItem]
    time_zone: str = ""
    calendar_id: int | None = None
    event_id: int | None = None
    is_repeated: bool = False


def index(ctx: Context, owner: Owner, form: FormState | None) -> Document:
    return render(
        "reminders/index.html",
        ctx,
        title=gettext("Reminders of %(name)s", name=owner.name),
        owner=owner,
        form=form or FormState(NEW),
        choices=WHEN,
        groups=GROUPS,
        describe=describe,
    )


def edit(ctx: Context, owner: Owner, reminder_id: int, form: FormState | None) -> Document:
    """The form to change a reminder of the event or calendar itself."""
    item = next((each for each in owner.reminders if each.id == reminder_id and each.event_id == owner.event_id), None)
    if item is None:
        raise errors.NotFound
    values = {name: value for name in ("days_before", "at", "audience", "channel", "text") if (value := getattr(item, name)) is not None}
    when = BY_CLOCK if item.before is None else str(item.before)
    choices = WHEN if any(when == value for value, _ in WHEN) else [(when, _when(item)), *WHEN]
    return render(
        "reminders/edit.html",
        ctx,
        title=gettext("Edit a reminder of %(name)s", name=owner.name),
        owner=owner,
        reminder_id=reminder_id,
        form=form or FormState(NEW | values | {"when": when}),
        choices=choices,
        groups=GROUPS,
    )


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
        gettext("%(when)s, by SMS to %(whom)s", **values) if item.channel == "sms" else gettext("%(when)s, by e-mail to %(whom)s", **values)
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
