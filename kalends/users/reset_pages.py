"""A new password for somebody who has forgotten theirs, by a link that is mailed to them."""

from kalends.context import Context
from kalends.deliveries import store as deliveries
from kalends.http.endpoint import Document, endpoint
from kalends.http.form import Form
from kalends.sessions import store as sessions
from kalends.users import link, passwords, store
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
    """Mail the link to the user. The answer is the same whether or not there is one."""

    def act() -> Document:
        user = store.find(ctx, params.read(Forgotten).user_name)
        if user and deliveries.may_reset(ctx, user):
            deliveries.insert_reset(ctx, user)
        return redirect(ctx, "/reset", done="mailed")

    return submit(ctx, params, act, lambda state: _asking(ctx, state))


@endpoint("GET", "/reset/{reset_token}", guests=True, credentials=False, format="html")
def choose(ctx: Context, reset_token: str) -> Document:
    """The form to choose a new password."""
    user = link.user_of(ctx, reset_token)
    return _choosing(ctx, user, FormState()) if user else _over(ctx)


@endpoint("POST", "/reset/{reset_token}", guests=True, limited=True, credentials=False, transaction=False, pool="hash", format="html")
def reset(ctx: Context, reset_token: str, params: Form) -> Document:
    """Set the new password, and end all sessions of the user."""
    with ctx.read():
        user = link.user_of(ctx, reset_token)
        if user is None:
            return _over(ctx)
    return submit(ctx, params, lambda: _set(ctx, user, params), lambda state: _choosing(ctx, user, state), write=False)


def _set(ctx: Context, user: User, params: Form) -> Document:
    password_hash = passwords.hashed(params.read(NewPassword).password)
    with ctx.write():
        store.update_password(ctx, store.hold(ctx, user).id, password_hash)
        sessions.delete_all(ctx, user.id)
    return redirect(ctx, "/sign-in", done="password")


def _asking(ctx: Context, state: FormState, status: int = 200) -> Document:
    return render("users/reset.html", ctx, title="Forgotten password", form=state, status=status)


def _over(ctx: Context) -> Document:
    return _asking(ctx, FormState(problem=OVER), status=404)


def _choosing(ctx: Context, user: User, state: FormState) -> Document:
    """Kept by no cache: the page's address opens the account."""
    ctx.headers["Cache-Control"] = "no-store"
    return render("users/choose.html", ctx, title="New password", form=state, user=user)
