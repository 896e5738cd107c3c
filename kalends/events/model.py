"""What an event is."""

from typing import Annotated, Any, ClassVar, Literal, cast
from urllib.parse import urlsplit

from msgspec import UNSET, Meta, Struct, UnsetType

from kalends.comments.model import CommentItem
from kalends.http.input.fields import FieldInvalid, Upload, read_bool, reader
from kalends.http.input.tags import Tag, TagList
from kalends.http.input.types import DateTime, EmailAddress, Id, Ids, Instant, LongText, Name, PartyMax, TimeZone
from kalends.http.paging import Paging
from kalends.http.remarks import Remark
from kalends.http.sparse_fields import FIELDS, FieldNames, read_fields
from kalends.values import phone
from kalends.values.person import Person

PARTS = ("location_name", "street", "city", "state", "zip", "country")
MAX_QUERY = 10_000
MAX_LOCATION = 500
MAX_PART = 200
HTTP_ONLY = "must be an address that begins with http:// or https://"


def _url(value: str) -> str:
    try:
        address = urlsplit(value)
    except ValueError:
        raise FieldInvalid(HTTP_ONLY) from None
    if address.scheme not in ("http", "https") or not address.hostname or any(c.isspace() for c in value):
        raise FieldInvalid(HTTP_ONLY)
    return value


Url = Annotated[
    str,
    Meta(max_length=2_000, extra={"check": _url, "schema": {"format": "uri"}}),
]
Position = Annotated[
    str,
    Meta(max_length=50, description="Where the page before ended, as `next` says.", extra={"pattern": r"^-?[0-9]{1,12}[.][0-9]{1,18}$"}),
]
Location = Annotated[str, Meta(max_length=MAX_LOCATION)]
Part = Annotated[str, Meta(max_length=MAX_PART)]
Query = Annotated[str, Meta(max_length=MAX_QUERY, extra={"lines": True})]


Scope = Annotated[Literal["this", "following", "all"], Meta(description="Of a series: this event, it and the following, or all.")]


class EventFields(Struct, kw_only=True):
    """The editable fields of an event."""

    RULES: ClassVar = {
        "start_time": "must lie in the years 1900 to 9999 on the event's own clocks",
        "end_time": "must not be before start_time",
        "location": "composed of its parts must have at most 500 characters",
        "tag": "must leave at most 100 tags",
        "image_url": "must be an address that begins with http:// or https://",
        "scope": "goes with one event alone, not with ids",
    }

    title: Annotated[Name, Meta(description="What the event is called.")]
    start_time: Annotated[DateTime, Meta(description="Start; a date alone makes an all-day event.")]
    end_time: Annotated[DateTime, Meta(description="End; for an all-day event the last day, inclusive.")] | None = None
    all_day: Annotated[bool, Meta(description="Whether it takes whole days; follows from the form of start_time.")] | None = None
    time_zone: Annotated[TimeZone, Meta(description="The event's zone; the calendar's by default.")] | None = None
    description: Annotated[LongText, Meta(description="What it is about.")] | None = None
    location: Annotated[Location, Meta(description="Where; its parts are derived from it, and it is composed of them.")] | None = None
    location_name: Annotated[Part, Meta(description="Name of the place.")] | None = None
    street: Annotated[Part, Meta(description="Street and number.")] | None = None
    city: Annotated[Part, Meta(description="City.")] | None = None
    state: Annotated[Part, Meta(description="State or region.")] | None = None
    zip: Annotated[Part, Meta(description="Postal code.")] | None = None
    country: Annotated[Part, Meta(description="Country.")] | None = None
    image_url: Annotated[Url, Meta(description="Address of an image, http or https.")] | None = None
    tag_list: TagList = ""
    public: Annotated[bool, Meta(description="Whether everyone sees it; as its home calendar by default.")] | None = None
    party_max: PartyMax | None = None


