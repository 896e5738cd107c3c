"""The SQL of events, and how they are answered."""

from collections.abc import Sequence
from typing import Any

from msgspec import structs
from msgspec.json import encode

from kalends import errors, policy, quotas
from kalends.calendars.model import Calendar
from kalends.comments import store as comments
from kalends.context import Context
from kalends.events import placements, search, span
from kalends.events.input import EventFields
from kalends.events.model import PARTS, CalendarName, Event, EventDetail, EventItem, EventRow, Tally
from kalends.events.span import Span
from kalends.responses import store as responses
from kalends.values.datetimes import format_instant
from kalends.values.person import Person
from kalends.values.timestamps import format_utc

_WRITTEN = (
    *("title", "description", "start_at", "end_at", "until_at", "all_day", "time_zone", "location", *PARTS),
    *("image_url", "tags", "public", "party_max", "search"),
)
_MOMENTS = ("start_at", "end_at", "until_at")
_IMPORTED = ("uid", "series_id", "slot", "edited")
_COLUMNS = ", ".join(_WRITTEN)
# How many characters one request may give to the text index: about a second's work, for which all other writes wait.
MOST_TEXT = 2_000_000
_MADE = dict.fromkeys(_MOMENTS, "BIGINT") | {"slot": "TEXT"}
_NUMBERS = ("id", "owner_id", "calendar_id", "series_id", "party_max", *_MOMENTS)
_TYPES = dict.fromkeys((*_WRITTEN, *_IMPORTED), "TEXT") | dict.fromkeys(_NUMBERS, "BIGINT")
_TYPES |= dict.fromkeys(("all_day", "public", "edited"), "BOOLEAN")
_VALUES = ", ".join(f":{name}" for name in _WRITTEN)
_ASSIGNED = ", ".join(f"{name} = :{name}" for name in _WRITTEN)


def insert(ctx: Context, given: EventFields, when: Span, calendar: Calendar) -> int:
    """A new event of the actor's on its home calendar."""
    columns = _written(given, when)
    quotas.reserve(ctx, policy.user(ctx).id, "events", 1, quotas.size(columns))
    event_id: int = ctx.tx.value(
        f"""INSERT INTO events (owner_id, calendar_id, {_COLUMNS}, version, created_at, updated_at)
            VALUES (:owner_id, :calendar_id, {_VALUES}, 1, :now, :now) RETURNING id""",
        owner_id=policy.user(ctx).id,
        calendar_id=calendar.id,
        now=ctx.now,
        **columns,
    )
    placements.insert(ctx, event_id, calendar.id, grants=True)
    return event_id


def get(ctx: Context, event_id: int) -> Event:
    """The event, whoever asks."""
    event = ctx.tx.one(Event, f"{policy.SELECT_EVENTS} WHERE e.id = :id", id=event_id, me=policy.me(ctx))
    assert event is not None
    return event


def insert_occurrences(ctx: Context, pattern: Event, series_id: int, moments: list[dict[str, Any]]) -> None:
    """Events after the pattern, one for each set of moments, wherever somebody who may edit it has placed the pattern."""
    copied = ", ".join(name for name in ("owner_id", "calendar_id", *_WRITTEN) if name not in _MOMENTS)
    ctx.tx.run(
        f"""INSERT INTO events ({copied}, start_at, end_at, until_at, series_id, slot, version, created_at, updated_at)
            SELECT {", ".join(f"e.{name}" for name in copied.split(", "))}, made.start_at, made.end_at, made.until_at,
                   CAST(:series_id AS BIGINT), made.slot, 1, CAST(:now AS BIGINT), CAST(:now AS BIGINT)
            FROM {ctx.db.records("made", _MADE)} CROSS JOIN events e WHERE e.id = :pattern""",
        made=encode(moments).decode(),
        series_id=series_id,
        pattern=pattern.id,
        now=ctx.now,
    )
    ctx.tx.run(
        f"""INSERT INTO placements (event_id, calendar_id, start_at, public, lasts, grants, granted_by, created_at)
           SELECT e.id, p.calendar_id, {placements.COPIED}, p.grants, p.granted_by, CAST(:now AS BIGINT)
           FROM events e CROSS JOIN placements p
           WHERE e.series_id = :series_id AND p.event_id = :pattern AND p.grants
           AND NOT EXISTS (SELECT 1 FROM placements h WHERE h.event_id = e.id) ORDER BY e.id, p.id""",
        series_id=series_id,
        pattern=pattern.id,
        now=ctx.now,
    )


def most_copies(event: Event) -> int:
    """How many events with the text of this one may be written at once."""
    return MOST_TEXT // len(content(editable(event))["search"])


def mark_edited(ctx: Context, event_id: int) -> None:
    """Of a series' occurrence: it was changed alone."""
    ctx.tx.run("UPDATE events SET edited = TRUE WHERE id = :id AND series_id IS NOT NULL", id=event_id)


