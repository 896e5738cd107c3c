"""Changes: the parameters and replies of the API."""

from typing import Annotated, ClassVar, Literal, get_args

from msgspec import UNSET, Meta, Struct, UnsetType

from kalends.core.records.change import JournalKind, JournalOp, Kind, Way
from kalends.core.records.people import Person
from kalends.features.calendars.model import CalendarItem
from kalends.features.changes.rules.cursor import Cursor
from kalends.features.comments.model import CommentItem
from kalends.features.contacts.model import ContactItem
from kalends.features.deliveries.model import Notified
from kalends.features.events.input_model import NOTIFY_RULE, NoticeText, Notify
from kalends.features.events.model import EventItem
from kalends.features.events.series.model import Repeat
from kalends.features.responses.model import ResponseItem
from kalends.http.input.options import StructOptions
from kalends.http.input.types import Id, Instant, RecordId
from kalends.http.paging import Page

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

    field: Annotated[str, Meta(description="Name of the field.")]
    before: Annotated[str | None, Meta(description="The value before the change; null where there was none.")]
    after: Annotated[str | None, Meta(description="The value after the change; null where there is none.")]


class EventChange(Struct, kw_only=True):
    """A change of an event, or of what belongs to it, and what it changed."""

    seq: Annotated[int, Meta(description="The number of the change, to undo it.")]
    set_id: Annotated[int, Meta(description="The number of the request that made it: its changes are undone together.")]
    at: Annotated[Instant, Meta(description="When it was changed, in UTC.")]
    actor: Annotated[Person | None, Meta(description="Who changed it; null for guests, the worker and accounts that were deleted.")]
    via: Annotated[Way, Meta(description="The way of the change.")]
    kind: Annotated[JournalKind, Meta(description="The kind of record.")]
    op: Annotated[JournalOp, Meta(description="What was done to the record.")]
    id: RecordId
    fields: Annotated[list[FieldChange], Meta(description="The fields that changed.")]


class EventChangeIndex(Page):
    changes: Annotated[list[EventChange], Meta(description="The changes, newest first.")]


class UndoInput(Struct, kw_only=True):
    """Whom an undo notifies: nobody, unless you say so."""

    OPTIONS: ClassVar = StructOptions(rules={**NOTIFY_RULE, "message": "needs a notify other than none"})

    notify: Notify = "none"
    message: NoticeText | None = None


class UndoneRecord(Struct):
    """A record that was put back as it was, or removed if it had been new."""

    kind: Annotated[JournalKind, Meta(description="The kind of record.")]
    id: RecordId
    op: Annotated[Op, Meta(description="`put`: it is as it was. `gone`: it was removed, since it had been new.")]


class UndoResult(Struct):
    """The records that an undo changed, and those that it left as they are since someone changed them while it ran."""

    undone: Annotated[list[UndoneRecord], Meta(description="The records that were put back or removed.")]
    left: Annotated[list[UndoneRecord], Meta(description="The records that someone changed meanwhile: they stay as they are.")]
    notified: Annotated[Notified, Meta(description="How many people the write notifies; absent if it cannot notify anybody.")]


class TrashItem(Struct, kw_only=True):
    """Events that were deleted in one request: the last of them, and their number. A calendar that was deleted without events: its id, its
    name, and no time."""

    seq: Annotated[int, Meta(description="The number of the change, to undo it.")]
    id: RecordId
    title: Annotated[str, Meta(description="Title of the event.")]
    start_time: Annotated[
        str | None, Meta(description="Start: RFC 3339 with the offset of the event's time zone; a date for an all-day event.")
    ]
    calendar_id: Annotated[int, Meta(description="Id of the event's home calendar.")]
    events: Annotated[int, Meta(description="How many events were deleted in the same request.")]
    deleted_at: Annotated[Instant, Meta(description="When it was deleted, in UTC.")]
    actor: Annotated[Person | None, Meta(description="Who changed it; null for guests, the worker and accounts that were deleted.")]


class TrashIndex(Page):
    trash: Annotated[list[TrashItem], Meta(description="What was deleted, newest first.")]


class SeriesChange(Struct):
    """A series: its rule, and those of its dates that changed."""

    id: RecordId
    repeat: Annotated[Repeat, Meta(description="The rule of the series.")]
    events: Annotated[list[EventItem], Meta(description="Those of its dates that changed.")]


class Change(Struct, kw_only=True):
    """A record that changed. `put`: the record as you may see it now, in the field that its kind names. `gone`: it was deleted, moved
    away, or is not visible to you any more."""

    kind: Annotated[Kind, Meta(description="The kind of record.")]
    op: Annotated[Op, Meta(description="`put`: the record is new or changed. `gone`: drop it.")]
    id: RecordId
    calendar: Annotated[CalendarItem | UnsetType, Meta(description="The calendar, for the kind `calendar`.")] = UNSET
    event: Annotated[EventItem | UnsetType, Meta(description="The event, for the kind `event`.")] = UNSET
    series: Annotated[SeriesChange | UnsetType, Meta(description="The series, for the kind `series`.")] = UNSET
    comment: Annotated[CommentItem | UnsetType, Meta(description="The comment, for the kind `comment`.")] = UNSET
    response: Annotated[ResponseItem | UnsetType, Meta(description="The response, for the kind `response`.")] = UNSET
    contact: Annotated[ContactItem | UnsetType, Meta(description="The contact, for the kind `contact`.")] = UNSET


class ChangeIndex(Struct):
    """The changes since the cursor, the next cursor, and whether there are more already."""

    changes: Annotated[list[Change], Meta(description="The changes, each record once.")]
    cursor: Annotated[str, Meta(description="Send it as `cursor` to get what changes from now on.")]
    more: Annotated[bool, Meta(description="Whether more has changed already; read on at once.")]
