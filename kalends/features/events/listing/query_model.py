"""The parameters that list and show events."""

import re
from typing import Annotated, Any, ClassVar, Literal, cast

from msgspec import Meta, Struct

from kalends.core.records.event import EventRow
from kalends.core.values import datetimes
from kalends.features.events.input_model import Status
from kalends.features.events.model import EventDetail, EventItem
from kalends.features.events.rules.coordinates import parse_point
from kalends.features.events.rules.uid import Uid
from kalends.http.input.fields import reader
from kalends.http.input.options import FieldOptions, StructOptions
from kalends.http.input.readers import FieldInvalid, read_bool
from kalends.http.input.types import DATE_OR_TIME, Alarms, DateTime, EventLink, Id, Ids, TimeZone
from kalends.http.paging import FIELDS, Paging, read_fields

Cursor = Annotated[
    str,
    Meta(max_length=50, description="The cursor of the page, from `next`."),
    FieldOptions(pattern=r"^-?[0-9]{1,12}[.][0-9]{1,18}$"),
]

MAX_QUERY = 10_000
Query = Annotated[str, Meta(max_length=MAX_QUERY), FieldOptions(multiline=True)]


class CommentPage(Struct, kw_only=True):
    """Which of an event's comments to show."""

    limit: Annotated[int, Meta(ge=0, description="How many; at most 500 are returned.")] = 10
    offset: Annotated[int, Meta(ge=0, description="From which position, newest first.")] = 0


def _comment_page(value: Any) -> CommentPage | None:
    """`true`, or `comments[limit]` and `comments[offset]`."""
    if isinstance(value, dict):
        return cast(CommentPage, reader(CommentPage)(value))
    return CommentPage() if read_bool(value) else None


Comments = Annotated[
    CommentPage,
    Meta(description="`true` for the newest 10 comments."),
    FieldOptions(read=_comment_page, or_type=Annotated[bool, Meta(description="`true` for the newest 10 comments.")]),
]


def _item_fields(value: Any) -> list[str]:
    return read_fields(EventItem, value)


def _detail_fields(value: Any) -> list[str]:
    return read_fields(EventDetail, value)


ItemFields = Annotated[list[str], Meta(description=FIELDS), FieldOptions(read=_item_fields)]
DetailFields = Annotated[list[str], Meta(description=FIELDS), FieldOptions(read=_detail_fields)]


def _check_moment(value: str) -> str:
    if _SEQ.fullmatch(value):
        return value
    try:
        datetimes.parse(value)
    except ValueError as error:
        raise FieldInvalid(error.args[0]) from None
    return value


_SEQ = re.compile("[0-9]{1,18}")
Moment = Annotated[str, Meta(max_length=100), FieldOptions(check=_check_moment, schema={"format": DATE_OR_TIME})]


class LinkHolder(Struct, kw_only=True):
    """The link of someone who is no member."""

    link: EventLink | None = None


class EventView(Struct, kw_only=True, frozen=True):
    """What to show of an event."""

    OPTIONS: ClassVar = StructOptions(
        rules={
            "fields": "must name fields of an event",
            "comments": "goes without `comments[limit]` and `comments[offset]`, and without as_of",
            "as_of": "must be a time, or the number of a change",
        }
    )

    fields: DetailFields | None = None
    comments: Comments | None = None
    as_of: Annotated[Moment, Meta(description="The event as it was then: at a time, or after the change with this `seq`.")] | None = None
    link: EventLink | None = None


def _point(value: str) -> str:
    parse_point(value)
    return value


SEARCHED = ("text", "title", "description", "tags", "location", "location_name", "street", "city", "state", "zip", "country")


# Degrees of latitude, and of longitude.
_POINT = r"^[+-]?(90|[0-8]?[0-9](\.[0-9]{1,20})?)[,;][+-]?(180|(1[0-7][0-9]|[0-9]{1,2})(\.[0-9]{1,20})?)$"
Point = Annotated[str, Meta(max_length=100, examples=["48.8583,2.2945"]), FieldOptions(check=_point, schema={"pattern": _POINT})]


