"""Events: the rows of the database, and the replies of the API."""

from msgspec import UNSET, Struct, UnsetType

from kalends.comments.model import CommentItem
from kalends.http.input.types import Instant
from kalends.http.remarks import Remark
from kalends.values.person import Person

PARTS = ("location_name", "street", "city", "state", "zip", "country")
MAX_LOCATION = 500
MAX_PART = 200


class Event(Struct, frozen=True):
    """A row of the table, with whether the actor may edit it."""

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


class EventRow(Struct, frozen=True, gc=False):
    """The columns of an event that a list reads; `placed` are the ids of its calendars, delimited by commas. `all_day` and
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
    """The number of responses of each kind; people is the sum of number + plus_n of the YES responses."""

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
    """Several events that were changed at once."""

    events: list[EventDetail]
