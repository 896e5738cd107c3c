"""The settings: one's profile, password, sessions and keys, and the end of one's account."""

from msgspec import structs

from kalends import policy
from kalends.blocks import api as blocks
from kalends.context import Context
from kalends.http.endpoint import Document, endpoint
from kalends.http.input.fields import Changes
from kalends.http.input.form import Form
from kalends.http.paging import MAX_PAGE, Paging
from kalends.keys import api as keys
from kalends.sessions import store as sessions
from kalends.users import api
from kalends.users.model import Confirmation, PasswordChange, ProfileChanges
from kalends.values import timestamps
from kalends.values.datetimes import known_zones
from kalends.web.forms import FormState, filled, submit
from kalends.web.render import redirect, render

MOST_KEYS = 500


@endpoint("GET", "/settings", format="html")
def show(ctx: Context) -> Document:
    """Everything that one may set about oneself."""
    return page(ctx)


@endpoint("POST", "/settings/profile", transaction=False, pool="hash", format="html")
def update(ctx: Context, params: Form) -> Document:
    """Change the name, the user name, the e-mail address or the time zone."""
    user = policy.user(ctx)

    def act() -> Document:
        api.update(ctx, user.id, params.without("password", "delete_keys").changes(ProfileChanges))
        return redirect(ctx, "/settings", done="saved")

    return submit(ctx, params, act, lambda state: page(ctx, profile=state), write=False)


@endpoint("POST", "/settings/password", transaction=False, pool="hash", format="html")
def change_password(ctx: Context, params: Form) -> Document:
    """Set a new password; one's other sessions end."""
    user = policy.user(ctx)

    def act() -> Document:
        api.update(ctx, user.id, Changes(ProfileChanges, structs.asdict(params.read(PasswordChange))))
        return redirect(ctx, "/settings", done="password-changed")

    return submit(ctx, params, act, lambda state: page(ctx, password=state), write=False)


@endpoint("GET", "/settings/delete", format="html")
def ask(ctx: Context) -> Document:
    """Ask before an account is deleted."""
    policy.user(ctx)
    return _asking(ctx, FormState())


@endpoint("POST", "/settings/delete", transaction=False, pool="hash", format="html")
def destroy(ctx: Context, params: Form) -> Document:
    """Delete the account."""
    user = policy.user(ctx)

    def act() -> Document:
        api.destroy(ctx, user.id, params.read(Confirmation))
        return redirect(ctx, "/", done="account-deleted")

    return submit(ctx, params, act, lambda state: _asking(ctx, state), write=False)


def page(
    ctx: Context,
    *,
    profile: FormState | None = None,
    address: FormState | None = None,
    password: FormState | None = None,
    key: FormState | None = None,
) -> Document:
    """The settings, with each form as it stands."""
    user = policy.user(ctx)
    live = sessions.of_user(ctx, user.id)
    return render(
        "users/settings.html",
        ctx,
        title="Settings",
        profile=profile or filled(api.edit(ctx, user.id)),
        address=address or FormState(),
        account=api.show(ctx, user.id),
        password=structs.replace(password or FormState({"delete_keys": True}), prefix="password-"),
        key=structs.replace(key or FormState(), prefix="key-"),
        zones=sorted(known_zones()),
        key_needs_password=not any(session.id == user.session_id and session.is_recent(ctx.now) for session in live),
        sessions=[(session, timestamps.format_utc(session.created_at), timestamps.format_utc(session.last_used_at)) for session in live],
        session_count=sessions.count(ctx, user.id),
        keys=keys.index(ctx, Paging(limit=MOST_KEYS)).keys,
        blocks=blocks.index(ctx, Paging(limit=MAX_PAGE)).blocks,
    )


def _asking(ctx: Context, state: FormState) -> Document:
    return render("users/delete.html", ctx, title="Delete your account", form=state)
