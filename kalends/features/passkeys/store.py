"""The SQL of passkeys."""

from kalends.core.records.credentials import Passkey
from kalends.core.tokens import public_id
from kalends.db import columns
from kalends.http.context import Context
from kalends.http.paging import Paging

_PASSKEY = columns(Passkey)


def index(ctx: Context, user_id: int, paging: Paging) -> list[Passkey]:
    return ctx.tx.all(
        Passkey,
        f"SELECT {_PASSKEY} FROM passkeys WHERE user_id = :user_id ORDER BY created_at, id LIMIT :limit OFFSET :offset",
        user_id=user_id,
        limit=paging.fetch,
        offset=paging.offset,
    )


def count(ctx: Context, user_id: int) -> int:
    return int(ctx.tx.value("SELECT count(*) FROM passkeys WHERE user_id = :user_id", user_id=user_id))


def find(ctx: Context, credential_id: bytes) -> Passkey | None:
    return ctx.tx.one(Passkey, f"SELECT {_PASSKEY} FROM passkeys WHERE credential_id = :id", id=credential_id)


def insert(ctx: Context, user_id: int, name: str, credential_id: bytes, credential: bytes, sign_count: int) -> Passkey:
    passkey = Passkey(public_id("p"), user_id, name, credential_id, credential, sign_count, None, ctx.now)
    ctx.tx.run(
        """INSERT INTO passkeys (id, user_id, name, credential_id, credential, sign_count, created_at)
           VALUES (:id, :user_id, :name, :credential_id, :credential, :sign_count, :now)""",
        id=passkey.id,
        user_id=user_id,
        name=name,
        credential_id=credential_id,
        credential=credential,
        sign_count=sign_count,
        now=ctx.now,
    )
    return passkey


def use(ctx: Context, passkey_id: str, sign_count: int) -> bool:
    """Record a use; False if the counter did not rise, or the passkey was deleted meanwhile. One that does not count says 0 each time."""
    changed = ctx.tx.run(
        """UPDATE passkeys SET sign_count = :count, last_used_at = :now
           WHERE id = :id AND (sign_count < :count OR sign_count = 0 AND :count = 0)""",
        id=passkey_id,
        count=sign_count,
        now=ctx.now,
    )
    return changed == 1


def delete(ctx: Context, passkey_id: str) -> None:
    ctx.tx.run("DELETE FROM passkeys WHERE id = :id", id=passkey_id)


def delete_all(ctx: Context, user_id: int) -> int:
    """Delete the user's passkeys, and return how many there were."""
    return ctx.tx.run("DELETE FROM passkeys WHERE user_id = :user_id", user_id=user_id)
