"""The address under which somebody proves that an e-mail address is theirs."""

import hmac

from kalends import errors
from kalends.context import Context
from kalends.settings import Settings
from kalends.tokens import derive
from kalends.users import store
from kalends.users.model import User
from kalends.users.reset_link import numbers
from kalends.values.text import fold_case

VALID_FOR = 7 * 86_400


def verify_url(settings: Settings, user: User, issued_at: int) -> str:
    """It follows from the server's secret, the user and the address, so it is stored nowhere, and another address ends it."""
    return f"{settings.url}/verify/{user.id}-{issued_at}-{_mac(settings, user, issued_at)}"


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


def _mac(settings: Settings, user: User, issued_at: int) -> str:
    return derive(settings, "verify", f"{user.id}.{issued_at}.{fold_case(user.email_address)}")[:32]
