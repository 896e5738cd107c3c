"""The SQL of events."""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from msgspec import Struct, structs
from msgspec.json import encode

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.calendar import Calendar, TargetCalendar
from kalends.core.records.event import Event, split_withheld
from kalends.core.records.response_settings import ResponseSettings
from kalends.core.records.response_settings import encode as encode_settings
from kalends.core.values.picture import to_path
from kalends.features.events import deleted_event_store as deleted_events
from kalends.features.events import response_settings_store as response_settings
from kalends.features.events.input_model import EventFields
from kalends.features.events.listing.store import search
from kalends.features.events.model import ACCESS, COORDINATES, PARTS, STATUS
from kalends.features.events.placements import store as placements
from kalends.features.events.rules.coordinates import to_millionths
from kalends.features.events.rules.span import Span
from kalends.http.context import Context
from kalends.policy import quotas

_TEXT = ("title", "description", "location", "image_url", "image_alt", *PARTS)
_get_text = attrgetter(*_TEXT)
_SPAN = ("start_at", "end_at", "until_at")
_WHERE = (*ACCESS, "withheld", *COORDINATES)
_FIELDS = (*_TEXT, *_WHERE, *_SPAN, "all_day", "time_zone", "tags", "public", "by_link", "party_max", *STATUS, "search")
_SERIES = ("uid", "series_id", "slot", "edited")
_COLUMNS = ", ".join(_FIELDS)
_VALUES = ", ".join(f":{name}" for name in _FIELDS)
_ASSIGNMENTS = ", ".join(f"{name} = :{name}" for name in _FIELDS)

_INSERT = f"""
INSERT INTO events (id, owner_id, calendar_id, uid, {_COLUMNS}, version, created_at, updated_at)
VALUES (:id, :owner_id, :calendar_id, :uid, {_VALUES}, 1, :now, :now)
"""

_INTEGERS = ("id", "owner_id", "calendar_id", "series_id", "party_max", *COORDINATES, *_SPAN)
_TYPES = dict.fromkeys((*_FIELDS, *_SERIES), "TEXT") | dict.fromkeys(_INTEGERS, "BIGINT")
_TYPES |= dict.fromkeys(("all_day", "public", "by_link", "edited"), "BOOLEAN")
# Columns of an occurrence that differ from those of its pattern.
_OCCURRENCE_TYPES = dict.fromkeys(_SPAN, "BIGINT") | {"slot": "TEXT"}

# The number in the link of a new event: the default of its column.
FIRST_LINK = 1
# How many characters one request may add to the text index: about a third of a second of work, for which all other writes wait.
MAX_TEXT = 1_000_000
# What an event on a further calendar takes, in characters: 10,000 such placements take about half a second.
PLACEMENT_TEXT = 200


class NewEvent(Struct, frozen=True):
    """An event to be created."""

    fields: EventFields
    span: Span
    calendar: TargetCalendar
    uid: str | None


def get(ctx: Context, event_id: int) -> Event:
    """The event, without a permission check."""
    event = ctx.tx.one(Event, f"{policy.select_events(ctx)} WHERE e.id = :id", id=event_id, me=policy.me(ctx))
    assert event is not None
    return event


def find_by_ids(ctx: Context, ids: list[int]) -> list[Event]:
    """The given events that exist, in the order of the ids, without a permission check."""
    if not ids:
        return []
    rows = ctx.tx.all(Event, f"{policy.select_events(ctx)} WHERE e.id {ctx.db.in_list('ids')}", ids=ids, me=policy.me(ctx))
    events = {event.id: event for event in rows}
    return [events[event_id] for event_id in ids if event_id in events]


def find_by_series(ctx: Context, series_ids: list[int]) -> list[Event]:
    """The events of these series in the order of their start, without a permission check."""
    if not series_ids:
        return []
    return ctx.tx.all(
        Event,
        f"{policy.select_events(ctx)} WHERE e.series_id {ctx.db.in_list('series_ids')} ORDER BY e.start_at, e.id",
        series_ids=series_ids,
        me=policy.me(ctx),
    )


