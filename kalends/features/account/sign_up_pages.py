"""Creating an account."""

from msgspec import structs

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.people import AccountInvitation
from kalends.core.values.datetimes import known_zones
from kalends.features.sessions import api as sessions
from kalends.features.sessions.model import Credentials
from kalends.features.users import api
from kalends.features.users import invitation_store as invitations
from kalends.features.users.model import Registration, UserDetail
from kalends.features.users.steps import first_admin
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.policy import site as sites
from kalends.web.forms import FormState, filled
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render


def _form(ctx: Context, form: FormState | None = None, invitation: AccountInvitation | None = None) -> Document:
    """The form to create an account; on a site without an administrator, the administrator's, who needs the one-time code."""
    is_new = invitation is None and not policy.has_admin(ctx)
    return render(
        "welcome/administrator.html" if is_new else "account/sign_up.html",
        ctx,
        title=gettext("Welcome") if is_new else gettext("Sign up"),
        form=form,
        invitation=invitation,
        zones=sorted(known_zones()),
    )


def _render_closed(ctx: Context, status: int, reason: str = "") -> Document:
    return render("account/sign_up_closed.html", ctx, status=status, title=gettext("Sign-up is by invitation"), reason=reason)


@page("GET", "/sign-up", guests=True)
def new(ctx: Context) -> Document:
    """The form to create an account."""
    try:
        if policy.has_admin(ctx):
            policy.status_of_new_account(sites.get(ctx), is_invited=False)
    except errors.Forbidden:
        return _render_closed(ctx, 403)
    return _form(ctx)


@page("POST", "/sign-up", guests=True, rate_limited=True, is_guest_form=True, again=_form, pool="hash")
def create(ctx: Context, params: Form) -> Document:
    """Create an account, and sign in, unless an admin has to approve it."""
    return _create(ctx, params.read(Registration))


@page("GET", "/sign-up/{sign_up_token}", guests=True, credentials=False)
def accept(ctx: Context, sign_up_token: str, form: FormState | None = None) -> Document:
    """The form to create an account by an invitation, or the administrator's with its code, which is checked when it is sent.

    No cache may store it: its address is a secret."""
    ctx.headers["Cache-Control"] = "no-store"
    invitation = invitations.find(ctx, sign_up_token)
    if invitation is None and not policy.has_admin(ctx):
        if not first_admin.has_form(sign_up_token):
            return structs.replace(_form(ctx, FormState(problem=first_admin.WRONG)), status=404)
        return _form(ctx, filled({"invitation": sign_up_token}, form))
    if invitation is None or sites.get(ctx).registration == "closed":
        return _render_closed(ctx, 404, "" if invitation else invitations.VOID)
    return _form(ctx, form, invitation)


@page("POST", "/sign-up/{sign_up_token}", guests=True, rate_limited=True, credentials=False, is_guest_form=True, again=accept, pool="hash")
def create_invited(ctx: Context, sign_up_token: str, params: Form) -> Document:
    """Create the account of someone who is invited, with the address that the invitation was mailed to, and sign in."""
    with ctx.read():
        invitation = invitations.find(ctx, sign_up_token)
        if invitation is None:
            return _render_closed(ctx, 404, invitations.VOID)
    fields = params.values | {"invitation": sign_up_token, "email_address": invitation.email_address}
    return _create(ctx, Form(fields).read(Registration))


def _create(ctx: Context, params: Registration) -> Document:
    user = api.create(ctx, params)
    if not isinstance(user, UserDetail):
        return redirect(ctx, "/sign-in", done="account-waiting")
    sessions.create(ctx, Credentials(user_name=params.user_name, password=params.password, cookie=True))
    return redirect(ctx, "/welcome/site" if user.role == "admin" else "/welcome")
