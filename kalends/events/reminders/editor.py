"""The pages on which organisers add, change and remove the reminders of an event or of a calendar."""

from typing import Any

from msgspec import Struct

from kalends import errors
from kalends.context import Context
from kalends.events.reminders.model import ReminderItem
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.web.forms import FormState
from kalends.web.labels import plural
from kalends.web.render import render

# The choices of the form; the last one takes the two inputs below it.
BY_CLOCK = "clock"
WHEN = [
    ("60", "1 hour before"),
    ("180", "3 hours before"),
    ("1440", "1 day before"),
    ("2880", "2 days before"),
    ("10080", "1 week before"),
    (BY_CLOCK, "At the time and day below"),
]
NEW = {"when": "1440", "audience": ["going", "maybe"], "days_before": 1, "at": "18:00", "channel": "email"}
GROUPS = [("going", "Going"), ("maybe", "Maybe"), ("waiting", "Waiting list"), ("all", "All of these")]
WHOM = {
    "going": "those who come",
    "maybe": "those who said maybe",
    "waiting": "those who wait for a place",
    "all": "everybody who did not say no",
}
MINUTES = ((7 * 24 * 60, "week"), (24 * 60, "day"), (60, "hour"), (1, "minute"))


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
        title=f"Reminders of {owner.name}",
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
        title=f"Edit a reminder of {owner.name}",
        owner=owner,
        reminder_id=reminder_id,
        form=form or FormState(NEW | values | {"when": when}),
        choices=choices,
        groups=GROUPS,
    )


def params(form: Form) -> dict[str, Any]:
    """The values of the form as parameters of the API. A browser sends nothing for boxes of which none is ticked."""
    names = ("days_before", "at") if form.text("when") == BY_CLOCK else ()
    time = {name: form.values.get(name) for name in names} or {"before": form.values.get("when")}
    others = {name: form.values[name] for name in ("channel", "text", "scope") if name in form.values}
    return time | others | {"audience": form.values.get("audience", [])}


def describe(item: ReminderItem) -> str:
    """`1 day before at 18:00, by e-mail to those who come and those who said maybe`."""
    whom = "nobody" if not item.audience else WHOM["all"] if "all" in item.audience else " and ".join(WHOM[each] for each in item.audience)
    return f"{_when(item)}, by {'SMS' if item.channel == 'sms' else 'e-mail'} to {whom}"


def _when(item: ReminderItem) -> str:
    if item.before is None:
        return f"On the day at {item.at}" if not item.days_before else f"{plural(item.days_before, 'day')} before at {item.at}"
    size, name = next((size, name) for size, name in MINUTES if item.before % size == 0)
    return f"{plural(item.before // size, name)} before"
