"""Upcoming events for the start page, of a calendar or of an organiser: what is running or to come, each series once."""

from collections.abc import Sequence

from msgspec import structs

from kalends.core.records.calendar import Calendar
from kalends.core.records.event import EventRow
from kalends.core.values import timestamps
from kalends.core.values.picture import parse_path
from kalends.features.events import present
from kalends.features.events.listing.query_model import EventQuery, encode_cursor, encode_cursor_key
from kalends.features.events.listing.store import listing
from kalends.features.events.listing.store.cards import find_details, find_earlier_series, find_rules
from kalends.features.events.model import Card
from kalends.features.events.rules.location import shorten
from kalends.http.context import Context

# How many events are read to fill a page, in turn: more if most of them are of the same series.
BATCHES = (40, 80, 160, 220)


def find(
    ctx: Context, query: EventQuery, since: int, zone: str, calendars: Sequence[Calendar] | None = None
) -> tuple[list[Card], str | None]:
    """A page of cards of what runs at an instant or begins later, and the cursor of the next page.

    Without calendars: all public events.
    """
    query = structs.replace(query, start_time=timestamps.format_utc(since), overlaps=True)
    rows, next_cursor = _fold_series(ctx, query, since, zone, calendars)
    # Beside a cancelled date, the rule would say that the whole series is cancelled.
    rules = find_rules(ctx, [row.series_id for row in rows if row.series_id and row.status != "cancelled"])
    details = find_details(ctx, [row.id for row in rows])
    cards = []
    for row, item in zip(rows, present.items(ctx.settings, rows), strict=True):
        is_running = row.start_at <= ctx.now and not row.all_day
        rule = rules.get(row.series_id or 0) if row.status != "cancelled" else None
        cards.append(Card(item, shorten(row.location or ""), details[row.id], is_running, rule, parse_path(row.image_url)))
    return cards, next_cursor


def _fold_series(
    ctx: Context, query: EventQuery, since: int, zone: str, calendars: Sequence[Calendar] | None
) -> tuple[list[EventRow], str | None]:
    """The first event of each series, a cancelled one before it, and all other events, and the cursor of the next page."""
    page: list[EventRow] = []
    shown: set[tuple[int, bool]] = set()
    after = query.after
    examined = listing.examine(ctx, query, calendars, zone)
    for batch in BATCHES:
        rows = listing.find(ctx, structs.replace(query, limit=batch, after=after), calendars, zone, examined=examined)
        shown |= find_earlier_series(ctx, rows, since, query.after)
        for row in rows[:batch]:
            key = (row.series_id or 0, row.status == "cancelled")
            if row.series_id is None or not {key, (row.series_id, False)} & shown:
                if len(page) == query.limit:
                    return page, after
                page.append(row)
                shown |= {key}
            after = encode_cursor(row)
        if len(rows) <= batch:
            return page, encode_cursor_key(examined.last) if examined and examined.last else None
    return page, after
