"""Events by their ids, for pages that list what belongs to them."""

from collections.abc import Iterable

from kalends.context import Context
from kalends.events import listing, store
from kalends.events.model import EventItem
from kalends.events.query import EventQuery


def named(ctx: Context, ids: Iterable[int | None]) -> dict[int, EventItem]:
    """The events of these ids, as far as the reader may see them."""
    wanted = sorted({event_id for event_id in ids if event_id is not None})
    rows = listing.find(ctx, EventQuery(ids=wanted, limit=len(wanted)), None, "UTC")
    return {item.id: item for item in store.items(ctx, rows)}
