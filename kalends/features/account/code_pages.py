"""One-time codes on pages: setting up an app, whose secret is shown once, recovery codes, and turning them off."""

from kalends import policy
from kalends.core.i18n import gettext
from kalends.features.users.totp import api, store
from kalends.features.users.totp.model import TotpConfirmation, TotpCreated, TotpEnabled, TotpInput
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.web.drawings import draw_qr_code
from kalends.web.forms import FormState, filled
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render

BACK = "/account/codes"


@page("GET", "/account/codes")
def codes(ctx: Context, form: FormState | None = None) -> Document:
    """Whether one's password needs a code, and how to change that."""
    state = api.totp(ctx, policy.user(ctx).id)
    return render(
        "account/codes.html",
        ctx,
        title=gettext("One-time codes"),
        codes=state,
        form=form or FormState(),
        logins=filled({"key_logins": state.key_logins}),
        is_recent=policy.is_recent(ctx),
    )


@page("POST", "/account/codes", again=codes)
def create(ctx: Context, params: Form) -> Document:
    """Show the secret for an app, once."""
    return _render_new(ctx, api.create_totp(ctx, policy.user(ctx).id))


def _ask_again(ctx: Context, form: FormState) -> Document:
    """The secret again, if the code was wrong."""
    user_id = policy.user(ctx).id
    totp = store.find(ctx, user_id)
    secret = store.secret_of(ctx, totp) if totp and totp.enabled_at is None and policy.is_recent(ctx) else None
    return _render_new(ctx, api.describe(ctx, user_id, secret), form) if secret else codes(ctx, form)


def _render_new(ctx: Context, created: TotpCreated, form: FormState | None = None) -> Document:
    ctx.headers["Cache-Control"] = "no-store"
    return render(
        "account/codes_new.html",
        ctx,
        title=gettext("Set up an app"),
        created=created,
        qr_code=draw_qr_code(created.otpauth_url),
        form=form or FormState(),
    )


@page("POST", "/account/codes/confirm", again=_ask_again, transaction=False)
def confirm(ctx: Context, params: Form) -> Document:
    """Turn the codes on, and show the recovery codes, once."""
    return _render_recovery_codes(ctx, api.confirm_totp(ctx, policy.user(ctx).id, params.read(TotpConfirmation)))


@page("POST", "/account/codes/recovery", again=codes)
def renew(ctx: Context, params: Form) -> Document:
    """New recovery codes, shown once."""
    return _render_recovery_codes(ctx, api.renew_recovery_codes(ctx, policy.user(ctx).id))


def _render_recovery_codes(ctx: Context, enabled: TotpEnabled) -> Document:
    ctx.headers["Cache-Control"] = "no-store"
    return render("account/recovery_codes.html", ctx, title=gettext("Your recovery codes"), recovery_codes=enabled.recovery_codes)


@page("POST", "/account/codes/keys", again=codes)
def update(ctx: Context, params: Form) -> Document:
    """Change whether keys open sessions without a code."""
    api.update_totp(ctx, policy.user(ctx).id, params.changes(TotpInput))
    return redirect(ctx, BACK, done="saved")


@page("POST", "/account/codes/delete", again=codes)
def destroy(ctx: Context, params: Form) -> Document:
    """Turn the codes off."""
    api.delete_totp(ctx, policy.user(ctx).id)
    return redirect(ctx, "/account#codes", done="codes-off")
