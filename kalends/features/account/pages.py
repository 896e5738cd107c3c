"""The settings page: profile, password, sessions, keys, blocked people and the end of the account; and the link that stops its mail."""

from msgspec import structs

from kalends import policy
from kalends.core import errors, oidc_providers
from kalends.core.i18n import gettext
from kalends.core.i18n.catalogs import LANGUAGES, OFFERED
from kalends.core.values import timestamps
from kalends.core.values.datetimes import known_zones
from kalends.features.blocks import api as blocks
from kalends.features.calendars import ownership_store as ownership
from kalends.features.deliveries.rules.recipient_links import INCOMPLETE, parse_notices_token
from kalends.features.keys import api as keys
from kalends.features.responses import news_store as news
from kalends.features.sessions import api as sessions_api
from kalends.features.sessions import store as sessions
from kalends.features.sessions.steps import credentials
from kalends.features.users import api
from kalends.features.users import store as users
from kalends.features.users.model import Confirmation, PasswordChange, ProfileChanges
from kalends.features.users.totp import api as totp
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.fields import Changes
from kalends.http.input.form import Form
from kalends.http.paging import MAX_PAGE, Paging
from kalends.web import labels
from kalends.web.forms import FormState, filled
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render

MAX_KEYS = 500

BACK = "/account#sessions"


@page("GET", "/account")
def show(
    ctx: Context,
    *,
    profile: FormState | None = None,
    address: FormState | None = None,
    password: FormState | None = None,
    key: FormState | None = None,
) -> Document:
    """All settings of one's account, each form with its state."""
    user = policy.user(ctx)
    live = sessions.of_user(ctx, user.id)
    return render(
        "account/show.html",
        ctx,
        title=gettext("Settings"),
        profile=profile or filled(api.edit(ctx, user.id)),
        address=address or FormState(),
        account=api.show(ctx, user.id),
        codes=totp.totp(ctx, user.id),
        has_password=policy.accepts_password(ctx, users.get(ctx, user.id)),
        providers=oidc_providers.read(ctx.settings.oidc),
        is_admin=policy.is_admin(ctx),
        password=structs.replace(password or FormState({"delete_keys": True}), prefix="password-"),
        key=structs.replace(key or FormState(), prefix="key-"),
        zones=sorted(known_zones()),
        languages=[(code, LANGUAGES[code]) for code in OFFERED],
        key_needs_password=not policy.is_recent(ctx),
        sessions=[(session, timestamps.format_utc(session.created_at), timestamps.format_utc(session.last_used_at)) for session in live],
        session_count=sessions.count(ctx, user.id),
        calendars={calendar.id: labels.calendar_name(ctx, calendar.name) for calendar in policy.named_member_calendars(ctx)},
        keys=[each for each in keys.index(ctx, Paging(limit=MAX_KEYS)).keys if each.kind == "api"],
        blocks=blocks.index(ctx, Paging(limit=MAX_PAGE)).blocks,
    )


@page("POST", "/account/profile", again=show, form="profile", pool="hash")
def update(ctx: Context, params: Form) -> Document:
    """Change the name, the user name, the e-mail address, the time zone, the language or how times are written."""
    user = policy.user(ctx)
    api.update(ctx, user.id, params.without("password", "delete_keys").changes(ProfileChanges))
    return redirect(ctx, "/account", done="saved")


@page("POST", "/account/password", again=show, form="password", pool="hash")
def change_password(ctx: Context, params: Form) -> Document:
    """Set a new password; one's other sessions end."""
    user = policy.user(ctx)
    api.update(ctx, user.id, Changes(ProfileChanges, structs.asdict(params.read(PasswordChange))))
    return redirect(ctx, "/account", done="password-changed")


@page("GET", "/account/delete")
def ask(ctx: Context, form: FormState | None = None) -> Document:
    """Ask before an account is deleted."""
    user = users.get(ctx, policy.user(ctx).id)
    return render(
        "account/delete.html",
        ctx,
        title=gettext("Delete your account"),
        form=form,
        calendars=ownership.find_bequests(ctx, user.id, None),
        has_password=credentials.has_password(ctx, user),
        is_recent=policy.is_recent(ctx),
    )


@page("POST", "/account/delete", again=ask, pool="hash")
def destroy(ctx: Context, params: Form) -> Document:
    """Delete the account."""
    user = policy.user(ctx)
    api.destroy(ctx, user.id, params.read(Confirmation))
    return redirect(ctx, "/", done="account-deleted")


@page("POST", "/account/blocks/{blocked_id}/delete")
def unblock(ctx: Context, blocked_id: int, params: Form) -> Document:
    """Unblock someone."""
    blocks.destroy(ctx, blocked_id)
    return redirect(ctx, "/account#blocks", done="unblocked")


@page("POST", "/account/sessions/{session_id}/end")
def end(ctx: Context, session_id: str, params: Form) -> Document:
    """End a session of one's own, on this device or another."""
    ended = sessions_api.destroy(ctx, session_id).deleted[0]
    return redirect(ctx, "/", done="signed-out") if ended == policy.user(ctx).session_id else redirect(ctx, BACK, done="ended")


@page("POST", "/account/sessions/end")
def end_others(ctx: Context, params: Form) -> Document:
    """End all one's sessions but this one."""
    sessions.delete_others(ctx, policy.user(ctx))
    return redirect(ctx, BACK, done="others-ended")


@page("GET", "/account/notices/{notices_token}", guests=True, credentials=False)
def ask_to_stop_notices(ctx: Context, notices_token: str) -> Document:
    """Ask before the mail is stopped: programs that open links must not stop it."""
    _user_of_notices(ctx, notices_token)
    return render("account/notices.html", ctx, title=gettext("Stop these messages"), is_off=False)


@page("POST", "/account/notices/{notices_token}", guests=True, credentials=False)
def stop_notices(ctx: Context, notices_token: str) -> Document:
    """Stop the mail; doing so twice changes nothing."""
    user_id = _user_of_notices(ctx, notices_token)
    users.stop_notices(ctx, user_id)
    news.reschedule(ctx, users.get(ctx, user_id))
    return render("account/notices.html", ctx, title=gettext("Stopped"), is_off=True)


def _user_of_notices(ctx: Context, token: str) -> int:
    user_id = parse_notices_token(ctx.settings, token)
    if user_id is None:
        raise errors.NotFound(INCOMPLETE)
    return users.get(ctx, user_id).id
