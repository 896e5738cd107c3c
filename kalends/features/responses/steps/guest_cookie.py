"""A signed cookie with the person who responded in a browser, what they responded, and a key: its hash is stored with a response that was
made without proof, so that nobody else changes it. It holds the personal link of those who have proved the address."""

import hashlib
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode

import msgspec
from msgspec import Struct, structs

from kalends.core.records.response import Attendance
from kalends.core.tokens import derive, new_token
from kalends.features.responses.rules.ticket import TicketPlace
from kalends.http.context import Context, read_cookie
from kalends.http.origin import HOST_PREFIX

COOKIE = "kalends_responses"
LIFETIME = 180 * 86_400
# The latest events; a cookie has at most 4,096 bytes.
MAX_EVENTS = 20
KEY_DIGITS, HASH_DIGITS = 22, 32
# A longer name or address is not remembered.
MAX_TEXT = 200


class OwnResponse(Struct, frozen=True, array_like=True):
    """What this browser responded to an event."""

    response: Attendance
    # What follows /r/ in the personal link; empty without proof.
    token: str = ""
    people: int = 1
    # What a newcomer gets; None: only the mail says it.
    place: TicketPlace | None = None
    is_series: bool = False


class Guest(Struct, frozen=True, array_like=True):
    """The person who uses the browser. The key is random."""

    key: str = ""
    name: str = ""
    address: str = ""
    events: dict[int, OwnResponse] = {}


NOBODY = Guest()


def ensure_key(ctx: Context) -> None:
    """Give the browser a key with this reply, unless it has one."""
    guest = read(ctx)
    if not guest.key:
        _write(ctx, structs.replace(guest, key=new_token()[:KEY_DIGITS]))


def browser(ctx: Context) -> str | None:
    """The hash of the key of the browser; None if it has no key."""
    key = read(ctx).key
    return hashlib.sha256(key.encode()).hexdigest()[:HASH_DIGITS] if key else None


def put(ctx: Context, event_id: int, own: OwnResponse) -> None:
    """Remember the response. Without proof there is no link, or a stranger's browser would get that of an earlier response."""
    guest = read(ctx)
    events = {each: other for each, other in guest.events.items() if each != event_id} | {event_id: own}
    _write(ctx, structs.replace(guest, events=dict(list(events.items())[-MAX_EVENTS:])))


def put_person(ctx: Context, name: str | None, address: str) -> None:
    """Remember who responded, for the forms of other events."""
    guest = read(ctx)
    if len(address) <= MAX_TEXT:
        _write(ctx, structs.replace(guest, name=(name or "")[:MAX_TEXT], address=address))


def remove(ctx: Context, event_id: int) -> None:
    guest = read(ctx)
    _write(ctx, structs.replace(guest, events={each: own for each, own in guest.events.items() if each != event_id}))


def find(ctx: Context, event_id: int) -> OwnResponse | None:
    """What this browser responded to the event."""
    return read(ctx).events.get(event_id)


def read(ctx: Context) -> Guest:
    """What the cookie says; one that this reply sets counts already."""
    name = _name(ctx)
    latest = next((cookie for cookie in reversed(ctx.cookies) if cookie.startswith(f"{name}=")), None)
    value = ctx.caller.cookie(name) if latest is None else read_cookie(latest, name) or ""
    mac, _, text = value.partition(".")
    if not text or not hmac.compare_digest(mac.encode(errors="replace"), _mac(ctx, text).encode()):
        return NOBODY
    return msgspec.json.decode(urlsafe_b64decode(text + "=" * (-len(text) % 4)), type=Guest)


def _write(ctx: Context, guest: Guest) -> None:
    text = "" if guest == NOBODY else urlsafe_b64encode(msgspec.json.encode(guest)).decode().rstrip("=")
    ctx.set_cookie(_name(ctx), f"{_mac(ctx, text)}.{text}" if text else "", LIFETIME if text else 0)


def _mac(ctx: Context, text: str) -> str:
    return derive(ctx.settings, "guest", text)[:32]


def _name(ctx: Context) -> str:
    return HOST_PREFIX + COOKIE if ctx.settings.https else COOKIE
