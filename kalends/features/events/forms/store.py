"""The SQL of the forms of events."""

from msgspec import Struct

from kalends import policy
from kalends.http.context import Context

# Suggestions come from the latest events.
_EVENTS, _LOCATIONS = 200, 20


class Location(Struct, frozen=True):
    """Where an event was held."""

    location: str


def find_locations(ctx: Context) -> list[str]:
    """Where the user's own events were held, the latest first."""
    sql = """SELECT location FROM (
            SELECT location, id FROM events WHERE owner_id = :me AND location IS NOT NULL ORDER BY id DESC LIMIT :events
        ) AS latest GROUP BY location ORDER BY max(id) DESC LIMIT :limit"""
    return [each.location for each in ctx.tx.all(Location, sql, me=policy.user(ctx).id, events=_EVENTS, limit=_LOCATIONS)]
