"""Feeds: the events of a calendar or a query as an iCalendar file, with each series as one rule and its exceptions."""

from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from msgspec import structs

from kalends import policy
from kalends.core.records.calendar import Calendar, MemberCalendars, Searched
from kalends.core.records.event import Event
from kalends.core.values import datetimes, timestamps
from kalends.db.database import batches
from kalends.features.events import store
from kalends.features.events.feeds.steps import ical
from kalends.features.events.listing.query_model import EventQuery, encode_cursor
from kalends.features.events.listing.store import listing
from kalends.features.events.model import ACCESS, COORDINATES, PARTS, STATUS
from kalends.features.events.placements import store as placements
from kalends.features.events.reminders.steps.alarms import find_triggers
from kalends.features.events.rules.uid import own_uid
from kalends.features.events.series import store as series_store
from kalends.features.events.series.rules.occurrence import occurrence_span, seconds_of_day
from kalends.features.events.series.rules.rule import parse_text
from kalends.features.events.series.steps import occurrences
from kalends.features.events.series.store import Series
from kalends.http.context import Context
from kalends.http.paging import MAX_PAGE
from kalends.ical.canonical_rule import format_until

# A calendar with more events shows its latest ones.
MAX_EVENTS = 20_000
MAX_FOR_GUESTS = 2_000
SERIES_AT_ONCE = 20

# What the component of an event has beside what an event has.
MoreLines = Callable[[Event], Sequence[str]]

_CONTENT = ("title", "description", "all_day", "time_zone", "location", "image_url", "tags", *STATUS, *PARTS, *ACCESS, *COORDINATES)


def build_for_calendar(ctx: Context, calendar: Calendar, *, has_alarms: bool = False) -> bytes:
    """All events of the calendar that the reader can see. has_alarms: with their reminders."""
    before = placements.start_before_latest(ctx, calendar.id, MAX_EVENTS)
    since = None if before is None else timestamps.format_utc(before + 1)
    found = list(_find(ctx, EventQuery(calendar_id=calendar.id, start_time=since), [calendar], MAX_EVENTS))
    events = _separate(ctx, found if calendar.is_member else policy.without_withheld(ctx, found), [calendar])
    components, years = format_all(ctx, _complete_series(ctx, calendar, events) if since else events, has_alarms=has_alarms)
    return ical.join_file(components, years, ical.feed_properties(calendar.name, calendar.description, calendar.color))


def build_for_query(ctx: Context, query: EventQuery, calendars: Searched | None, limit: int | None, *, has_alarms: bool = False) -> bytes:
    """The events of a query. Series become rules only if the query selects calendars alone and the feed has all of their events."""
    is_unfiltered = structs.replace(query, calendar_id=None, calendar_ids=None, limit=0, offset=0, count=False) == EventQuery(limit=0)
    events = list(_find(ctx, query, calendars, MAX_EVENTS if limit is None else min(limit, MAX_EVENTS)))
    is_whole = limit is None and is_unfiltered and len(events) < MAX_EVENTS
    if not isinstance(calendars, MemberCalendars):
        events = policy.without_withheld(ctx, events)
    if not is_whole:
        return ical.build_file(events, ctx.settings, find_triggers(ctx, events) if has_alarms else ical.NO_TRIGGERS)
    return ical.join_file(*format_all(ctx, _separate(ctx, events, calendars), has_alarms=has_alarms))


def public_version(ctx: Context) -> tuple[int, ...]:
    """Numbers that change with the events in the feed of all public events."""
    return store.public_version(ctx, MAX_EVENTS)


def _separate(ctx: Context, events: list[Event], calendars: Searched | None) -> list[Event]:
    """The events; those of which a guest has one date alone, on one of the calendars, without their series."""
    ids = [event.id for event in events if event.series_id is not None and not event.can_edit and not event.public]
    calendar_ids = None if calendars is None or isinstance(calendars, MemberCalendars) else [calendar.id for calendar in calendars]
    alone = placements.find_alone(ctx, calendar_ids, ids)
    return [structs.replace(event, series_id=None) if event.id in alone else event for event in events]


