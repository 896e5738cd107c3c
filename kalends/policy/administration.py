"""Who administers the site, and whom they may manage."""

from kalends import errors
from kalends.context import Actor, Context
from kalends.db import columns
from kalends.i18n import gettext
from kalends.policy.actor import user
from kalends.records.site import Site
from kalends.records.user import AccountStatus, User

_INACTIVE = {
    "waiting": "Your account waits for the approval of an administrator. You get mail when you can sign in.",
    "suspended": "Your account is suspended. Write to the administrator.",
}


def is_admin(ctx: Context) -> bool:
    """Whether the actor administers the site. It is read when it matters, so that other requests do not pay for it."""
    return ctx.actor is not None and bool(ctx.tx.rows("SELECT 1 FROM users WHERE id = :me AND role = 'admin'", me=ctx.actor.id))


def admin(ctx: Context) -> Actor:
    """The signed-in user, who must administer the site."""
    actor = user(ctx)
    if not is_admin(ctx):
        raise errors.Forbidden(gettext("Only administrators of this site may do this."))
    return actor


def managed_user(ctx: Context, user_id: int) -> User:
    """A user whose account the actor may approve, suspend, delete, or make an admin: not their own."""
    own_id = admin(ctx).id
    person = ctx.tx.one(User, f"SELECT {columns(User)} FROM users WHERE id = :id", id=user_id)
    if person is None:
        raise errors.NotFound
    if person.id == own_id:
        raise errors.Conflict(gettext("This is your own account. Another administrator may do this, or the command 'kalends users'."))
    return person


def status_of_new_account(site: Site, *, is_invited: bool) -> AccountStatus:
    """The status of an account that someone makes. Raises Forbidden if they may not make one."""
    if site.registration == "open" or (is_invited and site.registration != "closed"):
        return "active"
    if site.registration == "approval":
        return "waiting"
    if site.registration == "invitation":
        raise errors.Forbidden(gettext("Accounts are by invitation here. Open the link in the mail that invites you."))
    raise errors.Forbidden(gettext("Registration is closed here. Ask the operator for an account."))


def require_active(user: User) -> None:
    """Raise Forbidden if the account cannot be used."""
    if user.status != "active":
        raise errors.Forbidden(_INACTIVE[user.status])
