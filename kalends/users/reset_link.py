"""The mailed link for setting a new password."""

from functools import partial

from kalends.context import Context
from kalends.records.user import User
from kalends.settings import Settings
from kalends.tokens import derive
from kalends.users import signed_link

VALID_FOR = 3600


def reset_url(settings: Settings, user: User, issued_at: int) -> str:
    return f"{settings.url}/reset/{user.id}-{issued_at}-{_mac(settings, user, issued_at)}"


def find_user(ctx: Context, token: str) -> User | None:
    """The user whose password the link resets, while it is valid."""
    return signed_link.find_user(ctx, token, VALID_FOR, partial(_mac, ctx.settings))


def _mac(settings: Settings, user: User, issued_at: int) -> str:
    """It covers the password hash and the address: a link works once, and not after a change of address."""
    return derive(settings, "reset", f"{user.id}.{issued_at}.{user.email_address}.{user.password_hash}")[:32]
