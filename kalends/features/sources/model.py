"""Sources, calendars that live elsewhere: the input and the replies of the API."""

from typing import Annotated, ClassVar, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from kalends.core.records.source import PauseReason, RunState, SourceKind
from kalends.http.csv_file import Remark
from kalends.http.input.options import StructOptions
from kalends.http.input.tags import TagList
from kalends.http.input.types import CreatedAt, Id, Instant, Name, RecordId, UpdatedAt
from kalends.http.paging import Page, Paging

MAX_SOURCES = 50
MAX_SOURCES_OF_SITE = 500
# Events that an account may have from its sources.
QUOTA = 20_000
# Seconds between two runs that people ask for.
REFRESH_SECONDS = 60

State = Literal["fresh", "late", "held", "failing", "paused"]

SourceName = Annotated[Name, Meta(min_length=1, description="What it is called here; by default, its own name.")]
TitlePart = Annotated[str, Meta(max_length=200, description="Only events with this in their titles.")]
Republish = Annotated[
    bool,
    Meta(description="Whether its public events may be in public feeds, the sitemap and webhooks: say so only if the source allows it."),
]
Every = Annotated[
    int, Meta(ge=15, le=1440, description="Minutes between two fetches; by default as the source says, and an hour if it does not.")
]
NewPublic = Annotated[bool, Meta(description="Whether everyone sees its new events; those that are there stay as they are.")]


class SourceInput(Struct, kw_only=True):
    """A calendar to follow."""

    OPTIONS: ClassVar = StructOptions(rules={"url": "must lead to a calendar, or to a page with events or a link"}, refuses_unknown=True)

    url: Annotated[
        str,
        Meta(
            max_length=2_000,
            description="A calendar (https:// or webcal://), or a web page with events or a link to their calendar.",
            examples=["webcal://club.example/events.ics"],
        ),
    ]
    calendar_id: Annotated[Id, Meta(description="The calendar that gets the events; without it, a new one with this name.")] | None = None
    name: SourceName | None = None
    public: NewPublic = False
    republish: Republish = False
    tag_list: TagList = ""
    title_contains: TitlePart = ""
    interval: Every | None = None


class AddressImport(Struct, kw_only=True):
    """A calendar to import once, and the calendar here that gets its events."""

    OPTIONS: ClassVar = StructOptions(rules={"url": "must lead to a calendar, or to a page with events or a link"}, refuses_unknown=True)

    url: Annotated[str, Meta(max_length=2_000, description="As of a source; also of a ZIP archive with calendar files.")]
    calendar_id: Annotated[Id, Meta(description="The calendar to import into; your primary one by default.")] | None = None
    public: Annotated[bool, Meta(description="Whether everyone sees the events; by default as the file or the calendar says.")] | None = (
        None
    )


class SourceFields(Struct, kw_only=True):
    """The editable fields of a source."""

    OPTIONS: ClassVar = StructOptions(refuses_unknown=True)

    name: SourceName
    public: NewPublic = False
    republish: Republish = False
    tag_list: TagList = ""
    title_contains: TitlePart = ""
    interval: Every | None = None
    paused: Annotated[bool, Meta(description="Whether it is not fetched; `false` fetches it at once.")] = False


class SourceQuery(Paging, kw_only=True, frozen=True):
    """Which sources to list."""

    calendar_id: Annotated[Id, Meta(description="Those of this calendar alone.")] | None = None


class SourceEnd(Struct, kw_only=True):
    """What becomes of the events of a source that ends."""

    events: Annotated[
        Literal["keep", "delete"],
        Meta(description="`keep`: they become ordinary events. `delete`: those to come go; with responses, they are cancelled."),
    ] = "keep"


class RunDecision(Struct, kw_only=True):
    """The decision about a run that was held back."""

    OPTIONS: ClassVar = StructOptions(rules={"accepted": "must be true: what is not accepted stays held back"})

    accepted: Annotated[bool, Meta(description="`true`: apply what was held back.")]


class Found(Struct):
    """What was found at an address."""

    kind: Annotated[
        SourceKind, Meta(description="A calendar file, a page that leads to one (`linked`), or a page that describes its events.")
    ]
    name: Annotated[str, Meta(description="What it calls itself.")]
    events: Annotated[int, Meta(description="Number of events, dates of series included.")]
    first: Annotated[Instant | None, Meta(description="Start of the first event, in UTC.")]
    last: Annotated[Instant | None, Meta(description="Start of the last event that is created now, in UTC.")]
    titles: Annotated[list[str], Meta(description="Titles of up to five events that come next.")]
    skipped: Annotated[int, Meta(description="Entries that cannot be read, or that come from this service.")]
    remarks: Annotated[list[Remark], Meta(description="What is left out, and why; at most 20.")]


class SourceItem(Struct, kw_only=True):
    """A calendar that is followed."""

    id: RecordId
    calendar_id: Annotated[int, Meta(description="Id of the calendar that has its events.")]
    user_id: Annotated[int, Meta(description="Id of the user who follows it.")]
    url: Annotated[str, Meta(description="Its address, without a name and password; only its host for people other than its follower.")]
    kind: Annotated[SourceKind, Meta(description="What it is: a calendar file, a page that leads to one, or a page with events.")]
    name: SourceName
    public: NewPublic
    republish: Republish
    tag_list: Annotated[str, Meta(description="Comma-delimited tags that its new events get.")]
    title_contains: TitlePart
    interval: Every | None
    state: Annotated[
        State,
        Meta(description="`fresh`; `late`: overdue; `held`: the last run is held back; `failing`: the last run failed; or `paused`."),
    ]
    reason: Annotated[str, Meta(description="What was wrong with the last run, in one sentence; empty if nothing was.")]
    paused: Annotated[
        PauseReason | None,
        Meta(description="Why it is not fetched: somebody said so, it failed for 7 days, or its owner may no longer edit the calendar."),
    ]
    good_at: Annotated[Instant | None, Meta(description="When it was last read without a problem, in UTC.")]
    next_at: Annotated[Instant | None, Meta(description="When it is fetched next, in UTC; null while it is paused.")]
    created_at: CreatedAt
    updated_at: UpdatedAt


class SourceDetail(SourceItem, kw_only=True):
    """A calendar that is followed from now on, and what was found there."""

    found: Annotated[Found | UnsetType, Meta(description="What was found.")] = UNSET


class SourceIndex(Page):
    """A page of sources."""

    sources: Annotated[list[SourceItem], Meta(description="The sources.")]


class RunItem(Struct, kw_only=True):
    """What a fetch led to."""

    id: RecordId
    state: Annotated[RunState, Meta(description="`applied`, `unchanged`, `held` (nothing changes before somebody accepts it) or `failed`.")]
    status: Annotated[int | None, Meta(description="HTTP status; null if there was no response.")]
    bytes: Annotated[int, Meta(description="Size of the response.")]
    created: Annotated[int, Meta(description="How many events and series were created.")]
    changed: Annotated[int, Meta(description="How many were changed.")]
    removed: Annotated[int, Meta(description="How many are no longer in the source.")]
    reason: Annotated[str, Meta(description="Why nothing changed, in one sentence; empty if nothing was wrong.")]
    can_accept: Annotated[bool, Meta(description="Whether what was held back can be accepted.")]
    created_at: CreatedAt


class RunIndex(Page):
    """A page of runs, newest first."""

    runs: Annotated[list[RunItem], Meta(description="The last 50 runs, newest first.")]


class Detached(Struct):
    """An event that is no longer of a source."""

    event_id: Annotated[int, Meta(description="Id of the event.")]