def find_placed_series(ctx: Context, calendar: Calendar, series_ids: list[int]) -> list[Event]:
    """The events of these series that are on the calendar and visible to the actor."""
    return ctx.tx.all(
        Event,
        # CROSS JOIN: the events are found first, and not all of the calendar.
        f"""{policy.select_events(ctx)} CROSS JOIN placements p WHERE e.series_id {ctx.db.in_list("series_ids")}
            AND p.event_id = e.id AND p.calendar_id = :calendar_id AND {policy.placed_event_visible(ctx, calendar.is_member)}""",
        calendar_id=calendar.id,
        series_ids=series_ids,
        me=policy.me(ctx),
    )


def first_event_of_series(ctx: Context, series_ids: list[int]) -> dict[int, int]:
    """The id of the first event of each series."""
    rows = ctx.tx.rows(
        f"SELECT e.series_id, e.id FROM events e WHERE e.series_id {ctx.db.in_list('ids')} ORDER BY e.start_at DESC, e.id DESC",
        ids=series_ids,
    )
    return dict(rows)


def public_version(ctx: Context, limit: int) -> tuple[int, ...]:
    """Numbers that change whenever one of the first public events does, or a source that may allow them in feeds: ids are never reused,
    and versions only grow."""
    rows = ctx.tx.rows(
        """SELECT count(*), coalesce(sum(id), 0), coalesce(sum(version), 0), coalesce(max(updated_at), 0),
               (SELECT count(*) FROM sources WHERE NOT republish), (SELECT coalesce(max(updated_at), 0) FROM sources) FROM (
               SELECT e.id, e.version, e.updated_at FROM events e WHERE e.public ORDER BY e.start_at, e.id LIMIT :limit) AS listed""",
        limit=limit,
    )
    return tuple(int(value) for value in rows[0])


def lock(ctx: Context, ids: list[int]) -> None:
    """Lock these events and their series until the transaction ends."""
    if not ids:
        return
    series_ids = f"SELECT series_id FROM events WHERE id {ctx.db.in_list('ids')}"
    ctx.tx.rows(f"SELECT id FROM series WHERE id IN ({series_ids}) ORDER BY id {ctx.db.for_update}", ids=ids)
    lock_events(ctx, ids)


def lock_events(ctx: Context, ids: list[int]) -> None:
    """Lock these events, so that nobody changes, comments on or responds to them until the transaction ends."""
    ctx.tx.rows(f"SELECT id FROM events WHERE id {ctx.db.in_list('ids')} ORDER BY id {ctx.db.for_update}", ids=ids)


def insert(ctx: Context, fields: EventFields, span: Span, calendar: TargetCalendar, *, uid: str | None) -> Event:
    """Insert an event of the actor on its home calendar."""
    columns = _columns(ctx, fields, span)
    owner = policy.user(ctx)
    quotas.reserve(ctx, owner.id, "events", 1, quotas.size(columns))
    columns |= {"id": calendar.next_event_id, "owner_id": owner.id, "calendar_id": calendar.id, "uid": uid}
    ctx.tx.run(_INSERT, **columns, now=ctx.now)
    placements.insert_home(ctx, calendar.next_event_id, calendar.id, span, public=columns["public"])
    settings = response_settings.read(fields, span.time_zone)
    response_settings.insert(ctx, calendar.next_event_id, settings)
    return _new_event(ctx, columns, calendar, settings)


