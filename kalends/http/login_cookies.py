"""The cookies of a login: the session cookie, and one that recognizes a device on which a user has signed in with the password.

The device is known without the database."""

import hmac
from secrets import token_urlsafe

from msgspec import Struct

from kalends.core.records.credentials import LIFETIME
from kalends.core.settings import Settings
from kalends.core.tokens import derive
from kalends.http.context import Context, read_cookie
from kalends.http.origin import COOKIE, HOST_PREFIX

DEVICE_COOKIE = "kalends_device"
DEVICE_LIFETIME = 365 * 86_400


class Device(Struct, frozen=True):
    """A device, and the user who has signed in on it."""

    user_id: int
    nonce: str


def set_session(ctx: Context, token: str) -> None:
    ctx.set_cookie(_name(ctx.settings, COOKIE), token, LIFETIME)


def clear_session(ctx: Context) -> None:
    """Clear both cookie names: an older cookie may lack the prefix."""
    for name in dict.fromkeys((_name(ctx.settings, COOKIE), COOKIE)):
        ctx.set_cookie(name, "", 0)


def set_device(ctx: Context, user_id: int) -> None:
    """Remember that the user signed in with their password on this device."""
    device = Device(user_id, device_of(ctx, user_id) or token_urlsafe(16))
    value = f"{device.user_id}.{device.nonce}.{_mac(ctx.settings, str(device.user_id), device.nonce)}"
    ctx.set_cookie(_name(ctx.settings, DEVICE_COOKIE), value, DEVICE_LIFETIME)


def device_of(ctx: Context, user_id: int) -> str | None:
    """The id of the device, if the user has signed in on it before."""
    device = find_device(ctx.settings, ctx.caller.headers.get("cookie", ""))
    return device.nonce if device and device.user_id == user_id else None


def find_device(settings: Settings, header: str) -> Device | None:
    """The device of a Cookie header field; None if there is none, or it is forged."""
    number, nonce, mac = [*(read_cookie(header, _name(settings, DEVICE_COOKIE)) or "").split(".", 2), "", ""][:3]
    if not nonce or not hmac.compare_digest(mac.encode(errors="replace"), _mac(settings, number, nonce).encode()):
        return None
    return Device(int(number), nonce)


def _name(settings: Settings, name: str) -> str:
    return HOST_PREFIX + name if settings.https else name


def _mac(settings: Settings, number: str, nonce: str) -> str:
    return derive(settings, "device", f"{number}.{nonce}")[:32]