def _complete_series(ctx: Context, calendar: Calendar, events: list[Event]) -> list[Event]:
    """The events and the rest of their series: programs take dates of a rule that the feed lacks for deleted. If that would be too
    many, the events of the remaining series are shown as single ones."""
    listed = {event.id for event in events}
    complete: set[int | None] = set()
    rest: list[Event] = []
    for series_ids in batches(sorted({event.series_id for event in events if event.series_id is not None}), SERIES_AT_ONCE):
        if len(rest) > MAX_EVENTS:
            break
        placed = policy.reveal_all(ctx, store.find_placed_series(ctx, calendar, list(series_ids)))
        rest += [event for event in placed if event.id not in listed]
        complete.update(series_ids)
    rest.sort(key=lambda event: (event.start_at, event.id))
    return [*rest, *(event if event.series_id in complete else structs.replace(event, series_id=None) for event in events)]


def _find(ctx: Context, query: EventQuery, calendars: Searched | None, limit: int) -> Iterator[Event]:
    """The first events of the query, read page by page."""
    zone = ctx.actor.time_zone if ctx.actor else "UTC"
    query = structs.replace(query, limit=min(limit, MAX_PAGE))
    examined = listing.examine(ctx, query, calendars, zone)
    while limit > 0 and (rows := listing.find(ctx, query, calendars, zone, examined=examined)):
        page, limit = rows[: min(query.size, limit)], limit - query.size
        yield from policy.reveal_all(ctx, store.find_by_ids(ctx, [row.id for row in page]))
        if len(rows) <= query.size:
            return
        query = structs.replace(query, offset=0, after=encode_cursor(page[-1]))


def format_all(ctx: Context, events: list[Event], *, has_alarms: bool = False) -> tuple[list[str], ical.Years]:
    """The events as components, each series at the place of its first event; and the years for which time zones are needed."""
    series, exceptions = load_series(ctx, list({event.series_id: None for event in events if event.series_id is not None}))
    triggers = find_triggers(ctx, events) if has_alarms else ical.NO_TRIGGERS
    return format_loaded(ctx, events, series, exceptions, lambda event: ical.format_alarms(event, triggers))


def format_loaded(
    ctx: Context,
    events: list[Event],
    series: dict[int, Series],
    exceptions: dict[int, set[str]],
    more_lines: MoreLines,
) -> tuple[list[str], ical.Years]:
    """The events as components, like `format_all`, with series that are loaded already and further lines for each event."""
    members: dict[int, list[Event]] = {}
    for event in events:
        if event.series_id is not None:
            members.setdefault(event.series_id, []).append(event)
    written: set[int] = set()
    components: list[str] = []
    years: ical.Years = {}
    for event in events:
        if event.series_id is None or event.slot is None:
            uid = ical.event_uid(event, ctx.settings)
            components.append(ical.format_event(event, ctx.settings, uid, more=more_lines(event)))
            ical.add_years(years, event)
        elif event.series_id in series and event.series_id not in written:
            written.add(event.series_id)
            deleted = exceptions.get(event.series_id, set())
            components += _format_series(ctx, series[event.series_id], members[event.series_id], deleted, years, more_lines)
    return components, years


def load_series(ctx: Context, ids: list[int]) -> tuple[dict[int, Series], dict[int, set[str]]]:
    """The series, and the slots of each that were deleted alone."""
    found: dict[int, Series] = {}
    exceptions: dict[int, set[str]] = {}
    for batch in batches(ids, MAX_PAGE):
        found |= {series.id: series for series in series_store.find_by_ids(ctx, list(batch))}
        for series_id, slot in series_store.find_exceptions(ctx, list(batch)):
            exceptions.setdefault(series_id, set()).add(slot)
    return found, exceptions


def _format_series(
    ctx: Context, series: Series, events: list[Event], deleted: set[str], years: ical.Years, more_lines: MoreLines
) -> Iterator[str]:
    """A component with the rule, and one for each event that departs from it."""
    by_slot = {event.slot: event for event in events if event.slot is not None}
    for event in by_slot.values():
        ical.add_years(years, event)
    pattern = _find_pattern(series, [by_slot[slot] for slot in sorted(by_slot) if not by_slot[slot].edited])
    if pattern is None:
        for event in by_slot.values():
            yield ical.format_event(event, ctx.settings, ical.event_uid(event, ctx.settings), more=more_lines(event))
        return
    uid = series.uid or own_uid(ctx.settings, series.id, "series")
    more = more_lines(pattern)
    yield _format_rule(ctx, series, pattern, by_slot, deleted, uid, more)
    for slot, event in by_slot.items():
        own_lines = more_lines(event)
        if not _follows_rule(event, pattern, series, slot) or own_lines != more:
            times = [_format_slot("RECURRENCE-ID", series, pattern, slot), *ical.format_times(event)]
            yield ical.format_event(structs.replace(event, version=series.version), ctx.settings, uid, times, own_lines)


