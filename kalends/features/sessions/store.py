"""The SQL of sessions, used digests and failed logins."""

from kalends.core.records.credentials import IDLE, LIFETIME, Session
from kalends.core.tokens import new_token, public_id, token_hash
from kalends.db import Transaction, columns
from kalends.features.keys import store as keys
from kalends.features.keys.store import KeyActor
from kalends.http.context import Actor, Context

TOUCH_AFTER = 3600
ATTEMPT_WINDOW = 60
DIGEST_WINDOW = 300
MAX_LISTED = 50

_LIVE = "user_id = :user_id AND last_used_at > :idle AND created_at > :old"


class _SessionActor(Actor, frozen=True):
    """An actor with the times of their session."""

    created_at: int = 0
    last_used_at: int = 0


def authenticate(ctx: Context, token: str) -> Actor | None:
    """The user whose live session or key this token is. (One session in 262,144 has a token that looks like a key.)"""
    return (_by_key(ctx, token) if token.startswith("wk_") else None) or _by_session(ctx, token)


def _by_key(ctx: Context, token: str) -> Actor | None:
    actor = ctx.tx.one(
        KeyActor,
        """SELECT u.id, u.user_name, u.email_address, u.name, u.time_zone, NULL, k.id, u.verified_at,
                  u.language, u.hour_cycle, u.week_start, k.scopes, k.calendar_ids, k.last_used_at
           FROM keys k JOIN users u ON u.id = k.user_id WHERE k.wkey_hash = :hash AND (k.expires_at IS NULL OR k.expires_at > :now)""",
        hash=token_hash(token),
        now=ctx.now,
    )
    keys.note_use(ctx, actor)
    return actor


def _by_session(ctx: Context, token: str) -> Actor | None:
    actor = ctx.tx.one(
        _SessionActor,
        """SELECT u.id, u.user_name, u.email_address, u.name, u.time_zone, s.id, NULL, u.verified_at,
                  u.language, u.hour_cycle, u.week_start, coalesce(k.scopes, ''), coalesce(k.calendar_ids, ''), s.created_at, s.last_used_at
           FROM sessions s JOIN users u ON u.id = s.user_id LEFT JOIN keys k ON k.id = s.key_id
           WHERE s.token_hash = :hash AND (k.expires_at IS NULL OR k.expires_at > :now)""",
        hash=token_hash(token),
        now=ctx.now,
    )
    if actor is None or ctx.now >= min(actor.last_used_at + IDLE, actor.created_at + LIFETIME):
        return None
    if ctx.now - actor.last_used_at > TOUCH_AFTER:
        ctx.after_commit.append(lambda tx: _touch(tx, actor.session_id, ctx.now))
    return actor


def _touch(tx: Transaction, session_id: str | None, now: int) -> None:
    tx.run("UPDATE sessions SET last_used_at = :now WHERE id = :id", now=now, id=session_id)


def insert(ctx: Context, user_id: int, key_id: str | None) -> tuple[Session, str]:
    """A new session and its token; deleting the key that opened it ends the session."""
    session, token = Session(public_id("s"), user_id, ctx.now, ctx.now, key_id), new_token()
    ctx.tx.run(
        """INSERT INTO sessions (id, user_id, key_id, token_hash, created_at, last_used_at)
           VALUES (:id, :user_id, :key_id, :hash, :now, :now)""",
        id=session.id,
        user_id=user_id,
        key_id=key_id,
        hash=token_hash(token),
        now=ctx.now,
    )
    _end_surplus(ctx, session)
    return session, token


def _end_surplus(ctx: Context, newest: Session) -> None:
    """End the least recently used sessions beyond the user's quota."""
    if ctx.settings.quota_sessions:
        ctx.tx.run(
            """DELETE FROM sessions WHERE id IN (
                   SELECT id FROM sessions WHERE user_id = :user_id AND id <> :newest
                   ORDER BY last_used_at DESC, created_at DESC, id LIMIT 1000 OFFSET :others)""",
            user_id=newest.user_id,
            newest=newest.id,
            others=ctx.settings.quota_sessions - 1,
        )


def of_user(ctx: Context, user_id: int) -> list[Session]:
    """The user's live sessions, the most recently used first, up to a limit."""
    return ctx.tx.all(
        Session,
        f"SELECT {columns(Session)} FROM sessions WHERE {_LIVE} ORDER BY last_used_at DESC, created_at DESC, id LIMIT {MAX_LISTED}",
        **_live(ctx, user_id),
    )


def count(ctx: Context, user_id: int) -> int:
    return int(ctx.tx.value(f"SELECT count(*) FROM sessions WHERE {_LIVE}", **_live(ctx, user_id)))


def _live(ctx: Context, user_id: int) -> dict[str, int]:
    return {"user_id": user_id, "idle": ctx.now - IDLE, "old": ctx.now - LIFETIME}


def delete(ctx: Context, session_id: str) -> None:
    ctx.tx.run("DELETE FROM sessions WHERE id = :id", id=session_id)


def delete_others(ctx: Context, actor: Actor) -> None:
    """End all sessions of the user except the current one."""
    ctx.tx.run("DELETE FROM sessions WHERE user_id = :id AND id <> :current", id=actor.id, current=actor.session_id or "")


def delete_all(ctx: Context, user_id: int) -> None:
    ctx.tx.run("DELETE FROM sessions WHERE user_id = :id", id=user_id)


def use_digest(ctx: Context, digest: str) -> bool:
    """Record the use of a digest until it expires; False if it was used before."""
    changed = ctx.tx.run(
        "INSERT INTO used_digests (digest, expires_at) VALUES (:digest, :expires) ON CONFLICT DO NOTHING",
        digest=token_hash(digest),
        expires=ctx.now + 2 * DIGEST_WINDOW + 1,
    )
    return changed == 1


def recent_attempts(ctx: Context, subject: str) -> int:
    return int(
        ctx.tx.value(
            "SELECT count(*) FROM failed_logins WHERE subject = :subject AND failed_at > :since",
            subject=token_hash(subject),
            since=ctx.now - ATTEMPT_WINDOW,
        )
    )


def insert_attempt(ctx: Context, subject: str) -> int:
    attempt_id: int = ctx.tx.value(
        "INSERT INTO failed_logins (subject, failed_at) VALUES (:subject, :now) RETURNING id",
        subject=token_hash(subject),
        now=ctx.now,
    )
    return attempt_id


def delete_attempt(ctx: Context, attempt_id: int) -> None:
    ctx.tx.run("DELETE FROM failed_logins WHERE id = :id", id=attempt_id)


def clean_up(tx: Transaction, now: int) -> None:
    """Delete expired rows."""
    tx.run("DELETE FROM sessions WHERE last_used_at < :idle", idle=now - IDLE)
    tx.run("DELETE FROM used_digests WHERE expires_at < :now", now=now)
    tx.run("DELETE FROM failed_logins WHERE failed_at < :old", old=now - ATTEMPT_WINDOW)
