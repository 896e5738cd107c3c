"""The SQL of keys."""

from kalends.core.records.credentials import Key, KeyKind
from kalends.core.settings import Settings
from kalends.core.tokens import derive, new_app_password, new_token, public_id, token_hash
from kalends.db import Transaction, columns
from kalends.http.context import Actor, Context
from kalends.http.paging import Paging

TOUCH_AFTER = 3600

_KEY = columns(Key)
_LIVE = "(expires_at IS NULL OR expires_at > :now)"


class KeyActor(Actor, frozen=True):
    """An actor with the time when their key was last used."""

    last_used_at: int | None = None


def shared_secret(settings: Settings, key_id: str) -> str:
    """The secret that signs digests, derived from the server's secret and therefore not stored."""
    return derive(settings, "shared secret", key_id)


def index(ctx: Context, user_id: int, paging: Paging) -> list[Key]:
    return ctx.tx.all(
        Key,
        f"SELECT {_KEY} FROM keys WHERE user_id = :user_id ORDER BY created_at, id LIMIT :limit OFFSET :offset",
        user_id=user_id,
        limit=paging.fetch,
        offset=paging.offset,
    )


def count(ctx: Context, user_id: int) -> int:
    return int(ctx.tx.value("SELECT count(*) FROM keys WHERE user_id = :user_id", user_id=user_id))


def get(ctx: Context, key_id: str) -> Key | None:
    """The key, unless it has expired."""
    return ctx.tx.one(Key, f"SELECT {_KEY} FROM keys WHERE id = :id AND {_LIVE}", id=key_id, now=ctx.now)


def find(ctx: Context, wkey: str) -> Key | None:
    return ctx.tx.one(Key, f"SELECT {_KEY} FROM keys WHERE wkey_hash = :hash AND {_LIVE}", hash=token_hash(wkey), now=ctx.now)


def find_device_user(ctx: Context, password: str) -> Actor | None:
    """The user whose app password this is."""
    actor = ctx.tx.one(
        KeyActor,
        """SELECT u.id, u.user_name, u.email_address, u.name, u.time_zone, NULL, k.id, u.verified_at, '', '', '', k.scopes,
                  k.calendar_ids, k.last_used_at
           FROM keys k JOIN users u ON u.id = k.user_id
           WHERE k.wkey_hash = :hash AND k.kind = 'dav' AND (k.expires_at IS NULL OR k.expires_at > :now)""",
        hash=_app_password_hash(password),
        now=ctx.now,
    )
    note_use(ctx, actor)
    return actor


def note_use(ctx: Context, actor: KeyActor | None) -> None:
    """Record the use of the key after the commit, once an hour: a read stays a read, and takes no longer."""
    if actor and ctx.now - (actor.last_used_at or 0) > TOUCH_AFTER:
        ctx.after_commit.append(lambda tx: touch(tx, actor.key_id, ctx.now))


def touch(tx: Transaction, key_id: str | None, now: int) -> None:
    tx.run("UPDATE keys SET last_used_at = :now WHERE id = :id", now=now, id=key_id)


def insert(
    ctx: Context, user_id: int, name: str, kind: KeyKind = "api", *, scopes: str = "", expires_at: int | None = None, calendar_ids: str = ""
) -> tuple[Key, str]:
    """A new key and its secret text."""
    key = Key(public_id("k"), user_id, name, ctx.now, kind, scopes=scopes, expires_at=expires_at, calendar_ids=calendar_ids)
    wkey = new_app_password() if kind == "dav" else "wk_" + new_token()
    ctx.tx.run(
        """INSERT INTO keys (id, user_id, name, wkey_hash, created_at, kind, scopes, expires_at, calendar_ids)
           VALUES (:id, :user_id, :name, :hash, :now, :kind, :scopes, :expires_at, :calendar_ids)""",
        id=key.id,
        user_id=user_id,
        name=name,
        hash=_app_password_hash(wkey) if kind == "dav" else token_hash(wkey),
        now=ctx.now,
        kind=kind,
        scopes=scopes,
        expires_at=expires_at,
        calendar_ids=calendar_ids,
    )
    return key, wkey


def _app_password_hash(password: str) -> bytes:
    """The hash of an app password, without the hyphens that people may leave out. It is no hash of a key, so that no login of the API
    finds it."""
    return token_hash(f"app password {password.replace('-', '').replace(' ', '').lower()}")


def delete_all(ctx: Context, user_id: int) -> None:
    """Delete the user's keys and, by foreign keys, the sessions that they opened."""
    ctx.tx.run("DELETE FROM keys WHERE user_id = :user_id", user_id=user_id)


def delete(ctx: Context, key_id: str) -> None:
    ctx.tx.run("DELETE FROM keys WHERE id = :id", id=key_id)
