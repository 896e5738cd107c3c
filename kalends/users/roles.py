"""The roles of accounts. All admins get mail when there is a new one, so that nobody becomes one unnoticed."""

from kalends.audit import store as audit
from kalends.context import Context
from kalends.deliveries import store as deliveries
from kalends.records.user import Role, User
from kalends.users import registration, store


def change_role(ctx: Context, user: User, role: Role) -> None:
    """Make the user an admin, or a member again."""
    if role == store.get(ctx, user.id).role:
        return
    store.update_role(ctx, user.id, role)
    audit.record(ctx, "role_changed", "account", user.id, role)
    if role == "admin":
        notify_admins(ctx, user)


def notify_admins(ctx: Context, user: User) -> None:
    """Mail all admins that the user is one of them now."""
    for admin in registration.find_admins(ctx):
        deliveries.insert_notice(ctx, user, "admin_added", address=admin.email_address)
