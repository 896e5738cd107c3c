"""Events: the replies of the API, and the cards of the pages."""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from kalends.core.records.event import Audience, CalendarName, EventStatus, Visibility
from kalends.core.records.people import Person
from kalends.core.records.response import Tally
from kalends.core.records.response_settings import WaitingList, WaitingOrder
from kalends.core.values.picture import Picture
from kalends.features.comments.model import CommentItem
from kalends.features.deliveries.model import Notified
from kalends.features.events.series.model import Repeat
from kalends.features.questions.model import QuestionItem
from kalends.http.csv_file import Remark
from kalends.http.input.types import CreatedAt, Deletion, RecordId, UpdatedAt
from kalends.http.paging import Page
from kalends.web.drawings import DEFAULT_COLOR

PARTS = ("location_name", "street", "city", "state", "zip", "country")
STATUS = ("status", "status_note")
# Where and how people take part, and what it costs, beside the texts of the place.
ACCESS = ("online_url", "online_for", "place_for", "price", "ticket_url")
COORDINATES = ("latitude", "longitude")
MAX_LOCATION = 500
MAX_PART = 200


# gc=False: lists hold many of them, and none can be part of a reference cycle.
class EventItem(Struct, gc=False):
    """An event's limited fields."""

    id: RecordId
    title: Annotated[str, Meta(description="Title of the event.")]
    start_time: Annotated[str, Meta(description="Start: RFC 3339 with the offset of the event's time zone; a date for an all-day event.")]
    end_time: Annotated[str | None, Meta(description="End, in the same form; for an all-day event the last day, inclusive.")]
    all_day: Annotated[bool, Meta(description="Whether the event takes whole days.")]
    time_zone: Annotated[str, Meta(description="IANA time zone, such as Europe/Paris.")]
    location: Annotated[str | None, Meta(description="Location in one line.")]
    image_url: Annotated[str | None, Meta(description="URL of the picture; an uploaded one has a URL of this service.")]
    tag_list: Annotated[str, Meta(description="Tags, comma-delimited.")]
    tags: Annotated[list[str], Meta(description="Tags, as an array.")]
    public: Annotated[bool, Meta(description="Whether everyone can see it.")]
    status: Annotated[EventStatus, Meta(description="Whether the event takes place: planned, cancelled or postponed.")]
    status_note: Annotated[str | None, Meta(description="Why it is cancelled or postponed; null if it is planned.")]
    calendar_ids: Annotated[list[int], Meta(description="Ids of the calendars that hold the event and that you can see, sorted.")]
    series_id: Annotated[int | None, Meta(description="Id of the series that the event belongs to.")]
    uid: Annotated[str, Meta(description="UID of the event in iCalendar files.")]
    url: Annotated[str, Meta(description="URL of the event's page.")]
    updated_at: UpdatedAt


class Places(Struct, frozen=True):
    """The places of an event with a capacity: those that are held or offered, those that are free, and how many people wait for one.
    over: how many more are held than there are."""

    capacity: Annotated[int, Meta(description="How many people can come.")]
    held: Annotated[int, Meta(description="Places that are held or offered.")]
    offered: Annotated[int, Meta(description="Places among these that are reserved for guests on the waiting list, and not taken yet.")]
    free: Annotated[int, Meta(description="Places that are free.")]
    waiting: Annotated[int, Meta(description="Number of people who wait for a place.")]
    over: Annotated[
        int, Meta(description="How many more places are held than there are: the capacity was lowered, or an editor let people in.")
    ]

    @property
    def going(self) -> int:
        """How many people come."""
        return self.held - self.offered

    @property
    def on_list(self) -> int:
        """How many people are on the waiting list."""
        return self.waiting + self.offered


class EventImage(Struct, frozen=True):
    """The picture of an event. The size of one that is elsewhere is not known."""

    url: Annotated[str, Meta(description="URL of the picture.")]
    width: Annotated[int | None, Meta(description="Width in pixels; null if the picture is elsewhere.")]
    height: Annotated[int | None, Meta(description="Height in pixels; null if the picture is elsewhere.")]
    alt: Annotated[str | None, Meta(description="What the picture shows, for those who cannot see it.")]


