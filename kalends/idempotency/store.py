"""The SQL of kept answers."""

from kalends.context import Context
from kalends.db import UniqueViolation, columns
from kalends.idempotency.key import IdempotencyKeyInUse, StoredResponse

# A client that has not tried again within a day will not.
LIFETIME = 86_400


def find(ctx: Context, name: bytes) -> StoredResponse | None:
    return ctx.tx.one(
        StoredResponse,
        f"SELECT {columns(StoredResponse)} FROM kept_answers WHERE name = :name AND created_at > :since",
        name=name,
        since=ctx.now - LIFETIME,
    )


def insert(ctx: Context, name: bytes, kept: StoredResponse) -> None:
    """Raise IdempotencyKeyInUse if there is one."""
    ctx.tx.run("DELETE FROM kept_answers WHERE name = :name AND created_at <= :since", name=name, since=ctx.now - LIFETIME)
    try:
        ctx.tx.run(
            "INSERT INTO kept_answers (name, request, reply, created_at) VALUES (:name, :request, :reply, :now)",
            name=name,
            request=kept.request,
            reply=kept.reply,
            now=ctx.now,
        )
    except UniqueViolation:
        raise IdempotencyKeyInUse from None


def clean_up(ctx: Context) -> None:
    ctx.tx.run("DELETE FROM kept_answers WHERE created_at <= :since", since=ctx.now - LIFETIME)
