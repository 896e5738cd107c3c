"""Creating an account."""

from kalends import errors, policy
from kalends.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.i18n import gettext
from kalends.records.account_invitation import AccountInvitation
from kalends.sessions import api as sessions
from kalends.sessions.model import Credentials
from kalends.site import store as sites
from kalends.users import api, first_admin, invitations
from kalends.users.model import Registration, UserDetail
from kalends.values.datetimes import known_zones
from kalends.web.forms import FormState
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render


def _form(
    ctx: Context, form: FormState | None = None, invitation: AccountInvitation | None = None, *, is_first_admin: bool = False
) -> Document:
    return render(
        "account/sign_up.html",
        ctx,
        title=gettext("Sign up"),
        form=form,
        invitation=invitation,
        is_first_admin=is_first_admin,
        zones=sorted(known_zones()),
    )


def _render_closed(ctx: Context, status: int, reason: str = "") -> Document:
    return render("account/sign_up_closed.html", ctx, status=status, title=gettext("Accounts are by invitation"), reason=reason)


@page("GET", "/sign-up", guests=True)
def new(ctx: Context) -> Document:
    """The form to create an account."""
    try:
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
    """The form to create an account by an invitation, or that of the first admin. No cache may store it: its address is a secret."""
    ctx.headers["Cache-Control"] = "no-store"
    if first_admin.is_valid(ctx, sign_up_token):
        return _form(ctx, form, is_first_admin=True)
    invitation = invitations.find(ctx, sign_up_token)
    if invitation is None or sites.get(ctx).registration == "closed":
        return _render_closed(ctx, 404, "" if invitation else invitations.VOID)
    return _form(ctx, form, invitation)


@page("POST", "/sign-up/{sign_up_token}", guests=True, rate_limited=True, credentials=False, is_guest_form=True, again=accept, pool="hash")
def create_invited(ctx: Context, sign_up_token: str, params: Form) -> Document:
    """Create the account of someone who is invited, with the address that the invitation was mailed to, and sign in."""
    fields = params.values | {"invitation": sign_up_token}
    with ctx.read():
        if not first_admin.is_valid(ctx, sign_up_token):
            invitation = invitations.find(ctx, sign_up_token)
            if invitation is None:
                return _render_closed(ctx, 404, invitations.VOID)
            fields["email_address"] = invitation.email_address
    return _create(ctx, Form(fields).read(Registration))


def _create(ctx: Context, params: Registration) -> Document:
    if not isinstance(api.create(ctx, params), UserDetail):
        return redirect(ctx, "/sign-in", done="account-waiting")
    sessions.create(ctx, Credentials(user_name=params.user_name, password=params.password, cookie=True))
    return redirect(ctx, "/calendar", done="created")
