"""The public events that are going on or to come, each series once."""

from msgspec import Struct, structs

from kalends.context import Context
from kalends.events import cursor, listing, store
from kalends.events.model import EventItem, EventRow, Repeat
from kalends.events.query import EventQuery
from kalends.values import timestamps

# The number of events that are read at once, and at most, to fill a page.
BATCH = 100
MAX_READ = 500


class Card(Struct, frozen=True):
    """An event; of a series the next one, with its rule and the number of those after it."""

    event: EventItem
    repeat: Repeat | None = None
    more: int = 0


def find(ctx: Context, query: EventQuery, zone: str) -> tuple[list[Card], str | None]:
    """The first cards of the query's size, and the position after which the next page begins."""
    query = structs.replace(query, start_time=timestamps.format_utc(ctx.now), overlaps=True)
    rows, position = _fold(ctx, query, zone)
    rules = _rules(ctx, [row.series_id for row in rows if row.series_id])
    cards = [Card(item, *rules.get(item.series_id or 0, (None, 0))) for item in store.items(ctx, rows)]
    return cards, position


def _fold(ctx: Context, query: EventQuery, zone: str) -> tuple[list[EventRow], str | None]:
    """The first event of each series, and all others."""
    first_rows: list[EventRow] = []
    series: set[int] = set()
    position = query.after
    for _ in range(MAX_READ // BATCH):
        rows = listing.find(ctx, structs.replace(query, limit=BATCH, after=position), None, zone)
        series |= _on_earlier_pages(ctx, rows, query.after)
        for row in rows[:BATCH]:
            if row.series_id is None or row.series_id not in series:
                if len(first_rows) == query.limit:
                    return first_rows, position
                first_rows.append(row)
                series |= {row.series_id} if row.series_id else set()
            position = cursor.encode(row)
        if len(rows) <= BATCH:
            return first_rows, None
    return first_rows, position


def _on_earlier_pages(ctx: Context, rows: list[EventRow], after: str | None) -> set[int]:
    """The series of these events whose next event is on an earlier page."""
    ids = list({row.series_id for row in rows if row.series_id})
    if after is None or not ids:
        return set()
    start_at, event_id = cursor.decode(after)
    series_ids = ctx.tx.rows(
        f"""SELECT DISTINCT series_id FROM events WHERE series_id IN {ctx.db.in_list("ids")} AND public
            AND start_at >= :now AND (start_at, id) <= (:start_at, :event_id)""",
        ids=ids,
        now=ctx.now,
        start_at=start_at,
        event_id=event_id,
    )
    return {row[0] for row in series_ids}


def _rules(ctx: Context, series_ids: list[int]) -> dict[int, tuple[Repeat, int]]:
    """The rule of each series, and the number of events after the next one."""
    if not series_ids:
        return {}
    rows = ctx.tx.rows(
        f"""SELECT r.id, r.frequency, r.step, r.start_date, r.end_date,
                   (SELECT count(*) FROM events e WHERE e.series_id = r.id AND e.start_at > :now AND e.public)
            FROM series r WHERE r.id IN {ctx.db.in_list("ids")}""",
        ids=series_ids,
        now=ctx.now,
    )
    return {row[0]: (Repeat(*row[1:5]), max(row[5] - 1, 0)) for row in rows}
