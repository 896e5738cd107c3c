"""A site for its members only: without an account, nobody sees a list, a feed or a record of it. What someone was given the link of still
works: an event by its link, an invitation, a response, what mails lead to, and the way to an account."""

import re

from kalends.core import errors
from kalends.http.context import Context

# The endpoints that guests reach in any case, by their URLs: each needs a secret that its holder was given, or has nothing of the events.
# A feed of a calendar needs its key, which `calendar_feed` requires.
_OPEN = re.compile(
    r"""
    /(sign-in|sign-out|sign-up|language|reset|verify|account/notices|deliveries/stop)(/.*)?   # the way to an account, and out of mail
    | /(e|i|r|u|c|unsubscribe|confirm)/.*                                                     # links to one event or one person
    | /api/(session|users|users/new|site|openapi) | /api | /docs.* | /openapi\.json           # signing in, and what the API is
    | /(static|pictures|accent)/.* | /api/calendars/\{calendar_id\}\.ics | /manifest\.json | /robots\.txt | /healthz | /readyz | /metrics
    """,
    re.VERBOSE,
)


def is_open_to_guests(url: str) -> bool:
    """Whether guests reach the endpoint of this URL also on a site for members."""
    return _OPEN.fullmatch(url) is not None


def require_member(ctx: Context) -> None:
    """Raise Unauthorized for guests of a site for members."""
    if ctx.actor is None and is_for_members(ctx):
        raise errors.Unauthorized


def is_for_members(ctx: Context) -> bool:
    with ctx.join_read() as tx:
        return bool(tx.rows("SELECT 1 FROM site WHERE visibility = 'members'"))
