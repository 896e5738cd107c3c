"""The SQL of kept answers."""

from kalends.context import Context
from kalends.db import Taken, columns
from kalends.idempotency.key import Kept, Quicker

# A client that has not tried again within a day will not.
LIFETIME = 86_400


def find(ctx: Context, name: bytes) -> Kept | None:
    return ctx.tx.one(
        Kept,
        f"SELECT {columns(Kept)} FROM kept_answers WHERE name = :name AND created_at > :since",
        name=name,
        since=ctx.now - LIFETIME,
    )


def insert(ctx: Context, name: bytes, kept: Kept) -> None:
    """Raise Quicker if there is one."""
    ctx.tx.run("DELETE FROM kept_answers WHERE name = :name AND created_at <= :since", name=name, since=ctx.now - LIFETIME)
    try:
        ctx.tx.run(
            "INSERT INTO kept_answers (name, request, reply, created_at) VALUES (:name, :request, :reply, :now)",
            name=name,
            request=kept.request,
            reply=kept.reply,
            now=ctx.now,
        )
    except Taken:
        raise Quicker from None


def clean_up(ctx: Context) -> None:
    ctx.tx.run("DELETE FROM kept_answers WHERE created_at <= :since", since=ctx.now - LIFETIME)
