"""Events by their ids, for pages that list comments and responses."""

from collections.abc import Iterable

from kalends.context import Context
from kalends.events import listing, present
from kalends.events.model import EventItem
from kalends.events.query import EventQuery
from kalends.http import paging


def events_by_id(ctx: Context, ids: Iterable[int | None]) -> dict[int, EventItem]:
    """Those of the events that the reader can see."""
    event_ids = sorted({event_id for event_id in ids if event_id is not None})
    pages = [event_ids[start : start + paging.MAX_PAGE] for start in range(0, len(event_ids), paging.MAX_PAGE)]
    rows = [row for page in pages for row in listing.find(ctx, EventQuery(ids=page, limit=len(page)), None, "UTC")]
    return {item.id: item for item in present.items(ctx, rows)}
