"""What admins decide about accounts: approval, suspension, roles, and lost second factors."""

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.delivery import AccountNotice
from kalends.core.records.people import Role, User
from kalends.features.admin.audit import store as audit
from kalends.features.calendars import sharing_store as sharing
from kalends.features.deliveries import store as deliveries
from kalends.features.identities import store as identities
from kalends.features.keys import store as keys
from kalends.features.passkeys import store as passkeys
from kalends.features.sessions import store as sessions
from kalends.features.users import store
from kalends.features.users.totp import store as totp
from kalends.features.webhooks import store as webhooks
from kalends.http.context import Context


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
        raise errors.Conflict(gettext("This account isn’t awaiting approval."))
    return current


def suspend(ctx: Context, user_id: int) -> None:
    """Refuse logins from now on, end sessions, delete keys, switch webhooks off, take back messages that are still queued, and give the
    feeds of the calendars of others that the user edits new secret URLs.

    Their events stay: guests have responded to them. An admin hides single ones, or deletes the account with all of them."""
    policy.require_other_admin(ctx, store.get(ctx, user_id))
    store.update_status(ctx, user_id, "suspended")
    sessions.delete_all(ctx, user_id)
    keys.delete_all(ctx, user_id)
    webhooks.disable_all(ctx, user_id, "suspended")
    sharing.reset_feeds_of_editor(ctx, user_id)
    deliveries.take_back(ctx, user_id, "The account of the organiser was suspended before it was sent.")
    audit.record(ctx, "account_suspended", "account", user_id)


def activate(ctx: Context, user_id: int) -> None:
    """Let the user sign in (again). They make new keys and enable their webhooks themselves."""
    store.update_status(ctx, user_id, "active")
    audit.record(ctx, "account_activated", "account", user_id)


def change_role(ctx: Context, user: User, role: Role) -> None:
    """Make the user an admin, or a member again."""
    current = store.get(ctx, user.id)
    if role == current.role:
        return
    policy.require_other_admin(ctx, current)
    store.update_role(ctx, user.id, role)
    audit.record(ctx, "role_changed", "account", user.id, role)
    if role == "admin":
        notify_admins(ctx, user)


def remove_factors(ctx: Context, user: User, *, with_identities: bool) -> bool:
    """Turn off the user's one-time codes, and remove passkeys and linked accounts at providers; the user gets mail. Returns whether the
    password signs in. Raises Conflict if nothing would be left to sign in with, or there is nothing to remove."""
    has_password = policy.accepts_password(ctx, user)
    if with_identities and not has_password:
        raise errors.Conflict(gettext("While passwords are switched off, nobody could sign in without these accounts."))
    removed: dict[AccountNotice, bool] = {
        "identity_unlinked": with_identities and identities.delete_all(ctx, user.id) > 0,
        "codes_disabled": totp.delete(ctx, user.id),
        "passkey_removed": passkeys.delete_all(ctx, user.id) > 0,
    }
    if not any(removed.values()):
        raise errors.Conflict(gettext("Nothing to remove: the account has no one-time codes and no passkeys."))
    for notice in (name for name, is_removed in removed.items() if is_removed):
        deliveries.insert_account_mail(ctx, user, "notice", notice)
    audit.record(ctx, "factors_removed", "account", user.id)
    return has_password


def notify_admins(ctx: Context, user: User) -> None:
    """Mail all admins that the user is one of them now."""
    for admin in store.find_admins(ctx):
        deliveries.insert_notice(ctx, user, "admin_added", address=admin.email_address)
