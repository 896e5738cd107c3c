"""A new password for someone who has forgotten theirs, by a link that is mailed to them."""

from kalends import policy
from kalends.core.i18n import gettext
from kalends.core.records.people import User
from kalends.db import Retry
from kalends.features.calendars import sharing_store as sharing
from kalends.features.deliveries import store as deliveries
from kalends.features.identities import store as identities
from kalends.features.keys import store as keys
from kalends.features.passkeys import store as passkeys
from kalends.features.sessions import store as sessions
from kalends.features.users import store
from kalends.features.users.model import NewPassword, ResetRequest
from kalends.features.users.rules import passwords
from kalends.features.users.steps import mailed_links, weak_passwords
from kalends.features.users.totp import store as totp
from kalends.features.webhooks import store as webhooks
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.web.forms import FormState
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render

EXPIRED = gettext("This link no longer works: it has already been used, or is older than an hour. Request a new one.")


@page("GET", "/reset", guests=True)
def ask(ctx: Context, form: FormState | None = None) -> Document:
    """The form to ask for a link."""
    policy.require_passwords(ctx)
    return render("account/reset.html", ctx, title=gettext("Reset your password"), form=form)


@page("POST", "/reset", guests=True, rate_limited=True, fixed_time=True, again=ask)
def mail(ctx: Context, params: Form) -> Document:
    """Queue the request; a worker finds the user and mails the link. So the reply does not tell whether there is such a user."""
    policy.require_passwords(ctx)
    store.insert_reset_request(ctx, params.read(ResetRequest).user_name)
    return redirect(ctx, "/reset", done="mailed")


@page("GET", "/reset/{reset_token}", guests=True, credentials=False)
def choose(ctx: Context, reset_token: str, form: FormState | None = None) -> Document:
    """The form to choose a new password. No cache may store it: its URL opens the account."""
    user = mailed_links.find_user_to_reset(ctx, reset_token)
    if user is None:
        return _render_expired(ctx)
    ctx.headers["Cache-Control"] = "no-store"
    return render("account/reset_password.html", ctx, title=gettext("New password"), form=form, user=user)


@page("POST", "/reset/{reset_token}", guests=True, rate_limited=True, credentials=False, again=choose, pool="hash")
def reset(ctx: Context, reset_token: str, params: Form) -> Document:
    """Set the new password, end all sessions of the user and delete their keys: someone else may have them."""
    policy.require_passwords(ctx)
    with ctx.read():
        user = mailed_links.find_user_to_reset(ctx, reset_token)
    if user is None:
        return _render_expired(ctx)
    password = params.read(NewPassword).password
    weak_passwords.refuse(ctx, password, user)
    password_hash = passwords.hash_password(password)
    with ctx.write():
        _store(ctx, user, password_hash)
    return redirect(ctx, "/sign-in", done="password")


def _store(ctx: Context, user: User, password_hash: str) -> None:
    current = store.lock(ctx, user)
    if current.email_address != user.email_address:
        # A change of the address ends the link, also while it is used.
        raise Retry
    store.update_password(ctx, user.id, password_hash)
    if current.verified_at is None:
        # Someone else may have registered with the address, to read what its owner writes, or to keep them out.
        sharing.end_all(ctx, user.id)
        totp.delete(ctx, user.id)
        identities.delete_all(ctx, user.id)
    # The link was mailed to the address, so it is verified.
    store.verify(ctx, current)
    sessions.delete_all(ctx, user.id)
    keys.delete_all(ctx, user.id)
    passkeys.delete_all(ctx, user.id)
    webhooks.disable_all(ctx, user.id)
    deliveries.insert_account_mail(ctx, user, "notice", "password_reset")


def _render_expired(ctx: Context) -> Document:
    return render("account/reset.html", ctx, title=gettext("Reset your password"), form=FormState(problem=EXPIRED), status=404)
