"""The session: log in, see who is logged in, log out."""

from kalends import policy, times
from kalends.context import Context
from kalends.http.endpoint import endpoint
from kalends.http.origin import COOKIE
from kalends.http.types import DeletedText
from kalends.sessions import credentials, store
from kalends.sessions.model import LIFETIME, Credentials, SessionCreated, SessionDetail


@endpoint("POST", "/api/session", status=201, guests=True, transaction=False, rechecks=True)
def create(ctx: Context, params: Credentials) -> SessionCreated:
    """Log in with exactly one set: `user_name` and `password`, or `wkey`, or `digest` and `timestamp`.

    The `token` is answered this once; send it as `Authorization: Bearer …`. The cookie `kalends_session` is set too.
    """
    found = credentials.check(ctx, params)
    with ctx.write():
        user = credentials.use(ctx, found)
        session, token = store.insert(ctx, user.id, found.key_id)
        if not ctx.caller.is_cross_site:
            ctx.set_cookie(COOKIE, token, LIFETIME)
        return ctx.done(SessionCreated(session.id, user.id, user.user_name, token, times.utc(session.expires_at)))


@endpoint("GET", "/api/session/{session_id}", quick=True)
def show(ctx: Context, session_id: str) -> SessionDetail:
    """A live session of yours; `current` is the one that you are using."""
    session = policy.session(ctx, session_id)
    return SessionDetail(
        id=session.id,
        user_id=session.user_id,
        user_name=policy.user(ctx).user_name,
        created_at=times.utc(session.created_at),
        expires_at=times.utc(session.expires_at),
    )


@endpoint("DELETE", "/api/session/{session_id}")
def destroy(ctx: Context, session_id: str) -> DeletedText:
    """Log out: the session ends at once."""
    session = policy.session(ctx, session_id)
    store.delete(ctx, session.id)
    if session.id == policy.user(ctx).session_id:
        ctx.set_cookie(COOKIE, "", 0)
    return DeletedText([session.id])
