"""The link by which the first admin makes an account, while there is none: `kalends serve` prints it. A server that can be reached before
its operator has registered does not belong to the first who registers."""

import hmac

from kalends.context import Context
from kalends.tokens import derive
from kalends.users import store


def find_url(ctx: Context) -> str | None:
    """The address of the link; None if there is an admin."""
    return None if store.has_admin(ctx) else f"{ctx.settings.url}/sign-up/{_token(ctx)}"


def is_valid(ctx: Context, token: str) -> bool:
    """Whether the token makes the first admin."""
    return token.startswith("first-") and not store.has_admin(ctx) and hmac.compare_digest(token.encode(), _token(ctx).encode())


def _token(ctx: Context) -> str:
    """Another one after each admin, so that a used link is void for good."""
    admins = ctx.tx.value("SELECT count(*) FROM audit_entries WHERE id > 0 AND detail = 'admin'")
    return f"first-{derive(ctx.settings, 'first admin', str(admins))[:32]}"
