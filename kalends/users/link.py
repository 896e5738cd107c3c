"""The address under which somebody who has forgotten their password sets a new one."""

import hmac

from kalends import errors
from kalends.context import Context
from kalends.settings import Settings
from kalends.tokens import derived
from kalends.users import store
from kalends.users.model import User

VALID_FOR = 3600
MOST_DIGITS = 18


def reset_url(settings: Settings, user: User, issued_at: int) -> str:
    """It follows from the server's secret, and from what the user has now, so it is stored nowhere, and works once."""
    return f"{settings.url}/reset/{user.id}-{issued_at}-{_mac(settings, user, issued_at)}"


def user_of(ctx: Context, token: str) -> User | None:
    """Whose link this is, while it works."""
    number, issued, mac = [*token.split("-", 2), "", ""][:3]
    if not (_is_number(number) and _is_number(issued)):
        return None
    try:
        user = store.get(ctx, int(number))
    except errors.NotFound:
        return None
    if not int(issued) <= ctx.now < int(issued) + VALID_FOR:
        return None
    return user if hmac.compare_digest(mac.encode(), _mac(ctx.settings, user, int(issued)).encode()) else None


def _mac(settings: Settings, user: User, issued_at: int) -> str:
    """Another password or another address makes it another."""
    return derived(settings, "reset", f"{user.id}.{issued_at}.{user.email_address}.{user.password_hash}")[:32]


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS
