"""On whose clocks pages show times: a member's own, and for guests the zone that they chose, or else the site's."""

from kalends.context import Context
from kalends.values.datetimes import known_zones

COOKIE = "kalends_zone"
YEAR = 365 * 86_400


def reader_zone(ctx: Context) -> str:
    """The zone of the reader: all pages agree on it."""
    if ctx.actor:
        return ctx.actor.time_zone
    chosen = ctx.caller.cookie(COOKIE)
    return chosen if chosen in known_zones() else ctx.settings.time_zone


def remember(ctx: Context, zone: str) -> None:
    """Keep the choice of a guest. Members set theirs in their settings."""
    if ctx.actor is None and zone != ctx.caller.cookie(COOKIE):
        ctx.set_cookie(COOKIE, zone, YEAR)
