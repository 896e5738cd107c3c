"""The cookies of a login: the session cookie, and one that recognizes a device on which the user has signed in."""

from secrets import token_urlsafe

from kalends.core.records.credentials import LIFETIME
from kalends.http import device_cookie
from kalends.http.context import Context
from kalends.http.device_cookie import Device
from kalends.http.origin import COOKIE, HOST_PREFIX

DEVICE_LIFETIME = 365 * 86_400


def set_session(ctx: Context, token: str) -> None:
    ctx.set_cookie(_name(ctx, COOKIE), token, LIFETIME)


def clear_session(ctx: Context) -> None:
    """Clear both cookie names: an older cookie may lack the prefix."""
    for name in dict.fromkeys((_name(ctx, COOKIE), COOKIE)):
        ctx.set_cookie(name, "", 0)


def set_device(ctx: Context, user_id: int) -> None:
    """Remember that the user signed in with their password on this device."""
    device = Device(user_id, device_of(ctx, user_id) or token_urlsafe(16))
    ctx.set_cookie(device_cookie.cookie_name(ctx.settings), device_cookie.write(ctx.settings, device), DEVICE_LIFETIME)


def device_of(ctx: Context, user_id: int) -> str | None:
    """The id of the device, if the user has signed in on it before."""
    device = device_cookie.read(ctx.settings, ctx.caller.headers.get("cookie", ""))
    return device.nonce if device and device.user_id == user_id else None


def _name(ctx: Context, name: str) -> str:
    return HOST_PREFIX + name if ctx.settings.https else name
