"""The parameters that create and change events."""

from typing import Annotated, Any, ClassVar, Literal
from urllib.parse import urlsplit

from msgspec import Meta, Struct, field, structs

from kalends.core.i18n import gettext
from kalends.core.records.event import Audience, Visibility
from kalends.core.records.response_settings import DEFAULT_OFFER_HOURS, WaitingList, WaitingOrder
from kalends.core.values import phone
from kalends.core.values.picture import parse_path
from kalends.features.events.model import MAX_LOCATION, MAX_PART
from kalends.features.events.rules.coordinates import degrees_reader
from kalends.features.events.rules.uid import Uid
from kalends.http.input.fields import reader
from kalends.http.input.multipart import Upload
from kalends.http.input.options import FieldOptions, StructOptions
from kalends.http.input.readers import FieldInvalid
from kalends.http.input.tags import Tag, TagList
from kalends.http.input.types import DateTime, EmailAddress, EventLink, Id, Ids, LongText, Name, PartyMax, Scope, TimeZone

HTTP_ONLY = "must be an address that begins with http:// or https://"


def _url(value: str) -> str:
    # A picture of this service has a path.
    return value if parse_path(value) else _web_url(value)


def _web_url(value: str) -> str:
    try:
        address = urlsplit(value)
    except ValueError:
        raise FieldInvalid(HTTP_ONLY) from None
    if address.scheme not in ("http", "https") or not address.hostname or any(c.isspace() for c in value):
        raise FieldInvalid(HTTP_ONLY)
    return value


Url = Annotated[
    str,
    Meta(max_length=2_000),
    FieldOptions(check=_url, schema={"format": "uri"}),
]
WebUrl = Annotated[str, Meta(max_length=2_000), FieldOptions(check=_web_url, schema={"format": "uri"})]
Latitude = Annotated[float, FieldOptions(read=degrees_reader(90), schema={"type": "number", "minimum": -90, "maximum": 90})]
Longitude = Annotated[float, FieldOptions(read=degrees_reader(180), schema={"type": "number", "minimum": -180, "maximum": 180})]
Location = Annotated[str, Meta(max_length=MAX_LOCATION)]
Part = Annotated[str, Meta(max_length=MAX_PART)]
AltText = Annotated[str, Meta(max_length=500, description="What the picture shows, for those who cannot see it.")]
Status = Annotated[Literal["planned", "cancelled", "postponed"], Meta(description="Whether it takes place.")]
StatusNote = Annotated[str, Meta(max_length=500, description="Why it is cancelled or postponed, for everyone who sees it.")]
ByDay = Annotated[str, Meta(max_length=5, examples=["MO", "2TU", "-1FR"])]
MonthDay = Annotated[int, Meta(ge=-31, le=31)]
Month = Annotated[int, Meta(ge=1, le=12)]
Position = Annotated[int, Meta(ge=-366, le=366)]


MAX_CAPACITY = 1_000_000
Capacity = Annotated[int, Meta(ge=1, le=MAX_CAPACITY, description="How many people can come; none by default.")]


NOTIFY = ("auto", "none", "going", "concerned", "all")
_read_ids = reader(Ids)


def _read_notify(value: Any) -> str:
    """One of the words, or ids delimited by commas."""
    if isinstance(value, str) and value in NOTIFY:
        return value
    try:
        ids = _read_ids(value)
    except FieldInvalid:
        ids = []
    if not ids:
        raise FieldInvalid(f"must be one of {', '.join(NOTIFY)}, or ids of responses", "not_a_choice")
    return ",".join(map(str, ids))