def _find_pattern(series: Series, regular: list[Event]) -> Event | None:
    """The event that the component of the rule describes: the first that has the regular time and length, without a DST change.
    A single event that meets one is described alone: an importer could not tell its time from one that was changed."""
    return next((event for event in regular if not _meets_dst_change(series, event)), regular[0] if len(regular) > 1 else None)


def _meets_dst_change(series: Series, event: Event) -> bool:
    if event.all_day or event.end_at is None:
        return False
    start = datetimes.to_local(event.start_at, event.time_zone)
    return seconds_of_day(start) != series.clock or _local_length(event) != event.end_at - event.start_at


def _format_rule(
    ctx: Context, series: Series, pattern: Event, by_slot: dict[str, Event], deleted: set[str], uid: str, more: Sequence[str]
) -> str:
    """The component of the rule, with an EXDATE for each slot without an event, and an RDATE for each added date."""
    rule = series.rule
    # An endless rule may begin later, if its first occurrences are dates beside it.
    slots = [day.isoformat() for day in rule.own_dates(max(date.fromisoformat(series.made_until), rule.start))]
    first = structs.replace(pattern, **_span(pattern, series, slots[0]))
    times = ical.format_times(first) if pattern.all_day else _format_first(pattern, series, slots[0])
    added = [_format_slot("RDATE", series, pattern, day.isoformat()) for day in rule.also if day.isoformat() in by_slot]
    # Of an endless rule, the file that it came from may except dates for which no events have been created yet.
    missing = [*slots, *sorted(slot for slot in deleted if slot > slots[-1])] if rule.is_endless else slots
    exceptions = [_format_slot("EXDATE", series, pattern, slot) for slot in missing if slot not in by_slot]
    newest = structs.replace(pattern, version=series.version, updated_at=max(e.updated_at for e in by_slot.values()))
    lines = [*times, _format_rrule(series, pattern, slots[-1]), *added, *exceptions]
    return ical.format_event(newest, ctx.settings, uid, lines, more)


def _format_first(pattern: Event, series: Series, slot: str) -> list[str]:
    """The start of the first occurrence in local time, even in a DST gap, and its length."""
    start = ical.format_local("DTSTART", _local_start(series, slot), pattern.time_zone)
    return [start, f"DURATION:PT{length}S"] if (length := _local_length(pattern)) else [start]


def _local_length(event: Event) -> int:
    """The length in local time, in seconds."""
    if event.end_at is None:
        return 0
    first, last = (datetimes.to_local(instant, event.time_zone).replace(tzinfo=None) for instant in (event.start_at, event.end_at))
    return int((last - first).total_seconds())


def _format_rrule(series: Series, pattern: Event, last: str) -> str:
    """The RRULE; its end is the start of the last occurrence, in UTC as RFC 5545 demands."""
    rule = parse_text(series.rrule)
    if rule.until is None:
        return f"RRULE:{series.rrule}"
    last_start = occurrences.slot_instant(series, pattern, last)
    until = last.replace("-", "") if pattern.all_day else ical.format_instant("", last_start, "UTC")[1:]
    return f"RRULE:{series.rrule}".replace(f"UNTIL={format_until(rule.until)}", f"UNTIL={until}")


def _format_slot(name: str, series: Series, pattern: Event, slot: str) -> str:
    if pattern.all_day:
        return ical.format_date(name, date.fromisoformat(slot))
    return ical.format_local(name, _local_start(series, slot), pattern.time_zone)


def _local_start(series: Series, slot: str) -> datetime:
    return datetime.fromisoformat(slot) + timedelta(seconds=series.clock)


def _span(pattern: Event, series: Series, slot: str) -> dict[str, Any]:
    span = occurrence_span(pattern, date.fromisoformat(slot), series.clock)
    return {"start_at": span["start_at"], "end_at": span["end_at"]}


def _follows_rule(event: Event, pattern: Event, series: Series, slot: str) -> bool:
    """Whether every program computes this very event from the rule. Programs disagree if its start is in a DST gap, or DST changes
    while it lasts."""
    expected = structs.replace(pattern, **_span(pattern, series, slot))
    if (event.start_at, event.end_at) != (expected.start_at, expected.end_at):
        return False
    if not pattern.all_day:
        length = 0 if event.end_at is None else event.end_at - event.start_at
        local_start = datetimes.to_local(event.start_at, event.time_zone).replace(tzinfo=None)
        if length != _local_length(pattern) or local_start != _local_start(series, slot):
            return False
    return all(getattr(event, name) == getattr(pattern, name) for name in _CONTENT)
