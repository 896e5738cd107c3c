"""Calendars: the input and the replies of the API."""

from typing import Annotated, ClassVar, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from kalends.core.records.calendar import Confirmations, ConfirmResponses, Moderation, Scheduling
from kalends.core.records.people import Person
from kalends.features.deliveries.model import Notified
from kalends.http.input.options import FieldOptions, StructOptions
from kalends.http.input.types import (
    Alarms,
    CreatedAt,
    EventId,
    Instant,
    LongText,
    Name,
    NameOrAddress,
    NameOrCheckedAddress,
    PartyMax,
    RecordId,
    TimeZone,
    UpdatedAt,
)
from kalends.http.paging import Page

# The colours of new calendars, in this order.
PALETTE = ("#2f6fde", "#0b6b43", "#b3261e", "#8a5a00", "#00707a", "#9c2f6e", "#4a5568", "#c2410c")
Color = Annotated[
    str,
    Meta(max_length=7, description="A colour, such as #2f6fde."),
    FieldOptions(pattern="^#[0-9a-fA-F]{6}$", pattern_message="must be a colour such as #2f6fde"),
]
Role = Annotated[
    Literal["viewer", "editor", "manager"],
    Meta(description="A viewer sees the calendar's events, an editor changes them, a manager also changes the calendar and shares it."),
]

OwnRole = Annotated[Literal["owner", "manager", "editor", "viewer"] | None, Meta(description="What you are to the calendar.")]


ConfirmAbove = Annotated[
    int, Meta(ge=1, le=20_000, description="A guest's YES for more people counts only when its address has confirmed it.")
]
HoldMinutes = Annotated[
    int, Meta(ge=1, le=10_080, description="How long an event with a capacity holds places for a response that is not confirmed.")
]


KeepResponsesDays = Annotated[
    int,
    Meta(
        ge=1,
        le=3650,
        description="How many days after an event the names, addresses and answers of its guests are erased. Without it, they are kept.",
    ),
]


class CalendarInput(Struct, kw_only=True):
    """The editable fields of a calendar."""

    name: Annotated[Name, Meta(description="What the calendar is called.", examples=["Jazz"])]
    description: Annotated[LongText, Meta(description="What the calendar is about.")] | None = None
    color: Color = PALETTE[0]
    time_zone: Annotated[TimeZone, Meta(description="The zone of times without an offset; yours by default.")] | None = None
    public: Annotated[bool, Meta(description="Whether everyone sees the calendar; its events follow by default.")] = False
    moderation: Moderation = "guests"
    party_max: PartyMax | None = None
    confirmations: Confirmations = "on"
    confirm_responses: ConfirmResponses = "none"
    confirm_above: ConfirmAbove = 10
    hold_minutes: HoldMinutes = 60
    scheduling: Scheduling = "on"
    keep_responses_days: KeepResponsesDays | None = None


class ReaderColor(Struct, kw_only=True):
    """The colour in which you see a calendar."""

    color: Annotated[Color, Meta(description="The colour, such as #2f6fde; without it, that of its owner.")] | None = None


class Sharing(Struct, kw_only=True):
    """The person to share a calendar with, and their role."""

    OPTIONS: ClassVar = StructOptions(rules={"user_name": "must be an e-mail address if it has an @"})

    user_name: NameOrCheckedAddress
    role: Role = "viewer"


class Unsharing(Struct, kw_only=True):
    """The person to stop sharing a calendar with."""

    OPTIONS: ClassVar = StructOptions(
        rules={
            "block": "works only with your own username, when you leave a calendar",
            "events": "for the calendar's owner and managers",
            "withdraw_invitations": "for the calendar's owner and managers",
            "reset_links": "for the calendar's owner and managers",
        }
    )

    user_name: Annotated[NameOrAddress, Meta(description="As it was shared: the user name or the e-mail address. Your own, to leave it.")]
    block: Annotated[bool, Meta(description="With your own name: block the calendar's owner, too.")] = False
    events: Annotated[
        Literal["take_over", "keep", "remove"],
        Meta(
            description="What becomes of the events that they created on the calendar: `take_over` gives them to the calendar's owner, "
            "`keep` leaves them with the name of their creator, who cannot change them, and `remove` deletes them."
        ),
    ] = "take_over"
    withdraw_invitations: Annotated[
        bool, Meta(description="Withdraw their invitations to events of the calendar, and what guests see whom they added.")
    ] = False
    reset_links: Annotated[bool, Meta(description="Replace the links of the calendar's events that are seen by a link.")] = False


class LeftEvent(Struct, frozen=True):
    """An event that an editor leaves behind."""

    id: RecordId
    title: Annotated[str, Meta(description="Title of the event.")]
    start_time: Annotated[
        Instant, Meta(description="Start: RFC 3339 with the offset of the event's time zone; a date for an all-day event.")
    ]


class LeftInvitation(Struct, frozen=True):
    """An invitation that an editor leaves behind: to an event, or to a series."""

    id: RecordId
    event_id: Annotated[int | None, Meta(description="Id of the event that the address is invited to; null for a series.")]
    series_id: Annotated[int | None, Meta(description="Id of the series that the address is invited to; null for one event.")]
    address: Annotated[str, Meta(description="E-mail address or mobile number.")]


class LeftGuest(Struct, frozen=True):
    """A guest whom an editor added to an event, by their response."""

    id: RecordId
    event_id: EventId
    address: Annotated[str, Meta(description="E-mail address or mobile number.")]


class LeftCohost(Struct, frozen=True):
    """A co-host whom an editor added to an event: a user by name, or an address."""

    id: RecordId
    event_id: EventId
    user_name: Annotated[str | None, Meta(description="The user name; null for an address.")]
    email_address: Annotated[str | None, Meta(description="The address; null for a user who was added by name.")]


