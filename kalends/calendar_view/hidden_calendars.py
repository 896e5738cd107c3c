"""The calendars that readers do not want to see in their calendar, remembered by their browser."""

from collections.abc import Iterable

from kalends.context import Context

COOKIE = "kalends_hidden"
YEAR = 365 * 86_400
# What a cookie has room for.
MAX_IDS = 200


def hidden_ids(ctx: Context) -> frozenset[int]:
    """The ids of the hidden calendars."""
    parts = ctx.caller.cookie(COOKIE).split(".")[:MAX_IDS]
    return frozenset(int(part) for part in parts if part.isascii() and part.isdigit() and len(part) < 20)


def remember(ctx: Context, offered: Iterable[int], ticked: Iterable[int]) -> None:
    """Store the choice: of the offered calendars, those without a tick are hidden. Others stay as they were."""
    unticked = set(offered) - set(ticked)
    hidden = sorted(unticked) + sorted(hidden_ids(ctx) - set(offered))
    ctx.set_cookie(COOKIE, ".".join(map(str, hidden[:MAX_IDS])), YEAR if hidden else 0)
