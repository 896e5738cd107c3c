"""What admins decide about accounts that wait for approval. The person gets mail about it."""

from kalends import errors
from kalends.audit import store as audit
from kalends.context import Context
from kalends.deliveries import store as deliveries
from kalends.i18n import gettext
from kalends.records.user import User
from kalends.users import store


def approve(ctx: Context, user: User) -> None:
    """Let the user sign in."""
    waiting = _lock(ctx, user)
    store.update_status(ctx, waiting.id, "active")
    deliveries.insert_notice(ctx, waiting, "account_approved")
    audit.record(ctx, "account_approved", "account", waiting.id)


def refuse(ctx: Context, user: User, admin: User | None) -> None:
    """Delete the account. admin: in whose name the person gets mail."""
    waiting = _lock(ctx, user)
    store.delete(ctx, waiting.id)
    audit.record(ctx, "account_refused", "account", waiting.id)
    if admin:
        deliveries.insert_notice(ctx, admin, "account_refused", address=waiting.email_address)


def _lock(ctx: Context, user: User) -> User:
    """The user, who must still wait: two admins may decide at the same time."""
    current = store.lock(ctx, user)
    if current.status != "waiting":
        raise errors.Conflict(gettext("This account does not wait for approval."))
    return current
