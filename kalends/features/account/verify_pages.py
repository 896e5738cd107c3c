"""Verifying an e-mail address, by a link that is mailed to it."""

from kalends import policy
from kalends.core.i18n import gettext
from kalends.features.account.pages import show
from kalends.features.users import api, store
from kalends.features.users.steps import mailed_links
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.web.forms import FormState
from kalends.web.page import page
from kalends.web.redirects import local_path, redirect
from kalends.web.render import render

EXPIRED = gettext("This link no longer works: it is older than a week, or the address has changed. Sign in and request a new one.")


@page("GET", "/verify/{verify_token}", guests=True)
def ask(ctx: Context, verify_token: str) -> Document:
    """The page behind the link, with a button: programs that open links in mail verify nothing."""
    user = mailed_links.find_user_to_verify(ctx, verify_token)
    ctx.headers["Cache-Control"] = "no-store"
    if user is None:
        return render(
            "account/verify.html", ctx, title=gettext("Confirm your email address"), form=FormState(problem=EXPIRED), user=None, status=404
        )
    return render("account/verify.html", ctx, title=gettext("Confirm your email address"), user=user)


@page("POST", "/verify/{verify_token}", guests=True, rate_limited=True)
def verify(ctx: Context, verify_token: str, params: Form) -> Document:
    """Verify the address."""
    user = mailed_links.find_user_to_verify(ctx, verify_token)
    if user is None:
        return ask(ctx, verify_token)
    store.verify(ctx, user)
    return redirect(ctx, "/account", done="verified")


@page("POST", "/account/verify", again=show, form="address")
def send(ctx: Context, params: Form) -> Document:
    """Send the link to the address again, and show the page of the button again."""
    api.send_verification(ctx, policy.user(ctx).id)
    return redirect(ctx, local_path(params.text("next") or "/account"), done="verification-sent")