class EventInput(EventFields, kw_only=True):
    """What it takes to create an event. A file of many may come instead: the older way, beside POST /api/events/import."""

    NEVER_IGNORED: ClassVar = frozenset({"calendar_ids"})
    OR_FILE: ClassVar = ("title", "start_time")

    title: Annotated[Name, Meta(description="What the event is called.")] = ""
    start_time: Annotated[DateTime, Meta(description="Start; a date alone makes an all-day event.")] = ""
    calendar_id: Annotated[Id, Meta(description="The home calendar; your primary one by default.")] | None = None
    tag: Tag | None = None
    file: Annotated[Upload, Meta(description="An .ics file of events, instead of the fields of one.")] | None = None


class EventFile(Struct, kw_only=True):
    """A file of events, and where they belong."""

    RULES: ClassVar = {"file": "must be an iCalendar file"}

    file: Annotated[Upload, Meta(description="An .ics file.")]
    calendar_id: Annotated[Id, Meta(description="The calendar to import into; your primary one by default.")] | None = None
    public: Annotated[bool, Meta(description="Whether everyone sees the events; by default as the file or the calendar says.")] | None = (
        None
    )
    time_zone: Annotated[TimeZone, Meta(description="The zone of times without one; the calendar's by default.")] | None = None


class EventChanges(EventFields, kw_only=True):
    """What may be changed of one event, of several at once, or of a series."""

    tag: Tag | None = None
    ids: Annotated[Ids, Meta(description="More events to change, all or none.")] | None = None
    scope: Scope = "this"


class EventIds(Struct, kw_only=True):
    """More events to act on."""

    RULES: ClassVar = {"scope": "goes with one event alone, not with ids"}

    ids: Annotated[Ids, Meta(description="More events to delete, all or none.")] | None = None
    scope: Scope = "this"


class CommentPage(Struct, kw_only=True):
    """Which of an event's comments to show."""

    limit: Annotated[int, Meta(ge=0, description="How many; more than 500 is answered with 500.")] = 10
    offset: Annotated[int, Meta(ge=0, description="From which position, newest first.")] = 0


def _comment_page(value: Any) -> CommentPage | None:
    """`true`, or `comments[limit]` and `comments[offset]`."""
    if isinstance(value, dict):
        return cast(CommentPage, reader(CommentPage)(value))
    return CommentPage() if read_bool(value) else None


Comments = Annotated[
    CommentPage,
    Meta(
        description="`true` for the newest 10 comments.",
        extra={"read": _comment_page, "instead": Annotated[bool, Meta(description="`true` for the newest 10 comments.")]},
    ),
]


def _item_fields(value: Any) -> list[str]:
    return read_fields(EventItem, value)


def _detail_fields(value: Any) -> list[str]:
    return read_fields(EventDetail, value)


ItemFields = Annotated[list[str], Meta(description=FIELDS, extra={"read": _item_fields, "like": FieldNames})]
DetailFields = Annotated[list[str], Meta(description=FIELDS, extra={"read": _detail_fields, "like": FieldNames})]


class EventView(Struct, kw_only=True):
    """What to show of an event."""

    RULES: ClassVar = {"fields": "must name fields of an event"}

    fields: DetailFields | None = None
    comments: Comments | None = None


class RepeatInput(Struct, kw_only=True):
    """How to repeat an event."""

    RULES: ClassVar = {"end_date": "must not be before the start, nor make more than 1,000 occurrences"}

    frequency: Annotated[Literal["DAILY", "WEEKLY", "MONTHLY", "YEARLY"], Meta(description="How often.")]
    interval: Annotated[int, Meta(ge=1, le=1_000, description="Every so many days, weeks, months or years.")] = 1
    start_date: Annotated[DateTime, Meta(description="The first day of the repetition; the event's by default.")] | None = None
    end_date: Annotated[DateTime, Meta(description="The last day, inclusive; without it, the series goes on.")] | None = None