class EventDetail(EventItem, kw_only=True):
    """An event's expanded fields."""

    description: Annotated[str | None, Meta(description="Description; line breaks are kept.")]
    image: Annotated[EventImage | None, Meta(description="The picture; null if there is none.")]
    location_name: Annotated[str | None, Meta(description="Name of the place.")]
    street: Annotated[str | None, Meta(description="Street and number.")]
    city: Annotated[str | None, Meta(description="City.")]
    state: Annotated[str | None, Meta(description="State or region.")]
    zip: Annotated[str | None, Meta(description="Postal code.")]
    country: Annotated[str | None, Meta(description="Country.")]
    latitude: Annotated[float | None, Meta(description="Degrees north of the equator; null if not known to you.")]
    longitude: Annotated[float | None, Meta(description="Degrees east of Greenwich; null if not known to you.")]
    place_for: Annotated[
        Audience, Meta(description="Who knows the exact place. Others get its city and country alone, also in `location`.")
    ]
    has_place: Annotated[bool, Meta(description="Whether it takes place somewhere, which you need not know exactly.")]
    online: Annotated[bool, Meta(description="Whether people can take part by a link.")]
    online_url: Annotated[str | None, Meta(description="The link by which people take part; null if there is none that you may know.")]
    online_for: Annotated[Audience, Meta(description="Who knows the link.")]
    price: Annotated[str | None, Meta(description="What it costs, in words.")]
    ticket_url: Annotated[str | None, Meta(description="Where tickets are sold.")]
    owner: Annotated[Person, Meta(description="The owner.")]
    calendars: Annotated[list[CalendarName], Meta(description="The calendars that hold the event and that you can see.")]
    visibility: Annotated[
        Visibility,
        Meta(
            description="Who sees the event: everyone (public), anyone who has its link (link), or the members of its calendars (members)."
        ),
    ]
    # For those who may edit the event, if its visibility is `link`.
    link_url: Annotated[
        str | None,
        Meta(description="The link by which people without an account see the event, for those who may edit it; null if it has none."),
    ]
    repeat: Annotated[Repeat | None, Meta(description="The rule of the series.")]
    party_max: Annotated[int | None, Meta(description="The largest party (number + plus_n) that may respond; null for no limit.")]
    responses_open: Annotated[bool, Meta(description="Whether people can respond.")]
    responses_until: Annotated[str | None, Meta(description="The last moment to respond; null if there is none.")]
    capacity: Annotated[int | None, Meta(description="How many people can come; null for any number.")]
    waiting_list: Annotated[
        WaitingList,
        Meta(description="If the event is full: no waiting list, one that seats people by itself, or one that offers them places."),
    ]
    waiting_order: Annotated[
        WaitingOrder,
        Meta(description="Whether a waiting party too large for the free places is passed over (`fit`) or holds up the list (`strict`)."),
    ]
    show_counts: Annotated[bool, Meta(description="Whether everyone sees how many come and how many places are free.")]
    approval: Annotated[bool, Meta(description="Whether a YES holds no place before an editor has accepted it.")]
    offer_hours: Annotated[int, Meta(description="For how many hours a place is offered.")]
    places: Annotated[
        Places | None,
        Meta(description="The places of an event with a capacity; null without one, and for guests if the organiser hides the counts."),
    ]
    responses: Annotated[Tally | None, Meta(description="Counts of the responses to the event.")]
    questions: Annotated[list[QuestionItem], Meta(description="What is asked of those who say YES.")]
    comments_count: Annotated[int, Meta(description="Number of comments that you can see.")]
    can_edit: Annotated[bool, Meta(description="Whether you may change it.")]
    created_at: CreatedAt
    comments: Annotated[list[CommentItem] | UnsetType, Meta(description="The comments, newest first.")] = UNSET
    # Of a write: how many people are notified of it.
    notified: Annotated[
        Notified | UnsetType, Meta(description="How many people the write notifies; absent if it cannot notify anybody.")
    ] = UNSET


class EventRepeated(EventDetail, kw_only=True):
    """An event that was repeated, how many occurrences its series has now, and what became of those that it had."""

    occurrences: Annotated[int, Meta(description="Number of occurrences in the series.")]
    kept: Annotated[int, Meta(description="Number of events that stay in the series.")]
    created: Annotated[int, Meta(description="Number of events that are created.")]
    removed: Annotated[int, Meta(description="Number of events that are deleted.")]
    stranded: Annotated[
        list[str], Meta(description="Dates that no longer fit and have comments, responses or changes of their own: they leave the series.")
    ]
    next_dates: Annotated[list[str], Meta(description="The next five dates, with that of the event itself.")]


class EventIndex(Page):
    events: Annotated[list[EventItem], Meta(description="The events.")]
    # False if too many events may match to examine all of them; then there are at least `total`.
    total_is_exact: Annotated[
        bool | UnsetType, Meta(description="Whether `total` is exact; false if there are at least that many results.")
    ] = UNSET


class ImportedEvent(Struct):
    """An event of an imported file, or the first of a series, with its UID in the file."""

    id: RecordId
    title: Annotated[str, Meta(description="Title of the event.")]
    start_time: Annotated[str, Meta(description="Start: RFC 3339 with the offset of the event's time zone; a date for an all-day event.")]
    uid: Annotated[str, Meta(description="UID of the event in iCalendar files.")]


class EventImport(Struct, kw_only=True):
    """The result of an import: how many events and series are new, changed, unchanged or skipped, and the first 500 of them.
    The remarks say what could not be imported; beyond a thousand, only their number."""

    imported: Annotated[int, Meta(description="Number of new records.")]
    updated: Annotated[int, Meta(description="Number of records that were changed.")]
    unchanged: Annotated[int, Meta(description="Number of records that were the same already.")]
    skipped: Annotated[int, Meta(description="Number of entries that were left out.")]
    events: Annotated[list[ImportedEvent], Meta(description="The events.")]
    remarks: Annotated[list[Remark], Meta(description="What could not be imported, by line; at most 1,000.")]


class EventsChanged(Struct):
    """Several events that were changed in one request, and how many people that notifies."""

    events: Annotated[list[EventDetail], Meta(description="The events.")]
    notified: Annotated[Notified, Meta(description="How many people the write notifies; absent if it cannot notify anybody.")]


class EventDeletion(Deletion):
    """The ids of the deleted events, and how many people are notified of it."""

    notified: Annotated[Notified, Meta(description="How many people the write notifies; absent if it cannot notify anybody.")]


class CardDetail(Struct, frozen=True):
    """The colour of an event's calendar, how many people come, and whether there is no place left."""

    color: str = DEFAULT_COLOR
    people: int = 0
    is_full: bool = False


class Card(Struct, frozen=True):
    """An event, and where it is in few words; of a series, the next date and the rule."""

    event: EventItem
    place: str
    detail: CardDetail
    is_running: bool
    repeat: Repeat | None = None
    picture: Picture | None = None
