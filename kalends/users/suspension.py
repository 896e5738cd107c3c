"""Suspending an account: it cannot be used any more, and what it has published stays."""

from kalends.audit import store as audit
from kalends.context import Context
from kalends.deliveries import store as deliveries
from kalends.keys import store as keys
from kalends.sessions import store as sessions
from kalends.users import store
from kalends.webhooks import store as webhooks


def suspend(ctx: Context, user_id: int) -> None:
    """Refuse logins from now on, end sessions, delete keys, switch webhooks off, and take back messages that are still queued.

    Their events stay: guests have responded to them. An admin hides single ones, or deletes the account with all of them."""
    store.update_status(ctx, user_id, "suspended")
    sessions.delete_all(ctx, user_id)
    keys.delete_all(ctx, user_id)
    webhooks.disable_all(ctx, user_id, "suspended")
    deliveries.take_back(ctx, user_id, "The account of the organiser was suspended before it was sent.")
    audit.record(ctx, "account_suspended", "account", user_id)


def activate(ctx: Context, user_id: int) -> None:
    """Let the user sign in (again). They make new keys and enable their webhooks themselves."""
    store.update_status(ctx, user_id, "active")
    audit.record(ctx, "account_activated", "account", user_id)
