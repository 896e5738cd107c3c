"""The cookie that recognizes a device on which a user has signed in with the password. It is known without the database."""

import hmac

from msgspec import Struct

from kalends.core.settings import Settings
from kalends.core.tokens import derive
from kalends.http.context import read_cookie
from kalends.http.origin import HOST_PREFIX

NAME = "kalends_device"


class Device(Struct, frozen=True):
    """A device, and the user who has signed in on it."""

    user_id: int
    nonce: str


def cookie_name(settings: Settings) -> str:
    return HOST_PREFIX + NAME if settings.https else NAME


def write(settings: Settings, device: Device) -> str:
    """The value of the cookie."""
    return f"{device.user_id}.{device.nonce}.{_mac(settings, str(device.user_id), device.nonce)}"


def read(settings: Settings, header: str) -> Device | None:
    """The device of a Cookie header field; None if there is none, or it is forged."""
    number, nonce, mac = [*(read_cookie(header, cookie_name(settings)) or "").split(".", 2), "", ""][:3]
    if not nonce or not hmac.compare_digest(mac.encode(errors="replace"), _mac(settings, number, nonce).encode()):
        return None
    return Device(int(number), nonce)


def _mac(settings: Settings, number: str, nonce: str) -> str:
    return derive(settings, "device", f"{number}.{nonce}")[:32]