class EventQuery(Paging, kw_only=True, frozen=True):
    """Which events to list. All conditions that are sent must hold."""

    OPTIONS: ClassVar = StructOptions(
        rules={
            "scope": "goes without calendar_id and calendar_ids",
            "order": "is start_time where overlaps is true",
            "fields": "must name fields of the events in a list",
            **dict.fromkeys(SEARCHED, "may have words, phrases and tags of at most 100 characters and 5 stars each, 20 in all"),
        }
    )

    ids: Annotated[Ids, Meta(description="Only these of the events that you can see.")] | None = None
    calendar_id: Annotated[Id, Meta(description="One calendar to search.")] | None = None
    calendar_ids: Annotated[Ids, Meta(description="Calendars to search.")] | None = None
    start_time: Annotated[DateTime, Meta(description="Events that start at or after it.")] | None = None
    end_time: Annotated[DateTime, Meta(description="Events that end at or before it; a date alone counts to its end.")] | None = None
    series_id: Annotated[Id, Meta(description="Only the occurrences of this series.")] | None = None
    uid: Annotated[Uid, Meta(description="Only the event or series with this UID.")] | None = None
    status: Annotated[Status, Meta(description="Only events of this status.")] | None = None
    overlaps: Annotated[bool, Meta(description="Instead, all events that overlap the time from start_time to end_time.")] = False
    time_zone: Annotated[TimeZone, Meta(description="The zone of times without an offset.")] | None = None
    text: Annotated[Query, Meta(description='Words, each in some text field; "…" keeps words together, * is any characters.')] | None = None
    title: Annotated[Query, Meta(description="Words in the title.")] | None = None
    description: Annotated[Query, Meta(description="Words in the description.")] | None = None
    tags: Annotated[Query, Meta(description="Comma-delimited tags; all must be on the event. `jaz*` matches jazz.")] | None = None
    location: Annotated[Query, Meta(description="Words in the location.")] | None = None
    location_name: Annotated[Query, Meta(description="Words in the place's name.")] | None = None
    street: Annotated[Query, Meta(description="Words in the street.")] | None = None
    city: Annotated[Query, Meta(description="Words in the city.")] | None = None
    state: Annotated[Query, Meta(description="The state, whole; * is any characters.")] | None = None
    zip: Annotated[Query, Meta(description="The postal code, whole; * is any characters.")] | None = None
    country: Annotated[Query, Meta(description="The country, whole; * is any characters.")] | None = None
    near: (
        Annotated[Point, Meta(description="Events within `km` of this latitude and longitude, if everyone may know their place.")] | None
    ) = None
    km: Annotated[int, Meta(ge=1, le=500, description="How far from `near`, in kilometres.")] = 10
    scope: Annotated[Literal["public"], Meta(description="`public`: all public events, rather than those of your calendars.")] | None = None
    order: Annotated[Literal["start_time", "-start_time"], Meta(description="`-start_time`: the latest first.")] = "start_time"
    fields: ItemFields | None = None
    after: Cursor | None = None


class EventExport(EventQuery, kw_only=True, frozen=True):
    """Which events a calendar file has, and what it says of them."""

    OPTIONS: ClassVar = EventQuery.OPTIONS

    alarms: Alarms = False

    @property
    def query(self) -> EventQuery:
        """The query alone."""
        return EventQuery(**{name: getattr(self, name) for name in EventQuery.__struct_fields__})


def encode_cursor(event: EventRow) -> str:
    """The cursor after this event."""
    return encode_cursor_key((event.start_at, event.id))


def encode_cursor_key(key: tuple[int, int]) -> str:
    """The cursor after the event with this start and id."""
    return f"{key[0]}.{key[1]}"


def decode_cursor(cursor: str) -> tuple[int, int]:
    """The start and id of the event after which the next page begins."""
    start_at, _, event_id = cursor.partition(".")
    return int(start_at), int(event_id)