_NOTIFY_SCHEMA = {
    "type": ["string", "array"],
    "pattern": f"^({'|'.join(NOTIFY)})$",
    "items": {"type": "integer", "format": "int64", "minimum": 1, "maximum": 2**63 - 1},
    "minItems": 1,
    "maxItems": 500,
}
Notify = Annotated[
    str,
    Meta(
        description="Whom to notify by mail: `auto` (of a new time, place or status those who said YES or MAYBE or are invited, of all "
        "else nobody), `none`, `going`, `concerned` (YES and MAYBE, waiting ones too), `all` (also NO), or ids of responses."
    ),
    FieldOptions(read=_read_notify, takes_list=True, schema=_NOTIFY_SCHEMA),
]
NOTIFY_RULE = {"notify": "may have ids of responses to these events only"}
NoticeText = Annotated[str, Meta(max_length=2_000, description="What to add to the mail."), FieldOptions(multiline=True)]


class EventFields(Struct, kw_only=True):
    """The editable fields of an event."""

    OPTIONS: ClassVar = StructOptions(
        rules={
            "start_time": "must lie in the years 1900 to 9999 on the event's own clocks",
            "end_time": "must not be before start_time",
            "responses_until": "must lie in the years 1900 to 9999 on the event's own clocks",
            "location": "composed of its parts must have at most 500 characters",
            "tag": "must leave at most 100 tags",
            **dict.fromkeys(("image_url", "online_url", "ticket_url"), HTTP_ONLY),
            **dict.fromkeys(("latitude", "longitude"), "go together"),
            "status_note": "goes with the status cancelled or postponed",
            "visibility": "must say the same as public, if both are sent",
            "scope": "works with a single event only, not with ids",
        }
    )

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
    latitude: Annotated[Latitude, Meta(description="Degrees north of the equator; goes with longitude.")] | None = None
    longitude: Annotated[Longitude, Meta(description="Degrees east of Greenwich; goes with latitude.")] | None = None
    place_for: Annotated[
        Audience,
        Meta(description="Who knows the exact place: everyone, those who come, or members. Others get its city and country alone."),
    ] = "everyone"
    online_url: Annotated[WebUrl, Meta(description="The link by which people take part, of a call or a stream.")] | None = None
    online_for: Annotated[Audience, Meta(description="Who knows the link: everyone, those who come, or members.")] = "going"
    price: Annotated[str, Meta(max_length=200, description="What it costs, in words; 0 or `free` means nothing.")] | None = None
    ticket_url: Annotated[WebUrl, Meta(description="Where tickets are sold.")] | None = None
    image_url: Annotated[Url, Meta(description="Address of an image, http or https; uploaded ones have one of this service.")] | None = None
    image_alt: AltText | None = None
    tag_list: TagList = ""
    public: Annotated[bool, Meta(description="Whether everyone sees it; as its home calendar by default.")] | None = None
    visibility: (
        Annotated[Visibility, Meta(description="Who sees it: everyone, anyone who has its link, or the members of its calendars.")] | None
    ) = None
    party_max: PartyMax | None = None
    responses_open: Annotated[bool, Meta(description="Whether people can respond.")] = True
    responses_until: Annotated[DateTime, Meta(description="The last moment to respond; of a date, its end.")] | None = None
    capacity: Capacity | None = None
    waiting_list: Annotated[
        WaitingList, Meta(description="If it is full: no waiting list, one that seats people by itself, or one that offers them seats.")
    ] = "off"
    waiting_order: Annotated[
        WaitingOrder, Meta(description="Whether a waiting party that is too large for the free seats is passed over, or holds up the list.")
    ] = "fit"
    show_counts: Annotated[bool, Meta(description="Whether everyone sees how many come and how many places are free.")] = True
    approval: Annotated[bool, Meta(description="Whether a YES holds no place before an editor of the event has accepted it.")] = False
    offer_hours: Annotated[int, Meta(ge=1, le=336, description="For how many hours a place is offered.")] = DEFAULT_OFFER_HOURS
    status: Status = "planned"
    status_note: StatusNote | None = None


class BlankEvent(EventFields, kw_only=True):
    """The defaults of a new event."""

    calendar_id: Annotated[Id, Meta(description="The home calendar; your primary one by default.")]
    uid: Annotated[Uid, Meta(description="The UID by which other programs know it; a new one by default.")] | None = None


