"""The address under which somebody who has forgotten their password sets a new one."""

import hmac

from kalends import errors
from kalends.context import Context
from kalends.settings import Settings
from kalends.tokens import derive
from kalends.users import store
from kalends.users.model import User

VALID_FOR = 3600
MOST_DIGITS = 18


def reset_url(settings: Settings, user: User, issued_at: int) -> str:
    """It follows from the server's secret, and from what the user has now, so it is stored nowhere, and works once."""
    return f"{settings.url}/reset/{user.id}-{issued_at}-{_mac(settings, user, issued_at)}"


def user_of(ctx: Context, token: str) -> User | None:
    """Whose link this is, while it works."""
    read = numbers(token)
    if read is None:
        return None
    user_id, issued_at, mac = read
    try:
        user = store.get(ctx, user_id)
    except errors.NotFound:
        return None
    if not issued_at <= ctx.now < issued_at + VALID_FOR:
        return None
    return user if hmac.compare_digest(mac.encode(), _mac(ctx.settings, user, issued_at).encode()) else None


def numbers(token: str) -> tuple[int, int, str] | None:
    """The user's id, when the link was issued, and its MAC."""
    number, issued, mac = [*token.split("-", 2), "", ""][:3]
    return (int(number), int(issued), mac) if _is_number(number) and _is_number(issued) else None


def _mac(settings: Settings, user: User, issued_at: int) -> str:
    """Another password or another address makes it another."""
    return derive(settings, "reset", f"{user.id}.{issued_at}.{user.email_address}.{user.password_hash}")[:32]


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS
