"""Events: the replies of the API."""

from msgspec import UNSET, Struct, UnsetType

from kalends.comments.model import CommentItem
from kalends.deliveries.model import Told
from kalends.events.series.model import Repeat
from kalends.http.input.types import Deletion, Instant
from kalends.http.remarks import Remark
from kalends.questions.model import QuestionItem
from kalends.records.event import EventStatus, Visibility
from kalends.records.response import Tally
from kalends.records.response_settings import WaitingList, WaitingOrder
from kalends.values.person import Person

PARTS = ("location_name", "street", "city", "state", "zip", "country")
STATUS = ("status", "status_note")
MAX_LOCATION = 500
MAX_PART = 200


class CalendarName(Struct, frozen=True):
    """A calendar on which an event is placed."""

    id: int
    name: str


# gc=False: lists hold many of them, and none can be part of a reference cycle.
class EventItem(Struct, gc=False):
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
    status: EventStatus
    status_note: str | None
    calendar_ids: list[int]
    series_id: int | None
    uid: str
    url: str
    updated_at: Instant


class Places(Struct, frozen=True):
    """The places of an event with a capacity: those that are held or offered, those that are free, and how many people wait for one.
    over: how many more are held than there are."""

    capacity: int
    held: int
    free: int
    waiting: int
    over: int


class EventImage(Struct, frozen=True):
    """The picture of an event. The size of one that is elsewhere is not known."""

    url: str
    width: int | None
    height: int | None
    alt: str | None


class EventDetail(EventItem, kw_only=True):
    """An event's expanded fields."""

    description: str | None
    image: EventImage | None
    location_name: str | None
    street: str | None
    city: str | None
    state: str | None
    zip: str | None
    country: str | None
    owner: Person
    calendars: list[CalendarName]
    visibility: Visibility
    # For those who may edit the event, if its visibility is `link`.
    link_url: str | None
    repeat: Repeat | None
    party_max: int | None
    responses_open: bool
    responses_until: str | None
    capacity: int | None
    waiting_list: WaitingList
    waiting_order: WaitingOrder
    show_counts: bool
    approval: bool
    offer_hours: int
    places: Places | None
    responses: Tally | None
    questions: list[QuestionItem]
    comments_count: int
    can_edit: bool
    created_at: Instant
    comments: list[CommentItem] | UnsetType = UNSET
    # Of a write: how many people are notified of it.
    told: Told | UnsetType = UNSET


class EventRepeated(EventDetail, kw_only=True):
    """An event that was repeated, how many occurrences its series has now, and what became of those that it had."""

    occurrences: int
    kept: int
    created: int
    removed: int
    stranded: list[str]
    next_dates: list[str]


class EventIndex(Struct):
    events: list[EventItem]
    limit: int
    offset: int
    next: str | None
    total: int | UnsetType = UNSET
    # False if too many events may match to examine all of them; then there are at least `total`.
    total_is_exact: bool | UnsetType = UNSET


class ImportedEvent(Struct):
    """An event of an imported file, or the first of a series, with its UID in the file."""

    id: int
    title: str
    start_time: str
    uid: str


class EventImport(Struct, kw_only=True):
    """The result of an import: how many events and series are new, changed, unchanged or skipped, and the first 500 of them.
    The remarks say what could not be imported; beyond a thousand, only their number."""

    imported: int
    updated: int
    unchanged: int
    skipped: int
    events: list[ImportedEvent]
    remarks: list[Remark]


class EventsChanged(Struct):
    """Several events that were changed in one request, and whom that tells."""

    events: list[EventDetail]
    told: Told


class EventDeletion(Deletion):
    """The ids of the deleted events, and how many people are notified of it."""

    told: Told
