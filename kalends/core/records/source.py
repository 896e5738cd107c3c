"""The rows of calendars that live elsewhere."""

from typing import Literal

from msgspec import Struct

SourceKind = Literal["calendar", "linked", "page"]
PauseReason = Literal["owner", "failing", "access"]
RunState = Literal["applied", "unchanged", "held", "failed"]


class NewSource(Struct, frozen=True):
    """What a source is inserted with."""

    calendar_id: int
    user_id: int
    url: str
    feed_url: str
    kind: SourceKind
    name: str
    public: bool
    republish: bool
    tag_list: str
    title_contains: str
    every: int | None
    suggested: int


class Source(NewSource, frozen=True):
    """A row of the table `sources`."""

    id: int
    paused: PauseReason | None
    etag: str
    modified: str
    digest: str
    unchanged: int
    failures: int
    checked_at: int | None
    good_at: int | None
    failing_since: int | None
    notified_at: int | None
    next_at: int
    leased_until: int
    created_at: int
    updated_at: int
    # How the last run ended, and what it says; None before the first one.
    last_state: RunState | None
    last_reason: str | None


class SourceRun(Struct, frozen=True):
    """A row of the table `source_runs`, without what was fetched."""

    id: int
    source_id: int
    state: RunState
    status: int | None
    size: int
    created: int
    changed: int
    removed: int
    reason: str
    accepted_at: int | None
    created_at: int
    # Whether what was held back can still be accepted.
    is_acceptable: bool


class SourceItem(Struct, frozen=True):
    """A row of the table `source_items`."""

    source_id: int
    uid: str
    digest: str
    event_id: int | None
    series_id: int | None
    page_url: str | None


class Origin(Struct, frozen=True):
    """Where an event comes from."""

    source_id: int
    name: str
    # The page of the event there; None: the source names none.
    page_url: str | None
    # Whether it may be in public feeds and search engines.
    republish: bool