def update(ctx: Context, event_id: int, given: EventFields, when: Span) -> None:
    ctx.tx.run(
        f"UPDATE events SET {_ASSIGNED}, version = version + 1, updated_at = :now WHERE id = :id",
        id=event_id,
        now=ctx.now,
        **_written(given, when),
    )


def update_each(ctx: Context, field: str, changes: Sequence[tuple[int, EventFields, Span]], *, has_new_text: bool) -> None:
    """The same for many events in one statement; where they are too much, the field that chose them is refused."""
    rows = [_written(fields, when) | {"id": event_id} for event_id, fields, when in changes]
    if has_new_text and sum(len(row["search"]) for row in rows) > MOST_TEXT:
        message = f"these {len(rows):,} events have more than {MOST_TEXT:,} characters; shorten the text, or change fewer at once"
        raise errors.invalid(field, message, "too_many")
    _update_rows(ctx, _WRITTEN, rows)


def delete(ctx: Context, ids: list[int]) -> None:
    ctx.tx.run(f"DELETE FROM events WHERE id IN {ctx.db.in_list('ids')}", ids=ids)


def insert_all(ctx: Context, rows: list[dict[str, Any]]) -> dict[str, int]:
    """Many events at once on their home calendars, as imports make them; the ids of those that have a UID."""
    if not rows:
        return {}
    quotas.reserve(ctx, policy.user(ctx).id, "events", len(rows), sum(map(quotas.size, rows)))
    last = ctx.tx.value("SELECT max(id) FROM events") or 0
    names = ("owner_id", "calendar_id", *_WRITTEN, *_IMPORTED)
    ctx.tx.run(
        f"""INSERT INTO events ({", ".join(names)}, version, created_at, updated_at)
            SELECT {", ".join(f"made.{name}" for name in names)}, 1, CAST(:now AS BIGINT), CAST(:now AS BIGINT)
            FROM {ctx.db.records("made", {name: _TYPES[name] for name in names})}""",
        made=encode(rows).decode(),
        now=ctx.now,
    )
    mine = f"e.id > :last AND e.calendar_id IN {ctx.db.in_list('calendars')}"
    calendars = list({row["calendar_id"] for row in rows})
    ctx.tx.run(
        f"""INSERT INTO placements (event_id, calendar_id, start_at, public, lasts, grants, created_at)
            SELECT e.id, e.calendar_id, {placements.COPIED}, TRUE, CAST(:now AS BIGINT) FROM events e
            WHERE {mine} AND NOT EXISTS (SELECT 1 FROM placements h WHERE h.event_id = e.id) ORDER BY e.id""",
        last=last,
        calendars=calendars,
        now=ctx.now,
    )
    return dict(ctx.tx.rows(f"SELECT e.uid, e.id FROM events e WHERE {mine} AND e.uid IS NOT NULL", last=last, calendars=calendars))


def update_all(ctx: Context, rows: list[dict[str, Any]]) -> None:
    """The same for events that are there."""
    _update_rows(ctx, (*_WRITTEN, *_IMPORTED), rows)


def _update_rows(ctx: Context, names: tuple[str, ...], rows: list[dict[str, Any]]) -> None:
    """Write the named columns of each row in one statement: with one for each, the text index takes up to ten times as long."""
    if not rows:
        return
    ctx.tx.run(
        f"""UPDATE events SET {", ".join(f"{name} = made.{name}" for name in names)}, version = version + 1, updated_at = :now
            FROM {ctx.db.records("made", {name: _TYPES[name] for name in ("id", *names)})} WHERE events.id = made.id""",
        made=encode(rows).decode(),
        now=ctx.now,
    )


def let_go(ctx: Context, ids: list[int]) -> None:
    """Delete occurrences; those that people wrote to or that were changed alone stay, as events of their own."""
    if not ids:
        return
    # Whoever writes to one of them is waited for, so that what they wrote is seen.
    hold_each(ctx, ids)
    among = f"id IN {ctx.db.in_list('ids')}"
    rows = ctx.tx.rows(
        f"""SELECT id FROM events WHERE {among} AND (
                edited OR EXISTS (SELECT 1 FROM comments c WHERE c.event_id = events.id)
                OR EXISTS (SELECT 1 FROM responses r WHERE r.event_id = events.id))""",
        ids=ids,
    )
    kept = {event_id for (event_id,) in rows}
    ctx.tx.run(
        f"UPDATE events SET series_id = NULL, slot = NULL, version = version + 1 WHERE {among} AND series_id IS NOT NULL", ids=list(kept)
    )
    ctx.tx.run(f"DELETE FROM events WHERE {among}", ids=[event_id for event_id in ids if event_id not in kept])


def firsts(ctx: Context, series_ids: list[int]) -> dict[int, int]:
    """The first event of each series."""
    rows = ctx.tx.rows(
        f"SELECT e.series_id, e.id FROM events e WHERE e.series_id IN {ctx.db.in_list('ids')} ORDER BY e.start_at DESC, e.id DESC",
        ids=series_ids,
    )
    return dict(rows)


