"""Changes: the parameters and replies of the API."""

from typing import Annotated, ClassVar, Literal, get_args

from msgspec import UNSET, Meta, Struct, UnsetType

from kalends.calendars.model import CalendarItem
from kalends.comments.model import CommentItem
from kalends.contacts.model import ContactItem
from kalends.deliveries.model import Told
from kalends.events.input import NoticeText, Notify
from kalends.events.model import EventItem
from kalends.events.series.model import Repeat
from kalends.http.input.options import StructOptions
from kalends.http.input.types import Id, Instant
from kalends.journal.cursor import Cursor
from kalends.records.change import JournalKind, JournalOp, Kind, Way
from kalends.responses.model import ResponseItem
from kalends.values.person import Person

KINDS: tuple[Kind, ...] = get_args(Kind)
Op = Literal["put", "gone"]
MAX_CHANGES = 500


class ChangeQuery(Struct, kw_only=True):
    """Which changes to follow."""

    OPTIONS: ClassVar = StructOptions(rules={"cursor": "goes with the calendar_id and kinds with which it was made"})

    cursor: Cursor | None = None
    calendar_id: Annotated[Id, Meta(description="Only one calendar and what is on it, instead of all of yours.")] | None = None
    kinds: Annotated[list[Kind], Meta(max_length=6, description="Only records of these kinds.")] | None = None
    limit: Annotated[int, Meta(ge=1, description="About how many changes to return; more than 500 counts as 500.")] = 100


class ChangeWait(ChangeQuery, kw_only=True):
    """Which changes to follow, and how long to wait for one."""

    wait: Annotated[int, Meta(ge=0, le=60, description="Seconds to wait for a change if there is none since the cursor.")] = 0


class FieldChange(Struct):
    """A field of a record, before and after a change; null where there was no record, or no value."""

    field: str
    before: str | None
    after: str | None


class EventChange(Struct, kw_only=True):
    """A change of an event, or of what belongs to it, and what it changed."""

    seq: int
    at: Instant
    actor: Person | None
    via: Way
    kind: JournalKind
    op: JournalOp
    id: int
    fields: list[FieldChange]


class EventChangeIndex(Struct):
    changes: list[EventChange]
    limit: int
    offset: int
    next: str | None
    total: int | UnsetType = UNSET


class UndoInput(Struct, kw_only=True):
    """Whom an undo notifies: nobody, unless you say so."""

    notify: Notify = "none"
    message: NoticeText | None = None


class UndoneRecord(Struct):
    """A record that was put back as it was, or removed if it had been new."""

    kind: JournalKind
    id: int
    op: Op


class UndoResult(Struct):
    """The records that an undo changed, and those that it left as they are since someone changed them while it ran."""

    undone: list[UndoneRecord]
    left: list[UndoneRecord]
    told: Told


class TrashItem(Struct, kw_only=True):
    """Events that were deleted in one request: the last of them, and their number. A calendar that was deleted without events: its id, its
    name, and no time."""

    seq: int
    id: int
    title: str
    start_time: str | None
    calendar_id: int
    events: int
    deleted_at: Instant
    actor: Person | None


class TrashIndex(Struct):
    trash: list[TrashItem]
    limit: int
    offset: int
    next: str | None
    total: int | UnsetType = UNSET


class SeriesChange(Struct):
    """A series: its rule, and those of its dates that changed."""

    id: int
    repeat: Repeat
    events: list[EventItem]


class Change(Struct, kw_only=True):
    """A record that changed. `put`: the record as you may see it now, in the field that its kind names. `gone`: it was deleted, moved
    away, or is not visible to you any more."""

    kind: Kind
    op: Op
    id: int
    calendar: CalendarItem | UnsetType = UNSET
    event: EventItem | UnsetType = UNSET
    series: SeriesChange | UnsetType = UNSET
    comment: CommentItem | UnsetType = UNSET
    response: ResponseItem | UnsetType = UNSET
    contact: ContactItem | UnsetType = UNSET


class ChangeIndex(Struct):
    """The changes since the cursor, the next cursor, and whether there are more already."""

    changes: list[Change]
    cursor: str
    more: bool
