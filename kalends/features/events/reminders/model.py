"""Reminders: the input and the replies of the API."""

from typing import Annotated, ClassVar, Literal, get_args

from msgspec import Meta, Struct, field

from kalends.core.records.delivery import Group
from kalends.http.input.options import FieldOptions, StructOptions
from kalends.http.input.types import Instant, RecordId, Scope
from kalends.http.paging import Page

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


# The reminder that forms offer.
DAY_BEFORE = ReminderFields(before=24 * 60)


class EventReminderFields(ReminderFields, kw_only=True):
    """A reminder of one event or of dates of its series."""

    OPTIONS: ClassVar = ReminderFields.OPTIONS

    scope: Scope = "this"


class ReminderScope(Struct, kw_only=True):
    """The dates of a series from which a reminder is removed."""

    scope: Scope = "this"


class ReminderItem(Struct, kw_only=True):
    """A reminder of an event or of a calendar. What it does next is part of the reminders of an event alone."""

    id: RecordId
    event_id: Annotated[int | None, Meta(description="Id of the event; null for a reminder of a calendar.")]
    calendar_id: Annotated[
        int | None,
        Meta(description="Id of the calendar whose events have it, unless they have their own; null for a reminder of one event."),
    ]
    before: Annotated[int | None, Meta(description="How many minutes before the start; null: see days_before.")]
    days_before: Annotated[int | None, Meta(description="How many days before the day of the start; null: see before.")]
    at: Annotated[str | None, Meta(description="The time of that day, on the event's clock.")]
    audience: Annotated[list[Group], Meta(description="Whom it reminds: those who are going, maybe, waiting, or all of these.")]
    channel: Channel
    text: Annotated[str | None, Meta(description="What it says.")]
    due_time: Annotated[
        Instant | None, Meta(description="When it is due for this event; null if it would be after the start, or of a calendar's reminder.")
    ]
    recipients: Annotated[
        int | None, Meta(description="How many people it would remind now, or has reminded; null of a calendar's reminder.")
    ]
    state: Annotated[
        State | None, Meta(description="Whether it is still to be sent, was sent, was not sent because its time was over, or is off.")
    ]


class ReminderIndex(Page):
    reminders: Annotated[list[ReminderItem], Meta(description="The reminders.")]
