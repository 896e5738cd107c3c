"""The time zone in which pages show times: a member's own; for guests the one in their cookie, else the site's."""

from kalends.core.values.datetimes import known_zones
from kalends.http.context import Context
from kalends.policy import site as sites

COOKIE = "kalends_zone"
YEAR = 365 * 86_400


def reader_zone(ctx: Context) -> str:
    """The time zone of the reader."""
    if ctx.actor:
        return ctx.actor.time_zone
    zone = ctx.caller.cookie(COOKIE)
    return zone if zone in known_zones() else sites.get_or_default(ctx).time_zone


def remember_zone(ctx: Context, zone: str) -> None:
    """Store the choice of a guest in a cookie. Members set theirs in their settings."""
    if ctx.actor is None and zone != ctx.caller.cookie(COOKIE):
        ctx.set_cookie(COOKIE, zone, YEAR)
