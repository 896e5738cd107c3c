"""Reminders: the input and the replies of the API."""

from typing import Annotated, ClassVar, Literal, get_args

from msgspec import UNSET, Meta, Struct, UnsetType, field

from kalends.http.input.options import FieldOptions, StructOptions
from kalends.http.input.types import Instant, Scope
from kalends.records.reminder import Group

Channel = Annotated[Literal["email", "sms"], Meta(description="By which way: e-mail, or SMS to those whose number your contacts have.")]
State = Literal["planned", "sent", "late", "off"]
GROUPS: tuple[Group, ...] = get_args(Group)
STATES: tuple[State, ...] = get_args(State)

MAX_REMINDERS = 10
MAX_DAYS = 60
MIN_BEFORE, MAX_BEFORE = 5, MAX_DAYS * 24 * 60
MAX_TEXT = 2_000

_CLOCK = "^([01][0-9]|2[0-3]):[0-5][0-9]$"


class ReminderFields(Struct, kw_only=True):
    """The editable fields of a reminder."""

    OPTIONS: ClassVar = StructOptions(
        rules={
            "before": "goes without days_before and at; one of both is required",
            "days_before": "goes with at",
            "at": "goes with days_before",
        }
    )

    before: Annotated[int, Meta(ge=MIN_BEFORE, le=MAX_BEFORE, description="How many minutes before the start.")] | None = None
    days_before: Annotated[int, Meta(ge=0, le=MAX_DAYS, description="How many days before the day of the start.")] | None = None
    at: (
        Annotated[
            str,
            Meta(max_length=5, description="At which time of that day, on the event's clock.", examples=["18:00"]),
            FieldOptions(pattern=_CLOCK, pattern_message="must be a time of the day such as 18:00"),
        ]
        | None
    ) = None
    audience: Annotated[
        list[Group],
        Meta(max_length=len(GROUPS), description="Whom to remind. An empty list reminds nobody: it switches the calendar's reminders off."),
    ] = field(default_factory=lambda: ["going", "maybe"])
    channel: Channel = "email"
    text: Annotated[str, Meta(max_length=MAX_TEXT, description="What to say in the reminder."), FieldOptions(multiline=True)] | None = None


class EventReminderFields(ReminderFields, kw_only=True):
    """The same, for one event or for dates of its series."""

    OPTIONS: ClassVar = ReminderFields.OPTIONS

    scope: Scope = "this"


class ReminderScope(Struct, kw_only=True):
    """The dates of a series from which a reminder is removed."""

    scope: Scope = "this"


class ReminderItem(Struct, kw_only=True):
    """A reminder of an event or of a calendar. What it does next is told with an event alone."""

    id: int
    event_id: int | None
    calendar_id: int | None
    before: int | None
    days_before: int | None
    at: str | None
    audience: list[Group]
    channel: Channel
    text: str | None
    due_time: Instant | None
    recipients: int | None
    state: State | None


class ReminderIndex(Struct):
    reminders: list[ReminderItem]
    limit: int
    offset: int
    next: str | None
    total: int | UnsetType = UNSET
