"""Creating an account."""

from kalends.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.i18n import gettext
from kalends.sessions import api as sessions
from kalends.sessions.model import Credentials
from kalends.site import store as sites
from kalends.users import api
from kalends.users.model import Registration
from kalends.values.datetimes import known_zones
from kalends.web.forms import FormState
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render


def _form(ctx: Context, form: FormState | None = None) -> Document:
    return render("account/sign_up.html", ctx, title=gettext("Sign up"), form=form, zones=sorted(known_zones()))


@page("GET", "/sign-up", guests=True)
def new(ctx: Context) -> Document:
    """The form to create an account."""
    if sites.get(ctx).registration != "open":
        return render("account/sign_up_closed.html", ctx, status=403, title=gettext("Accounts are by invitation"))
    return _form(ctx)


@page("POST", "/sign-up", guests=True, rate_limited=True, is_guest_form=True, again=_form, pool="hash")
def create(ctx: Context, params: Form) -> Document:
    """Create an account, and sign in."""
    registration = params.read(Registration)
    api.create(ctx, registration)
    sessions.create(ctx, Credentials(user_name=registration.user_name, password=registration.password))
    return redirect(ctx, "/calendar", done="created")
