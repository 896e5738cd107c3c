"""Events by their ids, for pages that list comments and responses."""

from collections.abc import Iterable

from kalends.context import Context
from kalends.events import listing, present
from kalends.events.model import EventItem
from kalends.events.query import EventQuery


def events_by_id(ctx: Context, ids: Iterable[int | None]) -> dict[int, EventItem]:
    """Those of the events that the reader can see."""
    event_ids = sorted({event_id for event_id in ids if event_id is not None})
    rows = listing.find(ctx, EventQuery(ids=event_ids, limit=len(event_ids)), None, "UTC")
    return {item.id: item for item in present.items(ctx, rows)}
