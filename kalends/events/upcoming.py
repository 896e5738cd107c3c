"""Upcoming events for the start page, of a calendar or of an organiser: what is running or to come, each series once."""

from collections.abc import Sequence

from msgspec import Struct, structs

from kalends.context import Context
from kalends.events import cursor, listing, present
from kalends.events.model import EventItem
from kalends.events.query import EventQuery
from kalends.events.series.model import Repeat, build_repeat
from kalends.records.calendar import Calendar
from kalends.records.event import EventRow
from kalends.values import timestamps
from kalends.values.picture import Picture, parse_path
from kalends.web.cover import DEFAULT_COLOR

# How many events are read to fill a page, in turn: more if most of them are of the same series.
BATCHES = (40, 80, 160, 220)


class CardDetail(Struct, frozen=True):
    """The public calendar of an event, how many people come, and whether there is no place left."""

    calendar_name: str | None = None
    color: str = DEFAULT_COLOR
    people: int = 0
    is_full: bool = False


class Card(Struct, frozen=True):
    """An event; of a series, the next date, the rule, and how many dates follow."""

    event: EventItem
    detail: CardDetail
    is_running: bool
    repeat: Repeat | None = None
    more: int = 0
    picture: Picture | None = None


def find(
    ctx: Context, query: EventQuery, since: int, zone: str, calendars: Sequence[Calendar] | None = None
) -> tuple[list[Card], str | None]:
    """A page of cards of what runs at an instant or begins later, and the cursor of the next page.

    Without calendars: all public events.
    """
    query = structs.replace(query, start_time=timestamps.format_utc(since), overlaps=True)
    rows, next_cursor = _fold_series(ctx, query, since, zone, calendars)
    rules = _find_rules(ctx, [row.series_id for row in rows if row.series_id])
    details = _find_details(ctx, [row.id for row in rows])
    cards = []
    for row, item in zip(rows, present.items(ctx.settings, map(structs.astuple, rows)), strict=True):
        repeat, more = rules.get(row.series_id or 0, (None, 0))
        is_running = row.start_at <= ctx.now and not row.all_day
        cards.append(Card(item, details[row.id], is_running, repeat, more, parse_path(row.image_url)))
    return cards, next_cursor


def _fold_series(
    ctx: Context, query: EventQuery, since: int, zone: str, calendars: Sequence[Calendar] | None
) -> tuple[list[EventRow], str | None]:
    """The first event of each series and all other events, and the cursor of the next page."""
    page: list[EventRow] = []
    series_ids: set[int] = set()
    after = query.after
    examined = listing.examine(ctx, query, calendars, zone)
    for batch in BATCHES:
        rows = listing.find(ctx, structs.replace(query, limit=batch, after=after), calendars, zone, examined=examined)
        series_ids |= _find_earlier_series(ctx, rows, since, query.after)
        for row in rows[:batch]:
            if row.series_id is None or row.series_id not in series_ids:
                if len(page) == query.limit:
                    return page, after
                page.append(row)
                series_ids |= {row.series_id} if row.series_id else set()
            after = cursor.encode(row)
        if len(rows) <= batch:
            return page, cursor.encode_key(examined.last) if examined and examined.last else None
    return page, after


def _find_earlier_series(ctx: Context, rows: list[EventRow], since: int, after: str | None) -> set[int]:
    """The series of these events that an earlier page has shown."""
    ids = list({row.series_id for row in rows if row.series_id})
    if after is None or not ids:
        return set()
    start_at, event_id = cursor.decode(after)
    series = ctx.tx.rows(
        f"""SELECT DISTINCT series_id FROM events WHERE series_id {ctx.db.in_list("ids")} AND public
            AND start_at >= :since AND (start_at, id) <= (:start_at, :event_id)""",
        ids=ids,
        since=since,
        start_at=start_at,
        event_id=event_id,
    )
    return {series_id for (series_id,) in series}


def _find_rules(ctx: Context, series_ids: list[int]) -> dict[int, tuple[Repeat, int]]:
    """The rule of each series, and how many dates follow the next one."""
    if not series_ids:
        return {}
    rows = ctx.tx.rows(
        f"""SELECT r.id, r.rrule, r.start_date,
                   (SELECT count(*) FROM events e WHERE e.series_id = r.id AND e.start_at > :now AND e.public)
            FROM series r WHERE r.id {ctx.db.in_list("ids")}""",
        ids=series_ids,
        now=ctx.now,
    )
    return {row[0]: (build_repeat(*row[1:3]), max(row[3] - 1, 0)) for row in rows}


def _find_details(ctx: Context, event_ids: list[int]) -> dict[int, CardDetail]:
    """What else the cards of these events show."""
    if not event_ids:
        return {}
    rows = ctx.tx.rows(
        f"""SELECT e.id, CASE WHEN c.public THEN c.name END, CASE WHEN c.public THEN c.color ELSE :color END,
                   CASE WHEN coalesce(s.show_counts, TRUE) THEN coalesce(t.people, 0) ELSE 0 END, coalesce(s.taken >= s.capacity, FALSE)
            FROM events e JOIN calendars c ON c.id = e.calendar_id
            LEFT JOIN response_tallies t ON t.event_id = e.id LEFT JOIN response_settings s ON s.event_id = e.id
            WHERE e.id {ctx.db.in_list("ids")}""",
        ids=event_ids,
        color=DEFAULT_COLOR,
    )
    return {row[0]: CardDetail(row[1], row[2], row[3], bool(row[4])) for row in rows}