class CalendarChoice(Struct, kw_only=True):
    """On which calendar."""

    calendar_id: Annotated[Id, Meta(description="The calendar; your primary one by default.")] | None = None


def _mobile(value: str) -> str:
    dialled = phone.to_e164(value)
    if dialled is None:
        raise FieldInvalid("must be a phone number with its country code, such as +33 6 12 34 56 78")
    return dialled


class SendInput(Struct, kw_only=True):
    """Where to send an event: one of the two, or both."""

    RULES: ClassVar = {
        "email": "is required of a guest, unless there is a mobile_number",
        "mobile_number": "must be a phone number with its country code",
    }

    email: Annotated[EmailAddress, Meta(description="The e-mail address to send to.")] | None = None
    mobile_number: (
        Annotated[
            str,
            Meta(
                max_length=100,
                description="The mobile number to send to, with its country code.",
                examples=["+33 6 12 34 56 78"],
                extra={"check": _mobile, "phone": True, "schema": {"format": "phone"}},
            ),
        ]
        | None
    ) = None
    opt_in: Annotated[bool, Meta(description="Whether to put the address on the event owner's list.")] = False


SEARCHED = ("text", "title", "description", "tags", "location", "location_name", "street", "city", "state", "zip", "country")


class EventQuery(Paging, kw_only=True):
    """Which events to list. All given conditions must hold."""

    RULES: ClassVar = {
        "scope": "goes without calendar_id and calendar_ids",
        "order": "is start_time where overlaps is true",
        "fields": "must name fields of the events in a list",
        **dict.fromkeys(SEARCHED, "may have words, phrases and tags of at most 100 characters and 5 stars each, 20 in all"),
    }

    ids: Annotated[Ids, Meta(description="Only these, as far as you may see them.")] | None = None
    calendar_id: Annotated[Id, Meta(description="One calendar to search.")] | None = None
    calendar_ids: Annotated[Ids, Meta(description="Calendars to search.")] | None = None
    start_time: Annotated[DateTime, Meta(description="Events that start at or after it.")] | None = None
    end_time: Annotated[DateTime, Meta(description="Events that end at or before it; a date alone counts to its end.")] | None = None
    series_id: Annotated[Id, Meta(description="Only the occurrences of this series.")] | None = None
    overlaps: Annotated[bool, Meta(description="Instead, all events that overlap the time from start_time to end_time.")] = False
    time_zone: Annotated[TimeZone, Meta(description="The zone of times without an offset.")] | None = None
    text: Annotated[Query, Meta(description='Words, each in some text field; "…" keeps words together, * is any characters.')] | None = None
    title: Annotated[Query, Meta(description="Words in the title.")] | None = None
    description: Annotated[Query, Meta(description="Words in the description.")] | None = None
    tags: Annotated[Query, Meta(description="Comma-delimited tags; all must be on the event. `jaz*` is any that begins so.")] | None = None
    location: Annotated[Query, Meta(description="Words in the location.")] | None = None
    location_name: Annotated[Query, Meta(description="Words in the place's name.")] | None = None
    street: Annotated[Query, Meta(description="Words in the street.")] | None = None
    city: Annotated[Query, Meta(description="Words in the city.")] | None = None
    state: Annotated[Query, Meta(description="The state, whole; * is any characters.")] | None = None
    zip: Annotated[Query, Meta(description="The postal code, whole; * is any characters.")] | None = None
    country: Annotated[Query, Meta(description="The country, whole; * is any characters.")] | None = None
    scope: Annotated[Literal["public"], Meta(description="`public`: all public events, rather than those of your calendars.")] | None = None
    order: Annotated[Literal["start_time", "-start_time"], Meta(description="`-start_time`: the latest first.")] = "start_time"
    fields: ItemFields | None = None
    after: Position | None = None


