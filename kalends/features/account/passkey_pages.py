"""Passkeys on pages: adding one, which takes a script, and removing one."""

from kalends import policy
from kalends.core.i18n import gettext
from kalends.features.passkeys import api
from kalends.features.passkeys.model import MAX_PASSKEYS, PasskeyInput
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.http.paging import Paging
from kalends.web import sign_in_ways
from kalends.web.forms import FormState
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render

BACK = "/account/passkeys"


@page("GET", "/account/passkeys")
def passkeys(ctx: Context, form: FormState | None = None) -> Document:
    """One's passkeys, and a form for another one."""
    policy.user(ctx)
    return render(
        "account/passkeys.html",
        ctx,
        title=gettext("Passkeys"),
        passkeys=api.index(ctx, Paging(limit=MAX_PASSKEYS)).passkeys,
        form=form or FormState(),
        is_recent=policy.is_recent(ctx),
        is_available=sign_in_ways.are_available(ctx.settings),
    )


@page("POST", "/account/passkeys", again=passkeys)
def create(ctx: Context, params: Form) -> Document:
    """Add the passkey that the browser made."""
    policy.user(ctx)
    api.create(ctx, params.read(PasskeyInput))
    return redirect(ctx, BACK, done="passkey-added")


def _again(ctx: Context, form: FormState, **variables: str) -> Document:
    return passkeys(ctx, form)


@page("POST", "/account/passkeys/{passkey_id}/delete", again=_again)
def destroy(ctx: Context, passkey_id: str, params: Form) -> Document:
    """Remove the passkey."""
    api.destroy(ctx, passkey_id)
    return redirect(ctx, BACK, done="passkey-removed")