def insert_occurrences(ctx: Context, pattern: Event, series_id: int, occurrences: list[dict[str, Any]]) -> None:
    """Insert a copy of the pattern for each occurrence, on the calendars on which someone who may edit it has placed it.

    The status is that of the series: an occurrence that was cancelled or postponed alone does not pass it on."""
    names = [name for name in ("owner_id", "calendar_id", *_FIELDS) if name not in (*_SPAN, *STATUS)]
    ctx.tx.run(
        f"""INSERT INTO events ({", ".join(names)}, status, status_note, start_at, end_at, until_at, series_id, slot,
                                version, created_at, updated_at)
            SELECT {", ".join(f"e.{name}" for name in names)},
                   CASE WHEN e.edited THEN 'planned' ELSE e.status END, CASE WHEN e.edited THEN NULL ELSE e.status_note END,
                   made.start_at, made.end_at, made.until_at,
                   CAST(:series_id AS BIGINT), made.slot, 1, CAST(:now AS BIGINT), CAST(:now AS BIGINT)
            FROM {ctx.db.records("made", _OCCURRENCE_TYPES)} CROSS JOIN events e WHERE e.id = :pattern""",
        made=encode(occurrences).decode(),
        series_id=series_id,
        pattern=pattern.id,
        now=ctx.now,
    )
    response_settings.copy_to_series(ctx, pattern, series_id)
    placements.copy_to_series(ctx, pattern, series_id)


def insert_all(ctx: Context, rows: list[dict[str, Any]]) -> list[int]:
    """Insert many events on their home calendars in one statement, as `_update_rows` does; returns their ids in the same order."""
    if not rows:
        return []
    for owner_id in sorted({row["owner_id"] for row in rows}):
        own = [row for row in rows if row["owner_id"] == owner_id]
        quotas.reserve(ctx, owner_id, "events", len(own), sum(map(quotas.size, own)))
    names = ("owner_id", "calendar_id", *_FIELDS, *_SERIES)
    inserted = ctx.tx.rows(
        f"""INSERT INTO events ({", ".join(names)}, version, created_at, updated_at)
            SELECT {", ".join(f"made.{name}" for name in names)}, 1, CAST(:now AS BIGINT), CAST(:now AS BIGINT)
            FROM {ctx.db.records("made", {name: _TYPES[name] for name in names})} RETURNING id""",
        made=encode(rows).decode(),
        now=ctx.now,
    )
    # Rows get their ids in the order of the list.
    ids = sorted(event_id for (event_id,) in inserted)
    placements.insert_homes(ctx, f"e.id {ctx.db.in_list('ids')}", ids=ids)
    return ids


def insert_batch(ctx: Context, events: list[NewEvent]) -> list[Event]:
    """Insert many events of the actor."""
    owner = policy.user(ctx)
    identity = {"owner_id": owner.id, "series_id": None, "slot": None, "edited": False}
    rows = [_columns(ctx, new.fields, new.span) | identity | {"calendar_id": new.calendar.id, "uid": new.uid} for new in events]
    if sum(len(row["search"]) for row in rows) > MAX_TEXT:
        raise errors.Invalid([], f"These events have more than {MAX_TEXT:,} characters. Create fewer at once.")
    ids = insert_all(ctx, rows)
    settings = [response_settings.read(new.fields, new.span.time_zone) for new in events]
    for event_id, each in zip(ids, settings, strict=True):
        response_settings.insert(ctx, event_id, each)
    return [
        _new_event(ctx, row | {"id": event_id}, new.calendar, each)
        for row, event_id, new, each in zip(rows, ids, events, settings, strict=True)
    ]


def _new_event(ctx: Context, columns: dict[str, Any], calendar: TargetCalendar, settings: ResponseSettings) -> Event:
    """The row of an event that the actor has just created."""
    owner = policy.user(ctx)
    columns |= {"version": 1, "created_at": ctx.now, "updated_at": ctx.now, "can_edit": True, "edited": False, "sent_uid": columns["uid"]}
    columns |= {"owner_name": owner.user_name if owner.name is None else owner.name, "calendar_party_max": calendar.party_max}
    columns |= {"settings_text": encode_settings(settings), "link_number": FIRST_LINK if columns["by_link"] else None}
    values: list[Any] = list(map(columns.get, Event.__struct_fields__))
    return Event(*values)


