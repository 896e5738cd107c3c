"""Keys on pages: making one, which is shown this once, and deleting one."""

from kalends import policy
from kalends.account import pages as account_pages
from kalends.context import Context
from kalends.http.endpoint import Document, endpoint
from kalends.http.input.form import Form
from kalends.keys import api
from kalends.keys.model import KeyRequest
from kalends.web.forms import submit
from kalends.web.render import redirect, render


@endpoint("POST", "/settings/keys", transaction=False, pool="hash", format="html")
def create(ctx: Context, params: Form) -> Document:
    """Make a key, and show it this once."""
    policy.user(ctx)

    def act() -> Document:
        made = api.create(ctx, params.read(KeyRequest))
        ctx.headers["Cache-Control"] = "no-store"
        return render("keys/made.html", ctx, title="Your new key", key=made, server=ctx.settings.url)

    return submit(ctx, params, act, lambda state: account_pages.page(ctx, key=state), write=False)


@endpoint("GET", "/settings/keys/{key_id}/delete", format="html")
def ask(ctx: Context, key_id: str) -> Document:
    """Ask before a key is deleted."""
    return render("keys/delete.html", ctx, title="Delete a key", key=policy.key(ctx, key_id))


@endpoint("POST", "/settings/keys/{key_id}/delete", format="html")
def destroy(ctx: Context, key_id: str, params: Form) -> Document:
    """Delete the key."""
    api.destroy(ctx, key_id)
    return redirect(ctx, "/settings#keys", done="deleted")
