"""The session: log in, see who is logged in, log out."""

from kalends import policy
from kalends.core import errors
from kalends.core.records.people import User
from kalends.core.values import timestamps
from kalends.features.passkeys import steps as passkeys
from kalends.features.passkeys.model import PasskeyOptions
from kalends.features.sessions import store
from kalends.features.sessions.model import Credentials, SessionCreated, SessionDetail
from kalends.features.sessions.steps import credentials
from kalends.http import login_cookies
from kalends.http.context import Context
from kalends.http.endpoint import endpoint
from kalends.http.input.types import TextDeletion


@endpoint("POST", "/api/session", status=201, location="/api/session/{id}", guests=True, transaction=False, pool="hash")
def create(ctx: Context, params: Credentials) -> SessionCreated:
    """Log in with exactly one set: `user_name` and `password`, `ticket` and `code`, `passkey`, `wkey`, or `digest` and `timestamp`.

    If the account has one-time codes, a right password is 401 `second-factor-required` with a `ticket`. Send it back within five minutes,
    from the same network, with the `code` of the app or a recovery code. Five codes are checked in five minutes.

    A passkey answers the options of `POST /api/session/passkey_options`. It verifies its user, and so needs neither password nor code.

    The `token` is sent this once; send it back as `Authorization: Bearer …`. Browsers, which send `Origin` or `Sec-Fetch-Site`, get the
    cookie `kalends_session` too (under https its name is `__Host-kalends_session`), and so do programs with `cookie=true`. After a login
    with a password, the cookie `kalends_device` is set: failed logins on a device that has it are counted apart from all others.
    """
    login = credentials.check(ctx, params)
    with ctx.write():
        user = credentials.use(ctx, login)
        ticket = credentials.ticket_for_code(ctx, login)
        if ticket is None:
            return _open(ctx, user, login.key_id, has_cookie=params.cookie)
    # After the commit: the password was right, and counts as such.
    raise errors.SecondFactorRequired(ticket)


def _open(ctx: Context, user: User, key_id: str | None, *, has_cookie: bool) -> SessionCreated:
    session, token = store.insert(ctx, user.id, key_id)
    if not ctx.caller.is_cross_site:
        if key_id is None:
            login_cookies.set_device(ctx, user.id)
        if has_cookie or ctx.caller.is_browser:
            login_cookies.set_session(ctx, token)
    return SessionCreated(session.id, user.id, user.user_name, token, timestamps.format_utc(session.expires_at))


@endpoint("POST", "/api/session/passkey_options", guests=True)
def passkey_options(ctx: Context) -> PasskeyOptions:
    """What a browser needs to ask for a passkey: `navigator.credentials.get`. Nothing is saved."""
    return PasskeyOptions(passkeys.ask_to_sign_in(ctx))


@endpoint("GET", "/api/session/{session_id}")
def show(ctx: Context, session_id: str) -> SessionDetail:
    """A live session of yours; `current` is the one that you are using.

    With a key as the Bearer token, `current` tells whose key it is: `id` and `expires_at` are null, and `key_id` names the key.
    """
    user = policy.user(ctx)
    if session_id == "current" and user.key_id:
        key = policy.key(ctx, user.key_id)
        return SessionDetail(
            id=None, user_id=user.id, user_name=user.user_name, key_id=key.id, created_at=timestamps.format_utc(key.created_at)
        )
    session = policy.session(ctx, session_id)
    return SessionDetail(
        id=session.id,
        user_id=session.user_id,
        user_name=user.user_name,
        key_id=session.key_id,
        created_at=timestamps.format_utc(session.created_at),
        expires_at=timestamps.format_utc(session.expires_at),
    )


@endpoint("DELETE", "/api/session/{session_id}")
def destroy(ctx: Context, session_id: str) -> TextDeletion:
    """Log out: the session ends immediately."""
    session = policy.session(ctx, session_id)
    store.delete(ctx, session.id)
    if session.id == policy.user(ctx).session_id:
        login_cookies.clear_session(ctx)
    return TextDeletion([session.id])
