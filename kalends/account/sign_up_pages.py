"""Making an account on a page."""

from kalends.context import Context
from kalends.http.endpoint import Document, endpoint
from kalends.http.input.form import Form
from kalends.sessions import api as sessions
from kalends.sessions.model import Credentials
from kalends.users import api
from kalends.users.model import Registration
from kalends.values.datetimes import known_zones
from kalends.web.forms import FormState, submit
from kalends.web.render import redirect, render


@endpoint("GET", "/sign-up", guests=True, format="html")
def new(ctx: Context) -> Document:
    """The form to make an account."""
    if ctx.settings.registration == "closed":
        return render("users/closed.html", ctx, status=403, title="Accounts are by invitation")
    return _form(ctx, FormState())


@endpoint("POST", "/sign-up", guests=True, limited=True, transaction=False, pool="hash", format="html")
def create(ctx: Context, params: Form) -> Document:
    """Make an account, and sign in."""

    def act() -> Document:
        given = params.read(Registration)
        api.create(ctx, given)
        sessions.create(ctx, Credentials(user_name=given.user_name, password=given.password))
        return redirect(ctx, "/calendar", done="created")

    return submit(ctx, params, act, lambda state: _form(ctx, state), write=False)


def _form(ctx: Context, state: FormState) -> Document:
    return render("users/new.html", ctx, title="Sign up", form=state, zones=sorted(known_zones()))
