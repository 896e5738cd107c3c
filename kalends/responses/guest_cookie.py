"""A signed cookie with what the guests of a browser responded, and with the personal link if they have proved the address."""

import hmac

from msgspec import Struct

from kalends.context import Context
from kalends.http.origin import HOST_PREFIX
from kalends.tokens import derive

COOKIE = "kalends_responses"
LIFETIME = 180 * 86_400
# The latest events; a cookie has at most 4,096 bytes.
MAX_EVENTS = 30


class OwnResponse(Struct, frozen=True):
    """What this browser responded to an event."""

    response: str
    # What follows /r/ in the personal link; empty without proof.
    token: str


def put(ctx: Context, event_id: int, response: str, token: str = "") -> None:
    """Remember the response. Without proof there is no link, or a stranger's browser would get that of an earlier response."""
    entries = {each: own for each, own in _read(ctx).items() if each != event_id}
    _write(ctx, entries | {event_id: OwnResponse(response, token)})


def remove(ctx: Context, event_id: int) -> None:
    _write(ctx, {each: own for each, own in _read(ctx).items() if each != event_id})


def find(ctx: Context, event_id: int) -> OwnResponse | None:
    """What this browser responded to the event."""
    return _read(ctx).get(event_id)


def _read(ctx: Context) -> dict[int, OwnResponse]:
    mac, _, text = ctx.caller.cookie(_name(ctx)).partition(".")
    if not text or not hmac.compare_digest(mac.encode(errors="replace"), _mac(ctx, text).encode()):
        return {}
    entries = (entry.split("!") for entry in text.split("*"))
    return {int(event_id): OwnResponse(response, token) for event_id, response, token in entries}


def _write(ctx: Context, entries: dict[int, OwnResponse]) -> None:
    latest = list(entries.items())[-MAX_EVENTS:]
    text = "*".join(f"{event_id}!{own.response}!{own.token}" for event_id, own in latest)
    ctx.set_cookie(_name(ctx), f"{_mac(ctx, text)}.{text}" if text else "", LIFETIME if text else 0)


def _mac(ctx: Context, text: str) -> str:
    return derive(ctx.settings, "guest responses", text)[:32]


def _name(ctx: Context) -> str:
    return HOST_PREFIX + COOKIE if ctx.settings.https else COOKIE
