"""The SQL of stored idempotent responses."""

from collections.abc import Mapping
from typing import Any

from msgspec import structs

from kalends import policy
from kalends.db import UniqueViolation, columns
from kalends.http.context import Context
from kalends.http.idempotency_key import IdempotencyKeyInUse, StoredResponse

# A client that has not tried again within a day will not.
LIFETIME = 86_400
# How many are deleted in one transaction.
BATCH = 1_000

_DELETE_EXPIRED = "DELETE FROM idempotent_responses WHERE key_hash = :key_hash AND created_at <= :since"
_INSERT = """
INSERT INTO idempotent_responses (key_hash, request_hash, reply, access_hash, created_at)
VALUES (:key_hash, :request_hash, :reply, :access_hash, :now)
"""


def find(ctx: Context, key_hash: bytes) -> StoredResponse | None:
    return ctx.tx.one(
        StoredResponse,
        f"SELECT {columns(StoredResponse)} FROM idempotent_responses WHERE key_hash = :key_hash AND created_at > :since",
        key_hash=key_hash,
        since=ctx.now - LIFETIME,
    )


def insert(ctx: Context, key_hash: bytes, response: StoredResponse) -> None:
    """Raise IdempotencyKeyInUse if there is one."""
    row = structs.asdict(response) | {"key_hash": key_hash, "now": ctx.now}
    try:
        ctx.tx.run(_DELETE_EXPIRED, key_hash=key_hash, since=ctx.now - LIFETIME)
        ctx.tx.run(_INSERT, **row)
    except UniqueViolation:
        raise IdempotencyKeyInUse from None


def access_hash(ctx: Context, names: Mapping[str, Any]) -> bytes:
    """The hash of what the actor sees of the records that the request names."""
    ids = {name: names[name] for name in policy.Named.__struct_fields__ if isinstance(names.get(name), int)}
    return policy.access_hash(ctx, policy.Named(**ids))


def delete_expired(ctx: Context) -> bool:
    """Delete a batch of those that have expired, the oldest first; returns whether there may be more."""
    oldest = f"""SELECT key_hash FROM idempotent_responses WHERE created_at <= :since
                 ORDER BY created_at LIMIT {BATCH} {ctx.db.for_update_skip_locked}"""
    return ctx.tx.run(f"DELETE FROM idempotent_responses WHERE key_hash IN ({oldest})", since=ctx.now - LIFETIME) == BATCH