class EventInput(EventFields, kw_only=True):
    """The fields of a new event, or a file of events: the older way beside POST /api/events/import."""

    OPTIONS: ClassVar = structs.replace(
        EventFields.OPTIONS, never_ignored=frozenset({"calendar_ids"}), required_without_file=("title", "start_time")
    )

    title: Annotated[Name, Meta(description="What the event is called.")] = ""
    start_time: Annotated[DateTime, Meta(description="Start; a date alone makes an all-day event.")] = ""
    calendar_id: Annotated[Id, Meta(description="The home calendar; your primary one by default.")] | None = None
    uid: Annotated[Uid, Meta(description="The UID by which other programs know it; a new one by default.")] | None = None
    notify: Notify = "auto"
    message: NoticeText | None = None
    file: Annotated[Upload, Meta(description="An .ics file of events, instead of the fields of one.")] | None = None


class EventUpsert(EventFields, kw_only=True):
    """The fields of the event with this UID, which may be new."""

    OPTIONS: ClassVar = structs.replace(
        EventFields.OPTIONS, rules=EventFields.OPTIONS.rules | NOTIFY_RULE, same_in_query=frozenset({"uid"})
    )

    uid: Annotated[Uid, Meta(description="The UID by which other programs know it.")]
    calendar_id: Annotated[Id, Meta(description="The calendar that has it; your primary one by default.")] | None = None
    tag: Tag | None = None
    notify: Notify = "auto"
    message: NoticeText | None = None


class EventUid(Struct, kw_only=True):
    """The event or the series with this UID, to be deleted."""

    OPTIONS: ClassVar = StructOptions(rules=NOTIFY_RULE)

    uid: Annotated[Uid, Meta(description="The UID by which other programs know it.")]
    calendar_id: Annotated[Id, Meta(description="The calendar that has it; your primary one by default.")] | None = None
    notify: Notify = "auto"
    message: NoticeText | None = None


class EventFile(Struct, kw_only=True):
    """A file of events, and the calendar to import them into."""

    OPTIONS: ClassVar = StructOptions(rules={"file": "must be an iCalendar file"})

    file: Annotated[Upload, Meta(description="An .ics file, or a .zip file of them.")]
    calendar_id: Annotated[Id, Meta(description="The calendar to import into; your primary one by default.")] | None = None
    public: Annotated[bool, Meta(description="Whether everyone sees the events; by default as the file or the calendar says.")] | None = (
        None
    )
    time_zone: Annotated[TimeZone, Meta(description="The zone of times without one; the calendar's by default.")] | None = None


class ImageScope(Struct, kw_only=True):
    """Which dates of a series get the picture."""

    scope: Scope = "this"


class ImageInput(ImageScope, kw_only=True):
    """A picture for an event."""

    OPTIONS: ClassVar = StructOptions(rules={"file": "must be a JPEG, PNG, WebP or AVIF file of at most 8 MiB and 40 megapixels"})

    file: Annotated[Upload, Meta(description="A picture.")]
    alt: AltText | None = None


class EventChanges(EventFields, kw_only=True):
    """Changes of one event, of several in one request, or of a series."""

    OPTIONS: ClassVar = structs.replace(
        EventFields.OPTIONS,
        rules={
            **EventFields.OPTIONS.rules,
            **NOTIFY_RULE,
            "calendar_id": "moves the dates of a series together, with the scope all or following",
        },
    )

    calendar_id: Annotated[Id, Meta(description="The calendar to move it to.")] | None = None
    tag: Tag | None = None
    ids: Annotated[Ids, Meta(description="More events to change, all or none.")] | None = None
    scope: Scope = "this"
    notify: Notify = "auto"
    message: NoticeText | None = None


class EventIds(Struct, kw_only=True):
    """More events to act on."""

    OPTIONS: ClassVar = StructOptions(rules={"scope": "works with a single event only, not with ids", **NOTIFY_RULE})

    ids: Annotated[Ids, Meta(description="More events to delete, all or none.")] | None = None
    scope: Scope = "this"
    notify: Notify = "auto"
    message: NoticeText | None = None


