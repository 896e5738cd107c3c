"""Links that are mailed to a user, to set a new password or to verify an address. Their tokens
`<user id>-<time of issue>-<MAC>` are signed, and not stored anywhere."""

import hmac
from collections.abc import Callable
from functools import partial

from kalends.core import errors
from kalends.core.records.people import User
from kalends.core.settings import Settings
from kalends.core.tokens import derive
from kalends.core.values.text import fold_case
from kalends.features.users import store
from kalends.http.context import Context

RESET_SECONDS = 3600


def reset_url(settings: Settings, user: User, issued_at: int) -> str:
    return f"{settings.url}/reset/{user.id}-{issued_at}-{_reset_mac(settings, user, issued_at)}"


def find_user_to_reset(ctx: Context, token: str) -> User | None:
    """The user whose password the link resets, while it is valid."""
    return _find_user(ctx, token, RESET_SECONDS, partial(_reset_mac, ctx.settings))


def _reset_mac(settings: Settings, user: User, issued_at: int) -> str:
    """It covers the password hash and the address: a link works once, and not after a change of address."""
    return derive(settings, "reset", f"{user.id}.{issued_at}.{user.email_address}.{user.password_hash}")[:32]


VERIFY_SECONDS = 7 * 86_400


def verify_url(settings: Settings, user: User, issued_at: int) -> str:
    return f"{settings.url}/verify/{user.id}-{issued_at}-{_verify_mac(settings, user, issued_at)}"


def find_user_to_verify(ctx: Context, token: str) -> User | None:
    """The user whose address the link verifies, while it is valid."""
    return _find_user(ctx, token, VERIFY_SECONDS, partial(_verify_mac, ctx.settings))


def _verify_mac(settings: Settings, user: User, issued_at: int) -> str:
    """It covers the address: a link for another address is void."""
    return derive(settings, "verify", f"{user.id}.{issued_at}.{fold_case(user.email_address)}")[:32]


MAX_DIGITS = 18


def _find_user(ctx: Context, token: str, valid_for: int, mac_of: Callable[[User, int], str]) -> User | None:
    """The user of a token that is genuine and has not expired."""
    number, issued, mac = [*token.split("-", 2), "", ""][:3]
    if not _is_number(number) or not _is_number(issued):
        return None
    try:
        user = store.get(ctx, int(number))
    except errors.NotFound:
        return None
    issued_at = int(issued)
    if not issued_at <= ctx.now < issued_at + valid_for:
        return None
    return user if hmac.compare_digest(mac.encode(), mac_of(user, issued_at).encode()) else None


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS
