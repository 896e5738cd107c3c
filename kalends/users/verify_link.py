"""The mailed link that verifies an e-mail address."""

from functools import partial

from kalends.context import Context
from kalends.records.user import User
from kalends.settings import Settings
from kalends.tokens import derive
from kalends.users import signed_link
from kalends.values.text import fold_case

VALID_FOR = 7 * 86_400


def verify_url(settings: Settings, user: User, issued_at: int) -> str:
    return f"{settings.url}/verify/{user.id}-{issued_at}-{_mac(settings, user, issued_at)}"


def find_user(ctx: Context, token: str) -> User | None:
    """The user whose address the link verifies, while it is valid."""
    return signed_link.find_user(ctx, token, VALID_FOR, partial(_mac, ctx.settings))


def _mac(settings: Settings, user: User, issued_at: int) -> str:
    """It covers the address: a link for another address is void."""
    return derive(settings, "verify", f"{user.id}.{issued_at}.{fold_case(user.email_address)}")[:32]
