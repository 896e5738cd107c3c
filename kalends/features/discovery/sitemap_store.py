"""The sitemap: the public events by ranges of ids, so that each part costs the same however many there are."""

from msgspec import Struct

from kalends import policy
from kalends.core.values import timestamps
from kalends.http.context import Context

PART = 10_000
MAX_PARTS = 50_000


class Entry(Struct, frozen=True):
    """A public event, and when it was changed."""

    id: int
    changed: str


def count_parts(ctx: Context) -> int:
    """How many parts there are. Some of them may be empty."""
    last = ctx.tx.value("SELECT max(id) FROM events") or 0
    return min(int(last) // PART + 1, MAX_PARTS)


def find(ctx: Context, part: int) -> list[Entry]:
    """The public events of a part."""
    rows = ctx.tx.rows(
        f"SELECT id, updated_at FROM events e WHERE id >= :first AND id < :last AND public AND {policy.republished('e')} ORDER BY id",
        first=part * PART,
        last=(part + 1) * PART,
    )
    return [Entry(event_id, timestamps.format_utc(updated_at)) for event_id, updated_at in rows]