def update(ctx: Context, event_id: int, fields: EventFields, span: Span) -> None:
    ctx.tx.run(
        f"UPDATE events SET {_ASSIGNMENTS}, version = version + 1, updated_at = :now WHERE id = :id",
        id=event_id,
        now=ctx.now,
        **_columns(ctx, fields, span),
    )


def differs(ctx: Context, event: Event, fields: EventFields, span: Span) -> bool:
    """Whether the event has other fields."""
    if response_settings.read(fields, span.time_zone) != event.settings:
        return True
    return any(getattr(event, name) != value for name, value in _columns(ctx, fields, span).items() if name not in ("until_at", "search"))


def update_each(ctx: Context, param: str, changes: Sequence[tuple[int, EventFields, Span]], *, has_new_text: bool) -> None:
    """Update many events in one statement; an error for too much of them names the parameter that selected them."""
    rows = [_columns(ctx, fields, span) | {"id": event_id} for event_id, fields, span in changes]
    text = sum(len(row["search"]) for row in rows) if has_new_text else 0
    if text > MAX_TEXT:
        message = gettext(
            "these %(count)s events have more than %(max)s characters. Shorten the text, or change fewer at once",
            count=len(rows),
            max=MAX_TEXT,
        )
        raise errors.invalid(param, message, "too_many")
    placed = placements.count_beyond_home(ctx, [row["id"] for row in rows])
    if text + placed * PLACEMENT_TEXT > MAX_TEXT:
        message = gettext(
            "these %(count)s events are on too many calendars to change at once. Change fewer, or remove them from some calendars",
            count=len(rows),
        )
        raise errors.invalid(param, message, "too_many")
    _update_rows(ctx, _FIELDS, rows)


def update_all(ctx: Context, rows: list[dict[str, Any]]) -> None:
    """Update events as an import has them."""
    _update_rows(ctx, (*_FIELDS, *_SERIES), rows)


def _update_rows(ctx: Context, names: tuple[str, ...], rows: list[dict[str, Any]]) -> None:
    """Update the named columns of each row in one statement: with a statement for each, the text index takes up to ten times as long."""
    if not rows:
        return
    ctx.tx.run(
        f"""UPDATE events SET {", ".join(f"{name} = made.{name}" for name in names)}, version = version + 1, updated_at = :now
            FROM {ctx.db.records("made", {name: _TYPES[name] for name in ("id", *names)})} WHERE events.id = made.id""",
        made=encode(rows).decode(),
        now=ctx.now,
    )


def mark_edited(ctx: Context, ids: list[int]) -> None:
    """Mark occurrences of series as changed alone."""
    ctx.tx.run(f"UPDATE events SET edited = TRUE WHERE id {ctx.db.in_list('ids')} AND series_id IS NOT NULL", ids=ids)


def reset_link(ctx: Context, event: Event) -> None:
    """Replace the link of the event and of all dates of its series."""
    where = "id = :id" if event.series_id is None else "series_id = :id"
    ctx.tx.run(f"UPDATE events SET link_number = link_number + 1 WHERE {where}", id=event.series_id or event.id)


def reset_links(ctx: Context, ids: list[int]) -> None:
    """Replace the links of these events."""
    ctx.tx.run(f"UPDATE events SET link_number = link_number + 1 WHERE id {ctx.db.in_list('ids')}", ids=ids)


def set_owner(ctx: Context, ids: list[int], owner_id: int) -> None:
    """Make these events those of another user."""
    in_ids = ctx.db.in_list("ids")
    ctx.tx.run(
        f"UPDATE events SET owner_id = :owner_id, version = version + 1, updated_at = :now WHERE id {in_ids}",
        ids=ids,
        owner_id=owner_id,
        now=ctx.now,
    )
    ctx.tx.run(f"UPDATE invitations SET owner_id = :owner_id WHERE event_id {in_ids}", ids=ids, owner_id=owner_id)
    series = f"SELECT e.series_id FROM events e WHERE e.id {in_ids}"
    ctx.tx.run(f"UPDATE invitations SET owner_id = :owner_id WHERE series_id IN ({series})", ids=ids, owner_id=owner_id)


