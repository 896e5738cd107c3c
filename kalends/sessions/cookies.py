"""The cookies of a login: the session cookie, and one that recognizes a device on which the user has signed in."""

import hmac
from secrets import token_urlsafe

from kalends.context import Context
from kalends.http.origin import COOKIE, HOST_PREFIX
from kalends.records.session import LIFETIME
from kalends.tokens import derive

DEVICE = "kalends_device"
DEVICE_LIFETIME = 365 * 86_400


def set_session(ctx: Context, token: str) -> None:
    ctx.set_cookie(_name(ctx, COOKIE), token, LIFETIME)


def clear_session(ctx: Context) -> None:
    """Clear both cookie names: an older cookie may lack the prefix."""
    for name in dict.fromkeys((_name(ctx, COOKIE), COOKIE)):
        ctx.set_cookie(name, "", 0)


def set_device(ctx: Context, user_id: int) -> None:
    """Remember that the user signed in with their password on this device."""
    nonce = device_of(ctx, user_id) or token_urlsafe(16)
    ctx.set_cookie(_name(ctx, DEVICE), f"{user_id}.{nonce}.{_mac(ctx, user_id, nonce)}", DEVICE_LIFETIME)


def device_of(ctx: Context, user_id: int) -> str | None:
    """The id of the device, if the user has signed in on it before."""
    number, nonce, mac = [*ctx.caller.cookie(_name(ctx, DEVICE)).split(".", 2), "", ""][:3]
    if number != str(user_id) or not nonce:
        return None
    return nonce if hmac.compare_digest(mac.encode(errors="replace"), _mac(ctx, user_id, nonce).encode()) else None


def _mac(ctx: Context, user_id: int, nonce: str) -> str:
    return derive(ctx.settings, "device", f"{user_id}.{nonce}")[:32]


def _name(ctx: Context, name: str) -> str:
    return HOST_PREFIX + name if ctx.settings.https else name
