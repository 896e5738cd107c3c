"""Feeds: the events of a calendar or a query for other calendars, with each series as one rule and what departs from it."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Any

from msgspec import structs

from kalends import policy
from kalends.calendars.model import Calendar, Searched
from kalends.context import Context
from kalends.db.database import batches
from kalends.events import cursor, ical, listing
from kalends.events.model import PARTS, Event
from kalends.events.query import EventQuery
from kalends.events.series import store as series
from kalends.events.series.store import Series
from kalends.http.paging import MAX_PAGE
from kalends.values import datetimes, timestamps

# A calendar with more shows its latest ones.
MOST = 20_000
MOST_FOR_GUESTS = 2_000
SERIES_AT_ONCE = 20

_CONTENT = ("title", "description", "all_day", "time_zone", "location", "image_url", "tags", *PARTS)


def of_calendar(ctx: Context, calendar: Calendar) -> bytes:
    """The whole calendar, as far as the reader sees it."""
    since = _since(ctx, calendar)
    events = list(_events(ctx, EventQuery(calendar_id=calendar.id, start_time=since), [calendar], MOST))
    entries, years = _entries(ctx, _completed(ctx, calendar, events) if since else events)
    return ical.document(entries, years, ical.about(calendar.name, calendar.description, calendar.color))


def of_query(ctx: Context, query: EventQuery, calendars: Searched | None, most: int | None) -> bytes:
    """What a query finds: whole series as such if nothing but the calendars was asked for and all is shown, else each event by itself."""
    whole = structs.replace(query, calendar_id=None, calendar_ids=None, limit=0, offset=0, count=False) == EventQuery(limit=0)
    events = list(_events(ctx, query, calendars, MOST if most is None else min(most, MOST)))
    if most is not None or not whole or len(events) == MOST:
        return ical.calendar(events, ctx.settings)
    return ical.document(*_entries(ctx, events))


def public_version(ctx: Context) -> tuple[int, ...]:
    """What changes with the events in the feed of all public ones. (An id is never used again, and a version only grows.)"""
    rows = ctx.tx.rows(
        """SELECT count(*), coalesce(sum(id), 0), coalesce(sum(version), 0), coalesce(max(updated_at), 0) FROM (
               SELECT e.id, e.version, e.updated_at FROM events e WHERE e.public ORDER BY e.start_at, e.id LIMIT :most) AS listed""",
        most=MOST,
    )
    return tuple(int(value) for value in rows[0])


def _since(ctx: Context, calendar: Calendar) -> str | None:
    """When the latest ones begin, if there are more than a feed shows."""
    found = ctx.tx.value(
        "SELECT start_at FROM placements WHERE calendar_id = :id ORDER BY start_at DESC LIMIT 1 OFFSET :most", id=calendar.id, most=MOST
    )
    return None if found is None else timestamps.format_utc(found + 1)


def _completed(ctx: Context, calendar: Calendar, events: list[Event]) -> list[Event]:
    """The events and the rest of their series: what a rule has and a feed has not would be taken for deleted. Where that would be too
    many, they are shown one by one."""
    shown = {event.id for event in events}
    whole: set[int | None] = set()
    rest: list[Event] = []
    for some in batches(sorted({event.series_id for event in events if event.series_id is not None}), SERIES_AT_ONCE):
        if len(rest) > MOST:
            break
        rest += [event for event in _of_all_series(ctx, calendar, list(some)) if event.id not in shown]
        whole.update(some)
    rest.sort(key=lambda event: (event.start_at, event.id))
    return [*rest, *(event if event.series_id in whole else structs.replace(event, series_id=None) for event in events)]


def _of_all_series(ctx: Context, calendar: Calendar, ids: list[int]) -> list[Event]:
    return ctx.tx.all(
        Event,
        f"""{policy.SELECT_EVENTS} JOIN placements p ON p.event_id = e.id AND p.calendar_id = :calendar
            WHERE e.series_id IN {ctx.db.in_list("series")} AND {policy.placed_event_visible(ctx, calendar.is_member)}""",
        calendar=calendar.id,
        series=ids,
        me=policy.me(ctx),
    )


def _events(ctx: Context, query: EventQuery, calendars: Searched | None, most: int) -> Iterator[Event]:
    """What the query finds, page by page."""
    zone = ctx.actor.time_zone if ctx.actor else "UTC"
    asked = structs.replace(query, limit=min(most, MAX_PAGE))
    while most > 0 and (rows := listing.find(ctx, asked, calendars, zone)):
        page, most = rows[: min(asked.size, most)], most - asked.size
        yield from _load(ctx, [row.id for row in page])
        if len(rows) <= asked.size:
            return
        asked = structs.replace(asked, offset=0, after=cursor.encode(page[-1]))


def _load(ctx: Context, ids: list[int]) -> list[Event]:
    rows = ctx.tx.all(Event, f"{policy.SELECT_EVENTS} WHERE e.id IN {ctx.db.in_list('ids')}", ids=ids, me=policy.me(ctx))
    found = {event.id: event for event in rows}
    return [found[event_id] for event_id in ids]


def _entries(ctx: Context, events: list[Event]) -> tuple[list[str], ical.Years]:
    """The events as entries, each series where its first event stands; and the years in which clocks matter."""
    members: dict[int, list[Event]] = {}
    for event in events:
        if event.series_id is not None:
            members.setdefault(event.series_id, []).append(event)
    rules = _rules(ctx, list(members))
    entries: list[str] = []
    years: ical.Years = {}
    for event in events:
        if event.series_id is None or event.slot is None:
            entries.append(ical.entry(event, ctx.settings, ical.uid_of(event, ctx.settings)))
            ical.add_years(years, event)
        elif event.series_id in rules:
            entries += _of_series(ctx, rules.pop(event.series_id), members[event.series_id], years)
    return entries, years


def _rules(ctx: Context, ids: list[int]) -> dict[int, Series]:
    found: dict[int, Series] = {}
    for some in batches(ids, MAX_PAGE):
        found |= {each.id: each for each in series.of_ids(ctx, list(some))}
    return found


def _of_series(ctx: Context, rule: Series, events: list[Event], years: ical.Years) -> Iterator[str]:
    """One entry for the rule, and one for each event that departs from it."""
    held = {event.slot: event for event in events if event.slot is not None}
    for event in held.values():
        ical.add_years(years, event)
    pattern = next((held[slot] for slot in sorted(held) if not held[slot].edited), None)
    if pattern is None:
        yield from (ical.entry(event, ctx.settings, ical.uid_of(event, ctx.settings)) for event in held.values())
        return
    uid = rule.uid or ical.uid(ctx.settings, rule.id, "series")
    slots = [day.isoformat() for day in rule.rule.dates(date.fromisoformat(rule.made_until))]
    missing = [slot for slot in slots if slot not in held]
    first = structs.replace(pattern, **_moments(pattern, rule, slots[0]))
    master = [*(ical.own_times(first) if pattern.all_day else _timed(pattern, rule, slots[0])), _rrule(rule, pattern, slots[-1])]
    newest = structs.replace(pattern, version=max(e.version for e in held.values()), updated_at=max(e.updated_at for e in held.values()))
    yield ical.entry(newest, ctx.settings, uid, [*master, *(_at_slot("EXDATE", rule, pattern, slot) for slot in missing)])
    for slot, event in held.items():
        if not _is_regular(event, pattern, rule, slot):
            yield ical.entry(event, ctx.settings, uid, [_at_slot("RECURRENCE-ID", rule, pattern, slot), *ical.own_times(event)])


def _timed(pattern: Event, rule: Series, slot: str) -> list[str]:
    """The first occurrence by the clocks, even if they skip its time, and its length."""
    start = ical.wall("DTSTART", _wall(rule, slot), pattern.time_zone)
    return [start, f"DURATION:PT{length}S"] if (length := _length(pattern)) else [start]


def _length(event: Event) -> int:
    """How long it lasts by the clocks, in seconds."""
    if event.end_at is None:
        return 0
    first, last = (datetimes.to_local(instant, event.time_zone).replace(tzinfo=None) for instant in (event.start_at, event.end_at))
    return int((last - first).total_seconds())


def _rrule(rule: Series, pattern: Event, last: str) -> str:
    end = ""
    if rule.end_date is not None:
        end = ";UNTIL=" + (last.replace("-", "") if pattern.all_day else ical.moment("", series.at_slot(rule, pattern, last), "UTC")[1:])
    return f"RRULE:FREQ={rule.frequency};INTERVAL={rule.step}{end}"


def _at_slot(name: str, rule: Series, pattern: Event, slot: str) -> str:
    if pattern.all_day:
        return ical.day(name, date.fromisoformat(slot))
    return ical.wall(name, _wall(rule, slot), pattern.time_zone)


def _wall(rule: Series, slot: str) -> datetime:
    return datetime.fromisoformat(slot) + timedelta(seconds=rule.clock)


def _moments(pattern: Event, rule: Series, slot: str) -> dict[str, Any]:
    found = series.moved(pattern, date.fromisoformat(slot), rule.clock)
    return {"start_at": found["start_at"], "end_at": found["end_at"]}


def _is_regular(event: Event, pattern: Event, rule: Series, slot: str) -> bool:
    """Whether every reader of the rule makes this very event. When clocks skip its time or change while it lasts, some take it for
    another."""
    made = structs.replace(pattern, **_moments(pattern, rule, slot))
    if (event.start_at, event.end_at) != (made.start_at, made.end_at):
        return False
    if not pattern.all_day:
        lasts = 0 if event.end_at is None else event.end_at - event.start_at
        if lasts != _length(pattern) or datetimes.to_local(event.start_at, event.time_zone).replace(tzinfo=None) != _wall(rule, slot):
            return False
    return all(getattr(event, name) == getattr(pattern, name) for name in _CONTENT)