def delete(ctx: Context, ids: list[int]) -> None:
    if not ids:
        return
    deleted_events.insert(ctx, ids)
    ctx.tx.run(f"DELETE FROM events WHERE id {ctx.db.in_list('ids')}", ids=ids)


def delete_or_detach(ctx: Context, ids: list[int]) -> None:
    """Delete occurrences. Those with comments or responses and those that were changed alone stay, outside of the series."""
    if not ids:
        return
    # Wait for transactions that comment on or respond to one of them, so that their rows are seen.
    lock_events(ctx, ids)
    in_ids = f"id {ctx.db.in_list('ids')}"
    detached = find_detached(ctx, ids)
    ctx.tx.run(
        # The series has the UID of an event that was repeated.
        f"""UPDATE events SET series_id = NULL, slot = NULL, uid = NULL, version = version + 1, updated_at = :now
            WHERE {in_ids} AND series_id IS NOT NULL""",
        ids=list(detached),
        now=ctx.now,
    )
    delete(ctx, [event_id for event_id in ids if event_id not in detached])


def find_detached(ctx: Context, ids: list[int]) -> set[int]:
    """The given occurrences that stay: those with comments or responses, and those that were changed alone."""
    if not ids:
        return set()
    rows = ctx.tx.rows(
        f"""SELECT id FROM events WHERE id {ctx.db.in_list("ids")} AND (
                edited OR EXISTS (SELECT 1 FROM comments c WHERE c.event_id = events.id)
                OR EXISTS (SELECT 1 FROM responses r WHERE r.event_id = events.id))""",
        ids=ids,
    )
    return {event_id for (event_id,) in rows}


def max_copies(event: Event, calendars: int) -> int:
    """How many copies of the event one request may insert into the text index, each on this many calendars beyond its home."""
    return MAX_TEXT // (len(search.build_column(_text_columns(event), _split_tags(event.tags))) + calendars * PLACEMENT_TEXT)


def text_size(event: Event) -> int:
    """About how many characters the event's text takes, in its own columns and in the search column."""
    return 2 * sum(len(getattr(event, name) or "") for name in ("title", "description", "location", "tags", *PARTS))


def content_columns(fields: EventFields) -> dict[str, Any]:
    """The columns of an event except its times, visibility, party limit and status."""
    columns = _text_columns(fields) | {name: getattr(fields, name) for name in ACCESS}
    columns = split_withheld(columns | {name: to_millionths(getattr(fields, name)) for name in COORDINATES})
    return columns | {"tags": fields.tag_list, "search": search.build_column(columns, _split_tags(fields.tag_list))}


def search_column(columns: dict[str, Any]) -> str:
    """The search column of an event with these columns."""
    return search.build_column(columns, _split_tags(columns["tags"]))


def span_columns(span: Span) -> dict[str, Any]:
    """The columns of an event's times."""
    return structs.asdict(span)


def _columns(ctx: Context, fields: EventFields, span: Span) -> dict[str, Any]:
    columns = {name: getattr(fields, name) for name in ("public", "party_max", *STATUS)}
    if fields.image_url:
        columns["image_url"] = to_path(fields.image_url, ctx.settings.url)
    columns["by_link"] = fields.visibility == "link"
    return {**content_columns(fields), **span_columns(span), **columns}


def _text_columns(fields: EventFields | Event) -> dict[str, Any]:
    return dict(zip(_TEXT, _get_text(fields), strict=True))


def _split_tags(tags: str) -> list[str]:
    return tags.split(",") if tags else []
