"""Links with a signed token `<user id>-<time of issue>-<MAC>`, which are not stored anywhere."""

import hmac
from collections.abc import Callable

from kalends import errors
from kalends.context import Context
from kalends.records.user import User
from kalends.users import store

MAX_DIGITS = 18


def find_user(ctx: Context, token: str, valid_for: int, mac_of: Callable[[User, int], str]) -> User | None:
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
