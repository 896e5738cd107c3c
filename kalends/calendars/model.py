"""Calendars: the input and the replies of the API."""

from typing import Annotated, ClassVar, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from kalends.http.input.options import FieldOptions, StructOptions
from kalends.http.input.types import Alarms, Instant, LongText, Name, NameOrAddress, NameOrCheckedAddress, PartyMax, TimeZone
from kalends.records.calendar import Confirmations, ConfirmResponses, Moderation, Scheduling
from kalends.values.person import Person

Color = Annotated[
    str,
    Meta(max_length=7, description="A colour, such as #2f6fde."),
    FieldOptions(pattern="^#[0-9a-fA-F]{6}$", pattern_message="must be a colour such as #2f6fde"),
]
Role = Annotated[Literal["viewer", "editor"], Meta(description="A viewer sees the calendar's events, an editor changes them.")]

OwnRole = Annotated[Literal["owner", "editor", "viewer"] | None, Meta(description="What you are to the calendar.")]


ConfirmAbove = Annotated[
    int, Meta(ge=1, le=20_000, description="A guest's YES for more people counts only when its address has confirmed it.")
]
HoldMinutes = Annotated[
    int, Meta(ge=1, le=10_080, description="How long an event with a capacity holds places for a response that is not confirmed.")
]


class CalendarInput(Struct, kw_only=True):
    """The editable fields of a calendar."""

    name: Annotated[Name, Meta(description="What the calendar is called.", examples=["Jazz"])]
    description: Annotated[LongText, Meta(description="What the calendar is about.")] | None = None
    color: Color = "#2f6fde"
    time_zone: Annotated[TimeZone, Meta(description="The zone of times without an offset; yours by default.")] | None = None
    public: Annotated[bool, Meta(description="Whether everyone sees the calendar; its events follow by default.")] = False
    moderation: Moderation = "guests"
    party_max: PartyMax | None = None
    confirmations: Confirmations = "on"
    confirm_responses: ConfirmResponses = "none"
    confirm_above: ConfirmAbove = 10
    hold_minutes: HoldMinutes = 60
    scheduling: Scheduling = "on"


class Sharing(Struct, kw_only=True):
    """The person to share a calendar with, and their role."""

    user_name: NameOrCheckedAddress
    role: Role = "viewer"


class Unsharing(Struct, kw_only=True):
    """The person to stop sharing a calendar with."""

    OPTIONS: ClassVar = StructOptions(
        rules={
            "block": "goes with your own user name, when you leave a calendar",
            "events": "for the calendar's owner",
            "withdraw_invitations": "for the calendar's owner",
            "reset_links": "for the calendar's owner",
        }
    )

    user_name: Annotated[NameOrAddress, Meta(description="As it was shared: the user name or the e-mail address. Your own, to leave it.")]
    block: Annotated[bool, Meta(description="With your own name: block the calendar's owner, too.")] = False
    events: Annotated[
        Literal["take_over", "keep", "remove"],
        Meta(
            description="What becomes of the events that they created on the calendar: `take_over` makes you their owner, `keep` leaves "
            "them with the name of their creator, who cannot change them, and `remove` deletes them."
        ),
    ] = "take_over"
    withdraw_invitations: Annotated[bool, Meta(description="Withdraw their invitations to events of the calendar.")] = False
    reset_links: Annotated[bool, Meta(description="Replace the links of the calendar's events that are seen by a link.")] = False


class LeftEvent(Struct, frozen=True):
    """An event that an editor leaves behind."""

    id: int
    title: str
    start_time: Instant


class LeftInvitation(Struct, frozen=True):
    """An invitation that an editor leaves behind: to an event, or to a series."""

    id: int
    event_id: int | None
    series_id: int | None
    address: str


class LeftBehind(Struct, frozen=True, kw_only=True):
    """What somebody leaves on a calendar, up to 100 of each: events that they created, people whom they invited, and events that are seen
    by a link, which an editor knows."""

    events: list[LeftEvent]
    events_total: int
    invitations: list[LeftInvitation]
    invitations_total: int
    links: list[LeftEvent]
    links_total: int


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
    user_name: str | UnsetType = UNSET
    name: str | UnsetType | None = UNSET
    email_address: str | UnsetType = UNSET


class CalendarItem(Struct, kw_only=True):
    """A calendar's limited fields."""

    id: int
    name: str
    color: str
    time_zone: str
    public: bool
    primary: bool
    role: OwnRole
    owner: Person
    updated_at: Instant


class CalendarDetail(CalendarItem, kw_only=True):
    """A calendar's expanded fields; `shares` for its owner only, and the `feed_url` of a private one for its owner and editors."""

    description: str | None
    moderation: Moderation
    party_max: int | None
    confirmations: Confirmations
    confirm_responses: ConfirmResponses
    confirm_above: int
    hold_minutes: int
    scheduling: Scheduling
    can_edit: bool
    feed_url: str | None
    created_at: Instant
    shares: list[Share] | UnsetType = UNSET


class Unshared(CalendarDetail, kw_only=True):
    """A calendar that is no longer shared with somebody, and for its owner what they left on it before `events`,
    `withdraw_invitations` and `reset_links` took effect."""

    left: LeftBehind | UnsetType = UNSET


class CalendarIndex(Struct):
    """A page of calendars."""

    calendars: list[CalendarItem]
    limit: int
    offset: int
    next: str | None
    total: int | UnsetType = UNSET