class RepeatInput(Struct, kw_only=True):
    """How to repeat an event: by fields, or by a whole RRULE."""

    OPTIONS: ClassVar = StructOptions(
        rules={
            "frequency": "is required, unless there is an rrule; the rule must have a date",
            "end_date": "must not be before the start, nor make more than 1,000 occurrences",
            "by_day": "with a number goes with MONTHLY and YEARLY",
            "by_set_pos": "goes with by_day, by_month_day or by_month",
            **dict.fromkeys(("by_month", "by_month_day"), "must leave the rule a date in the next hundred years"),
            "count": "does not go with end_date",
            "rrule": "does not go with frequency, interval, end_date, count, short_months and the fields that begin with by_",
            "short_months": "last goes with MONTHLY and YEARLY, and with one day of the month",
            "except": "must not have a date of also",
            **NOTIFY_RULE,
        }
    )

    frequency: Annotated[Literal["DAILY", "WEEKLY", "MONTHLY", "YEARLY"], Meta(description="How often.")] | None = None
    interval: Annotated[int, Meta(ge=1, le=1_000, description="Every n-th day, week, month or year.")] = 1
    start_date: Annotated[DateTime, Meta(description="The first day of the repetition; the event's by default.")] | None = None
    end_date: Annotated[DateTime, Meta(description="The last day, inclusive; without it, the series has no end.")] | None = None
    by_day: Annotated[
        list[ByDay], Meta(max_length=100, description="Weekdays: MO,TH, or the second Tuesday 2TU, the last Friday -1FR.")
    ] = []
    by_month_day: Annotated[list[MonthDay], Meta(max_length=62, description="Days of the month: 1,15; the last one is -1.")] = []
    by_month: Annotated[list[Month], Meta(max_length=12, description="Months: 5,6.")] = []
    by_set_pos: Annotated[list[Position], Meta(max_length=100, description="Of these days, the n-th of each period; the last is -1.")] = []
    count: Annotated[int, Meta(ge=1, le=1_000, description="The number of occurrences, instead of end_date.")] | None = None
    rrule: Annotated[str, Meta(max_length=2_000, description="A whole RRULE (RFC 5545) instead of the fields.")] | None = None
    also: Annotated[list[DateTime], Meta(description="Dates beside the rule; deleted ones are created again.")] = []
    excepted: Annotated[list[DateTime], Meta(description="Dates of the rule to leave out.")] = field(name="except", default_factory=list)
    short_months: Annotated[Literal["skip", "last"], Meta(description="In months without the day: skip them, or take their last day.")] = (
        "skip"
    )
    notify: Notify = "auto"
    message: NoticeText | None = None


class CalendarChoice(Struct, kw_only=True):
    """The calendar of an action."""

    calendar_id: Annotated[Id, Meta(description="The calendar; your primary one by default.")] | None = None


def _mobile(value: str) -> str:
    dialled = phone.to_e164(value)
    if dialled is None:
        raise FieldInvalid(gettext("must be a phone number with its country code, such as +33 6 12 34 56 78"))
    if not phone.is_mobile(dialled):
        raise FieldInvalid(gettext("must be the number of a mobile phone: others get no SMS"))
    return dialled


class SendInput(Struct, kw_only=True):
    """Where to send an event: one of the two, or both."""

    OPTIONS: ClassVar = StructOptions(
        rules={
            "email": "is required of a guest, unless there is a mobile_number",
            "mobile_number": "must be a mobile number with its country code, of a country to which the site sends SMS",
        }
    )

    email: Annotated[EmailAddress, Meta(description="The e-mail address to send to.")] | None = None
    mobile_number: (
        Annotated[
            str,
            Meta(max_length=100, description="The mobile number to send to, with its country code.", examples=["+33 6 12 34 56 78"]),
            FieldOptions(check=_mobile, is_phone=True, schema={"format": "phone"}),
        ]
        | None
    ) = None
    opt_in: Annotated[bool, Meta(description="Whether to put the address on the event owner's list.")] = False
    link: EventLink | None = None
