"""API keys on pages: creating one, which is shown once, and deleting one."""

from kalends import policy
from kalends.core.i18n import gettext
from kalends.core.values import timestamps
from kalends.features.account.pages import show
from kalends.features.keys import api
from kalends.features.keys.model import KeyRequest
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render

# After how many days a key ends, as the form offers.
DAYS = ("30", "90", "365")


@page("POST", "/account/keys", again=show, form="key", pool="hash")
def create(ctx: Context, params: Form) -> Document:
    """Create a key, and show it once."""
    policy.user(ctx)
    key = api.create(ctx, _read(ctx, params))
    ctx.headers["Cache-Control"] = "no-store"
    return render("account/key_created.html", ctx, title=gettext("Your new API key"), key=key, server=ctx.settings.url)


def _read(ctx: Context, params: Form) -> KeyRequest:
    """The key of the form, which asks for days instead of a moment; without a ticked scope it has no limits."""
    days = params.text("days")
    end = {"expires_at": timestamps.format_utc(ctx.now + int(days) * 86_400)} if days in DAYS else {}
    return Form({**params.without("days").values, **end}).read(KeyRequest)


@page("GET", "/account/keys/{key_id}/delete")
def ask(ctx: Context, key_id: str) -> Document:
    """Ask before a key is deleted."""
    return render("account/key_delete.html", ctx, title=gettext("Delete API key"), key=policy.key(ctx, key_id))


@page("POST", "/account/keys/{key_id}/delete")
def destroy(ctx: Context, key_id: str, params: Form) -> Document:
    """Delete the key, and return to the page that lists those of its kind."""
    kind = policy.key(ctx, key_id).kind
    api.destroy(ctx, key_id)
    return redirect(ctx, "/account/devices" if kind == "dav" else "/account#keys", done="deleted")
