"""Who administers the site, and whom they may manage."""

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.administration import Site
from kalends.core.records.people import AccountStatus, User
from kalends.db import columns
from kalends.http.context import Actor, Context
from kalends.policy.actor import may_administer, user

_INACTIVE = {
    "waiting": "Your account waits for the approval of an administrator. You get mail when you can sign in.",
    "suspended": "Your account is suspended. Write to the administrator.",
}


def is_admin(ctx: Context) -> bool:
    """Whether the actor administers the site. It is read when it matters, so that other requests do not pay for it."""
    if ctx.actor is None or not may_administer(ctx.actor):
        return False
    return bool(ctx.tx.rows("SELECT 1 FROM users WHERE id = :me AND role = 'admin'", me=ctx.actor.id))


def admin(ctx: Context) -> Actor:
    """The signed-in user, who must administer the site."""
    actor = user(ctx)
    if not is_admin(ctx):
        raise errors.Forbidden(gettext("Only administrators of this site can do this."))
    return actor


def has_admin(ctx: Context) -> bool:
    """Whether the site has an administrator."""
    return bool(ctx.tx.rows("SELECT 1 FROM users WHERE role = 'admin' AND id > 0 LIMIT 1"))


def require_other_admin(ctx: Context, person: User) -> None:
    """Raise Conflict if the person is the last administrator, in a write transaction: a site must not be without."""
    if not has_other_admin(ctx, person):
        raise errors.Conflict(gettext("This is the site’s last administrator. Make someone else an administrator first."))


def has_other_admin(ctx: Context, person: User) -> bool:
    """Whether the site has an administrator without this person, in a write transaction."""
    if person.role != "admin":
        return True
    ctx.tx.advisory_lock("first admin")
    others = "SELECT 1 FROM users WHERE role = 'admin' AND status = 'active' AND id > 0 AND id <> :id LIMIT 1"
    return bool(ctx.tx.rows(others, id=person.id))


def managed_user(ctx: Context, user_id: int) -> User:
    """A user whose account the actor may approve, suspend, delete, or make an admin: not their own."""
    own_id = admin(ctx).id
    person = ctx.tx.one(User, f"SELECT {columns(User)} FROM users WHERE id = :id", id=user_id)
    if person is None:
        raise errors.NotFound
    if person.id == own_id:
        raise errors.Conflict(
            gettext("You can’t do this to your own account. Ask another administrator, or use the command 'kalends users'.")
        )
    return person


def status_of_new_account(site: Site, *, is_invited: bool) -> AccountStatus:
    """The status of an account that someone creates. Raises Forbidden if they may not create one: without an invitation, the first account
    is that of the administrator, who has the one-time code."""
    if site.is_new and not is_invited:
        raise errors.Forbidden(gettext("This site is new. Its administrator creates the first account, with the one-time code."))
    if site.registration == "open" or (is_invited and site.registration != "closed"):
        return "active"
    if site.registration == "approval":
        return "waiting"
    if site.registration == "invitation":
        raise errors.Forbidden(gettext("Sign-up is by invitation here. Open the link in your invitation email."))
    raise errors.Forbidden(gettext("Sign-up is closed here. Ask the server operator for an account."))


def require_active(user: User) -> None:
    """Raise Forbidden if the account cannot be used."""
    if user.status != "active":
        raise errors.Forbidden(_INACTIVE[user.status])