class LeftPeople(Struct, frozen=True, kw_only=True):
    """The people whom somebody has invited or added, up to 100 of each."""

    invitations: Annotated[list[LeftInvitation], Meta(description="Their invitations that are not withdrawn, at most 100.")]
    invitations_total: Annotated[int, Meta(description="The number of their invitations that are not withdrawn.")]
    guests: Annotated[list[LeftGuest], Meta(description="The guests whom they added, at most 100.")]
    guests_total: Annotated[int, Meta(description="The number of guests whom they added.")]


class LeftBehind(LeftPeople, frozen=True, kw_only=True):
    """What somebody leaves on a calendar, up to 100 of each: events that they created, people whom they invited or added, and events that
    are seen by a link, which an editor knows."""

    events: Annotated[list[LeftEvent], Meta(description="The events that they created on the calendar, at most 100.")]
    events_total: Annotated[int, Meta(description="The number of events that they created on the calendar.")]
    cohosts: Annotated[
        list[LeftCohost], Meta(description="The co-hosts whom they added to events of the calendar, at most 100: they end with the share.")
    ]
    cohosts_total: Annotated[int, Meta(description="The number of co-hosts whom they added to events of the calendar.")]
    links: Annotated[
        list[LeftEvent], Meta(description="The events of the calendar that are seen by a link, at most 100: editors know these links.")
    ]
    links_total: Annotated[int, Meta(description="The number of events of the calendar that are seen by a link.")]


class Leaving(Struct, kw_only=True):
    """Leaving a calendar that someone else shares."""

    block: Annotated[bool, Meta(description="Whether to block its owner, too.")] = False


class FeedKey(Struct, kw_only=True):
    """The key to the feed of a private calendar."""

    key: Annotated[str, Meta(max_length=100, description="The secret of a private calendar's `feed_url`.")] | None = None
    alarms: Alarms = False


class Share(Struct, frozen=True, kw_only=True):
    """A user or an e-mail address that a calendar is shared with; the account of an address is not disclosed."""

    role: Role
    user_name: Annotated[str | UnsetType, Meta(description="User name.")] = UNSET
    name: Annotated[str | UnsetType | None, Meta(description="Name.")] = UNSET
    email_address: Annotated[str | UnsetType, Meta(description="E-mail address.")] = UNSET


class CalendarItem(Struct, kw_only=True):
    """A calendar's limited fields."""

    id: RecordId
    name: Annotated[str, Meta(description="Name.")]
    color: Annotated[str, Meta(description="Colour, such as #2f6fde.")]
    time_zone: Annotated[str, Meta(description="IANA time zone, such as Europe/Paris.")]
    public: Annotated[bool, Meta(description="Whether everyone can see it.")]
    primary: Annotated[bool, Meta(description="Whether it is its owner's primary calendar.")]
    role: OwnRole
    owner: Annotated[Person, Meta(description="The owner.")]
    updated_at: UpdatedAt


class CalendarDetail(CalendarItem, kw_only=True):
    """A calendar's expanded fields; `shares` for its owner and managers, and the `feed_url` of a private one for its owner and editors."""

    description: Annotated[str | None, Meta(description="Description; line breaks are kept.")]
    moderation: Moderation
    party_max: Annotated[int | None, Meta(description="The largest party (number + plus_n) that may respond; null for no limit.")]
    confirmations: Confirmations
    confirm_responses: ConfirmResponses
    confirm_above: Annotated[
        int,
        Meta(
            description="A guest's YES for more people than this counts only when its address has confirmed it, or an editor accepted it."
        ),
    ]
    hold_minutes: Annotated[
        int, Meta(description="For how many minutes an event with a capacity holds places for a response that is not confirmed.")
    ]
    scheduling: Scheduling
    keep_responses_days: Annotated[
        int | None, Meta(description="After how many days names, addresses and answers of an event's guests are erased; null for never.")
    ]
    can_edit: Annotated[bool, Meta(description="Whether you may change it.")]
    feed_url: Annotated[str | None, Meta(description="URL of the iCalendar feed; null if you may not have it.")]
    created_at: CreatedAt
    shares: Annotated[
        list[Share] | UnsetType,
        Meta(description="The people and e-mail addresses with which the calendar is shared; for its owner and managers."),
    ] = UNSET


class Shared(CalendarDetail, kw_only=True):
    """A calendar that is shared with somebody, and whether they get mail."""

    notified: Annotated[
        Notified,
        Meta(description="How many people the write notifies: the person with whom the calendar is shared, the first time; nobody after."),
    ]


class Unshared(CalendarDetail, kw_only=True):
    """A calendar that is no longer shared with somebody, and for its owner and managers what they left on it before `events`,
    `withdraw_invitations` and `reset_links` took effect."""

    left: Annotated[
        LeftBehind | UnsetType,
        Meta(description="What somebody with whom the calendar is no longer shared leaves on it; for its owner and managers."),
    ] = UNSET


class CalendarIndex(Page):
    """A page of calendars."""

    calendars: Annotated[list[CalendarItem], Meta(description="The calendars.")]


class ReaderItem(Struct):
    """A program that fetched the feed of a calendar."""

    program: Annotated[str, Meta(description="Name of the program; `Other` if it is not known.")]
    fetches: Annotated[int, Meta(description="How often it fetched the feed, at most once a minute, whoever uses it.")]
    first_at: Annotated[Instant, Meta(description="When it first fetched it, in UTC.")]
    last_at: Annotated[Instant, Meta(description="When it last fetched it, in UTC.")]


class ReaderIndex(Struct):
    """The programs that fetched the feed of a calendar."""

    readers: Annotated[list[ReaderItem], Meta(description="The programs, the last one first.")]
