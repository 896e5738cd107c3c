"""A new password for somebody who has forgotten theirs, by a link that is mailed to them."""

from kalends.calendars import sharing
from kalends.context import Context
from kalends.db import Retry
from kalends.deliveries import store as deliveries
from kalends.http.endpoint import Document, endpoint
from kalends.http.input.form import Form
from kalends.keys import store as keys
from kalends.sessions import store as sessions
from kalends.users import passwords, reset_link, reset_requests, store, weak_passwords
from kalends.users.model import Forgotten, NewPassword, User
from kalends.web.forms import FormState, submit
from kalends.web.render import redirect, render

OVER = "This link does not work any more: it was used, or is older than an hour. Ask for a new one."


@endpoint("GET", "/reset", guests=True, format="html")
def ask(ctx: Context) -> Document:
    """The form to ask for a link."""
    return _asking(ctx, FormState())


@endpoint("POST", "/reset", guests=True, limited=True, transaction=False, format="html")
def mail(ctx: Context, params: Form) -> Document:
    """Note that the user wants the link; a worker finds and mails them. What is done here is the same whether or not there is one."""

    def act() -> Document:
        reset_requests.insert(ctx, params.read(Forgotten).user_name)
        return redirect(ctx, "/reset", done="mailed")

    return submit(ctx, params, act, lambda state: _asking(ctx, state))


@endpoint("GET", "/reset/{reset_token}", guests=True, credentials=False, format="html")
def choose(ctx: Context, reset_token: str) -> Document:
    """The form to choose a new password."""
    user = reset_link.user_of(ctx, reset_token)
    return _choosing(ctx, user, FormState()) if user else _over(ctx)


@endpoint("POST", "/reset/{reset_token}", guests=True, limited=True, credentials=False, transaction=False, pool="hash", format="html")
def reset(ctx: Context, reset_token: str, params: Form) -> Document:
    """Set the new password, end all sessions of the user and delete their keys: whoever had them may be why it is new."""
    with ctx.read():
        user = reset_link.user_of(ctx, reset_token)
        if user is None:
            return _over(ctx)
    return submit(ctx, params, lambda: _set(ctx, user, params), lambda state: _choosing(ctx, user, state), write=False)


def _set(ctx: Context, user: User, params: Form) -> Document:
    password = params.read(NewPassword).password
    weak_passwords.refuse(ctx, password, user)
    password_hash = passwords.hashed(password)
    with ctx.write():
        held = store.hold(ctx, user)
        if held.email_address != user.email_address:
            # Another address ends the link, also while it is used.
            raise Retry
        store.update_password(ctx, user.id, password_hash)
        if held.verified_at is None:
            # Somebody else may have registered with the address, to read what its owner writes.
            sharing.end_all(ctx, user.id)
        # Whoever has the link reads what is sent to the address.
        store.verify(ctx, held)
        sessions.delete_all(ctx, user.id)
        keys.delete_all(ctx, user.id)
        deliveries.insert_account_mail(ctx, user, "notice", "password_reset")
    return redirect(ctx, "/sign-in", done="password")


def _asking(ctx: Context, state: FormState, status: int = 200) -> Document:
    return render("users/reset.html", ctx, title="Forgotten password", form=state, status=status)


def _over(ctx: Context) -> Document:
    return _asking(ctx, FormState(problem=OVER), status=404)


def _choosing(ctx: Context, user: User, state: FormState) -> Document:
    """Kept by no cache: the page's address opens the account."""
    ctx.headers["Cache-Control"] = "no-store"
    return render("users/choose.html", ctx, title="New password", form=state, user=user)
