"""The commonest tags and cities of what is on, with their numbers of events, to choose from on the start page."""

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

from kalends.features.home.search_model import ONLINE
from kalends.http.context import Context

# How many events are read to count them, and how many tags and cities are shown.
MAX_READ = 300
MAX_TAGS, MAX_CITIES = 8, 5


class Facet(Struct, frozen=True):
    """A tag or a city, and how many events and series have it."""

    name: str
    count: int


class Facets(Struct, frozen=True):
    """What to narrow the list by, and when the events that were read begin."""

    tags: list[Facet]
    cities: list[Facet]
    online: int
    starts: list[int]


def count(ctx: Context, since: int, until: int | None) -> Facets:
    """Count the first public events that begin in this time, each series once."""
    rows = ctx.tx.rows(
        f"""SELECT coalesce(-series_id, id), tags, city, location, start_at FROM events
            WHERE public AND start_at >= :since {"AND start_at < :until" if until else ""} ORDER BY start_at, id LIMIT {MAX_READ}""",
        since=since,
        **({"until": until} if until else {}),
    )
    events = list({row[0]: row[1:4] for row in rows}.values())
    return Facets(
        _most_common((tag for tags, _, _ in events for tag in tags.split(",") if tag), MAX_TAGS),
        _most_common((city for _, city, _ in events if city), MAX_CITIES),
        sum((location or "").startswith(ONLINE) for _, _, location in events),
        [row[4] for row in rows],
    )


def _most_common(names: Iterable[str], limit: int) -> list[Facet]:
    """The commonest names, whatever their case; equally common ones by name."""
    spelling: dict[str, str] = {}
    numbers = Counter(spelling.setdefault(name.casefold(), name) for name in names)
    ranked = sorted(numbers.items(), key=lambda item: (-item[1], item[0].casefold()))
    return [Facet(name, number) for name, number in ranked[:limit]]
