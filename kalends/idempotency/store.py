"""The SQL of stored idempotent responses."""

from kalends.context import Context
from kalends.db import UniqueViolation, columns
from kalends.idempotency.key import IdempotencyKeyInUse, StoredResponse

# A client that has not tried again within a day will not.
LIFETIME = 86_400
# How many are deleted in one transaction.
BATCH = 1_000

_DELETE_EXPIRED = "DELETE FROM idempotent_responses WHERE key_hash = :key_hash AND created_at <= :since"
_INSERT = """
INSERT INTO idempotent_responses (key_hash, request_hash, reply, created_at) VALUES (:key_hash, :request_hash, :reply, :now)
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
    row = {"key_hash": key_hash, "request_hash": response.request_hash, "reply": response.reply, "now": ctx.now}
    try:
        ctx.tx.run_together((_DELETE_EXPIRED, {"key_hash": key_hash, "since": ctx.now - LIFETIME}), (_INSERT, row))
    except UniqueViolation:
        raise IdempotencyKeyInUse from None


def delete_expired(ctx: Context) -> bool:
    """Delete a batch of those that have expired, the oldest first; returns whether there may be more."""
    oldest = f"""SELECT key_hash FROM idempotent_responses WHERE created_at <= :since
                 ORDER BY created_at LIMIT {BATCH} {ctx.db.for_update_skip_locked}"""
    return ctx.tx.run(f"DELETE FROM idempotent_responses WHERE key_hash IN ({oldest})", since=ctx.now - LIFETIME) == BATCH
