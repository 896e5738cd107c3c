"""Search for public calendars by their name or their owner's name."""

from msgspec import Struct

from kalends.db import text_search
from kalends.http.context import Context

MAX_HITS = 6


class CalendarHit(Struct, frozen=True):
    """A public calendar that a search found."""

    id: int
    name: str
    owner_id: int
    owner_name: str
    color: str


def refresh(ctx: Context, *, calendar_id: int | None = None, owner_id: int | None = None) -> None:
    """Update the search column of a calendar, or of all calendars of an owner."""
    where = "c.id = :id" if calendar_id is not None else "c.owner_id = :id"
    names = ctx.tx.rows(
        f"SELECT c.id, c.public, c.name, coalesce(u.name, u.user_name) FROM calendars c JOIN users u ON u.id = c.owner_id WHERE {where}",
        id=calendar_id if calendar_id is not None else owner_id,
    )
    for row_id, public, name, owner in names:
        search = text_search.fold(f"{name} {owner}") if public else ""
        ctx.tx.run("UPDATE calendars SET search = :search WHERE id = :id AND search <> :search", search=search, id=row_id)


def find(ctx: Context, text: str) -> list[CalendarHit]:
    """The first public calendars whose names have every word. A query of only one- and two-letter words has no results."""
    terms = list(text_search.parse_terms(text))
    literals = [literal for pieces in terms for literal in text_search.literals(pieces)]
    if not literals:
        return []
    hits, params = ctx.db.ids_containing("calendars", "search", literals)
    conditions = [text_search.Condition((f"%{'%'.join(map(text_search.escape_like, pieces))}%",)) for pieces in terms]
    where = " AND ".join(["c.public", *text_search.where(ctx.db, "c.search || ''", conditions, params)])
    return ctx.tx.all(
        CalendarHit,
        f"""WITH hits AS MATERIALIZED ({hits} LIMIT 500)
            SELECT c.id, c.name, u.id, coalesce(u.name, u.user_name), c.color
            FROM hits CROSS JOIN calendars c JOIN users u ON u.id = c.owner_id
            WHERE c.id = hits.id AND {where} ORDER BY c.id LIMIT {MAX_HITS}""",
        **params,
    )