def hold(ctx: Context, ids: list[int]) -> None:
    """Let nobody else change these events, or their series, until the transaction ends."""
    theirs = f"SELECT series_id FROM events WHERE id IN {ctx.db.in_list('ids')}"
    ctx.tx.rows(f"SELECT id FROM series WHERE id IN ({theirs}) ORDER BY id {ctx.db.for_update}", ids=ids)
    hold_each(ctx, ids)


def hold_each(ctx: Context, ids: list[int]) -> None:
    """Let nobody else change these events, or write to them, until the transaction ends."""
    ctx.tx.rows(f"SELECT id FROM events WHERE id IN {ctx.db.in_list('ids')} ORDER BY id {ctx.db.for_update}", ids=ids)


def editable(event: Event) -> EventFields:
    """The fields that a client may change, as they stand."""
    same = ("title", "all_day", "time_zone", "description", "location", "image_url", "public", "party_max", *PARTS)
    start_time, end_time = span.times(event)
    return EventFields(
        start_time=start_time,
        end_time=end_time,
        tag_list=event.tags,
        **{name: getattr(event, name) for name in same},
    )


def items(ctx: Context, rows: list[EventRow]) -> list[EventItem]:
    """The limited fields, with the calendars that the reader may see. Many events are on few calendars."""
    keys = [row.placed for row in rows]
    placed = {key: sorted(int(each) for each in key.split(",") if each) for key in set(keys)}
    seen = _seen_calendars(ctx, list({each for ids in placed.values() for each in ids}))
    visible = {key: [each for each in ids if each in seen] for key, ids in placed.items()}
    return _items(ctx, rows, [visible[key] for key in keys])


def detail(ctx: Context, event: Event) -> EventDetail:
    """The expanded fields."""
    return _detail(ctx, event, placements.calendars(ctx, event), responses.tally(ctx, event), comments.count_of_event(ctx, event))


def first_detail(ctx: Context, event: Event, calendar: Calendar) -> EventDetail:
    """The same of an event that was just made on its calendar: nobody has said anything about it yet."""
    return _detail(ctx, event, [CalendarName(calendar.id, calendar.name)], Tally(), 0)


def _detail(ctx: Context, event: Event, calendars: list[CalendarName], tally: Tally, comments_count: int) -> EventDetail:
    [item] = _items(ctx, [event], [[calendar.id for calendar in calendars]])
    return EventDetail(
        *structs.astuple(item),
        description=event.description,
        location_name=event.location_name,
        street=event.street,
        city=event.city,
        state=event.state,
        zip=event.zip,
        country=event.country,
        owner=Person(event.owner_id, event.owner_name),
        calendars=calendars,
        repeat=event.repeat,
        party_max=event.party_limit,
        responses=tally,
        comments_count=comments_count,
        can_edit=event.can_edit,
        created_at=format_utc(event.created_at),
    )


def _seen_calendars(ctx: Context, ids: list[int]) -> set[int]:
    """Those of the calendars that the reader may see."""
    found = f"SELECT c.id FROM calendars c WHERE c.id IN {ctx.db.in_list('ids')} AND {policy.calendar_visible(ctx)}"
    return {calendar_id for (calendar_id,) in ctx.tx.rows(found, ids=ids, me=policy.me(ctx))}


def _items(ctx: Context, events: Sequence[Event | EventRow], calendar_ids: list[list[int]]) -> list[EventItem]:
    """The limited fields, made in one loop without calls for each event: lists are long, and calls a good part of their time."""
    base = f"{ctx.settings.url}/events/"
    items = []
    for event, ids in zip(events, calendar_ids, strict=True):
        zone, end_at, tags = event.time_zone, event.end_at, event.tags
        if event.all_day:
            start_time, end_time = span.times(event)
        else:
            start_time, end_time = format_instant(event.start_at, zone), None if end_at is None else format_instant(end_at, zone)
        item = EventItem(
            event.id,
            event.title,
            start_time,
            end_time,
            bool(event.all_day),
            zone,
            event.location,
            event.image_url,
            tags,
            tags.split(",") if tags else [],
            bool(event.public),
            ids,
            event.series_id,
            f"{base}{event.id}",
            format_utc(event.updated_at),
        )
        items.append(item)
    return items


def _written(given: EventFields, when: Span) -> dict[str, Any]:
    return {**content(given), **moments(when), "public": given.public, "party_max": given.party_max}


def text_size(event: Event) -> int:
    """About what the event's text takes, once to be shown and once to be searched."""
    return 2 * sum(len(getattr(event, name) or "") for name in ("title", "description", "location", "tags", *PARTS))


def content(given: EventFields) -> dict[str, Any]:
    """What is stored of an event beside its times and its visibility."""
    fields = {name: getattr(given, name) for name in ("title", "description", "location", "image_url", *PARTS)}
    return fields | {"tags": given.tag_list, "search": search.column(fields, given.tag_list.split(",") if given.tag_list else [])}


def moments(when: Span) -> dict[str, Any]:
    """What is stored of its times."""
    return structs.asdict(when)
