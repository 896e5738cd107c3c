"""API keys on pages: creating one, which is shown once, and deleting one."""

from kalends import policy
from kalends.account.pages import show
from kalends.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.i18n import gettext
from kalends.keys import api
from kalends.keys.model import KeyRequest
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render


@page("POST", "/account/keys", again=show, form="key", pool="hash")
def create(ctx: Context, params: Form) -> Document:
    """Create a key, and show it once."""
    policy.user(ctx)
    key = api.create(ctx, params.read(KeyRequest))
    ctx.headers["Cache-Control"] = "no-store"
    return render("account/key_created.html", ctx, title=gettext("Your new key"), key=key, server=ctx.settings.url)


@page("GET", "/account/keys/{key_id}/delete")
def ask(ctx: Context, key_id: str) -> Document:
    """Ask before a key is deleted."""
    return render("account/key_delete.html", ctx, title=gettext("Delete a key"), key=policy.key(ctx, key_id))


@page("POST", "/account/keys/{key_id}/delete")
def destroy(ctx: Context, key_id: str, params: Form) -> Document:
    """Delete the key, and return to the page that lists those of its kind."""
    kind = policy.key(ctx, key_id).kind
    api.destroy(ctx, key_id)
    return redirect(ctx, "/account/devices" if kind == "dav" else "/account#keys", done="deleted")
