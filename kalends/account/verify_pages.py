"""Proving on a page that an e-mail address is one's own, by a link that is mailed to it."""

from kalends import policy
from kalends.account import pages as account_pages
from kalends.context import Context
from kalends.http.endpoint import Document, endpoint
from kalends.http.input.form import Form
from kalends.users import api, store, verify_link
from kalends.web.forms import FormState, submit
from kalends.web.render import redirect, render

OVER = "This link does not work any more: it is older than a week, or the address was changed. Sign in, and have another sent."


@endpoint("GET", "/verify/{verify_token}", guests=True, credentials=False, format="html")
def ask(ctx: Context, verify_token: str) -> Document:
    """The page behind the link, with a button: programs that open links in mail verify nothing."""
    user = verify_link.user_of(ctx, verify_token)
    ctx.headers["Cache-Control"] = "no-store"
    if user is None:
        return render("users/verify.html", ctx, title="Verify your address", form=FormState(problem=OVER), user=None, status=404)
    return render("users/verify.html", ctx, title="Verify your address", user=user)


@endpoint("POST", "/verify/{verify_token}", guests=True, limited=True, credentials=False, format="html")
def verify(ctx: Context, verify_token: str, params: Form) -> Document:
    """Note that the address is the user's."""
    user = verify_link.user_of(ctx, verify_token)
    if user is None:
        return ask(ctx, verify_token)
    store.verify(ctx, user)
    return redirect(ctx, "/settings", done="verified")


@endpoint("POST", "/settings/verify", transaction=False, format="html")
def send(ctx: Context, params: Form) -> Document:
    """Send the link to the address again."""
    user = policy.user(ctx)

    def act() -> Document:
        api.send_verification(ctx, user.id)
        return redirect(ctx, "/settings", done="verification-sent")

    return submit(ctx, params, act, lambda state: account_pages.page(ctx, address=state))