class Event(Struct, frozen=True):
    """A row of the table, with what the actor may do."""

    id: int
    owner_id: int
    calendar_id: int
    title: str
    description: str | None
    start_at: int
    end_at: int | None
    all_day: bool
    time_zone: str
    location: str | None
    location_name: str | None
    street: str | None
    city: str | None
    state: str | None
    zip: str | None
    country: str | None
    image_url: str | None
    tags: str
    public: bool
    series_id: int | None
    version: int
    created_at: int
    updated_at: int
    slot: str | None
    edited: bool
    uid: str | None
    owner_name: str
    can_edit: bool
    frequency: str | None
    step: int | None
    first_date: str | None
    last_date: str | None
    party_max: int | None
    calendar_party_max: int | None

    @property
    def party_limit(self) -> int | None:
        """The most people that one response may bring: the event's own limit, else its home calendar's."""
        return self.calendar_party_max if self.party_max is None else self.party_max

    @property
    def repeat(self) -> "Repeat | None":
        """The rule of its series."""
        if self.frequency is None or self.step is None or self.first_date is None:
            return None
        return Repeat(self.frequency, self.step, self.first_date, self.last_date)

    @property
    def etag(self) -> str:
        return f"{self.id}-{self.version}"


class EventRow(Struct, frozen=True):
    """What a list reads of an event; `placed` are the ids of its calendars, delimited by commas. `all_day` and
    `public` may be 0 or 1, as a database returns them: lists are long, and a Struct without bool fields loads fastest."""

    id: int
    title: str
    start_at: int
    end_at: int | None
    all_day: int
    time_zone: str
    location: str | None
    image_url: str | None
    tags: str
    public: int
    series_id: int | None
    updated_at: int
    placed: str


class CalendarName(Struct, frozen=True):
    """A calendar on which an event is placed."""

    id: int
    name: str


class Tally(Struct, frozen=True):
    """How many answered what; people is the sum of number + plus_n of the YES answers."""

    yes: int = 0
    maybe: int = 0
    no: int = 0
    people: int = 0


class Repeat(Struct, frozen=True):
    """The rule of a series."""

    frequency: str
    interval: int
    start_date: str
    end_date: str | None


class EventItem(Struct):
    """An event's limited fields."""

    id: int
    title: str
    start_time: str
    end_time: str | None
    all_day: bool
    time_zone: str
    location: str | None
    image_url: str | None
    tag_list: str
    tags: list[str]
    public: bool
    calendar_ids: list[int]
    series_id: int | None
    url: str
    updated_at: Instant


class EventDetail(EventItem, kw_only=True):
    """An event's expanded fields."""

    description: str | None
    location_name: str | None
    street: str | None
    city: str | None
    state: str | None
    zip: str | None
    country: str | None
    owner: Person
    calendars: list[CalendarName]
    repeat: Repeat | None
    party_max: int | None
    responses: Tally
    comments_count: int
    can_edit: bool
    created_at: Instant
    comments: list[CommentItem] | UnsetType = UNSET


class EventRepeated(EventDetail, kw_only=True):
    """An event that was repeated, and how many occurrences its series has now."""

    occurrences: int


class EventIndex(Struct):
    events: list[EventItem]
    limit: int
    offset: int
    next: str | None
    total: int | UnsetType = UNSET
    # False where so many events may match that not all of them were looked at: then there are at least `total`.
    total_is_exact: bool | UnsetType = UNSET


class ImportedEvent(Struct):
    """An event of an imported file, or the first of a series, and what it is called there."""

    id: int
    title: str
    start_time: str
    uid: str


class EventImport(Struct, kw_only=True):
    """What came from a file: of its events and series, how many are new, changed, as they were, or left out, and the first 500.
    What could not be kept is told; of a thousand and more, the number."""

    imported: int
    updated: int
    unchanged: int
    skipped: int
    events: list[ImportedEvent]
    remarks: list[Remark]


class EventsChanged(Struct):
    """Several events that were changed at once."""

    events: list[EventDetail]
