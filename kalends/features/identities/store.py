"""The SQL of identities."""

from kalends.core.records.credentials import Identity
from kalends.core.tokens import public_id
from kalends.db import columns
from kalends.http.context import Context
from kalends.http.paging import Paging

_IDENTITY = columns(Identity)


def index(ctx: Context, user_id: int, paging: Paging) -> list[Identity]:
    return ctx.tx.all(
        Identity,
        f"SELECT {_IDENTITY} FROM identities WHERE user_id = :user_id ORDER BY created_at, id LIMIT :limit OFFSET :offset",
        user_id=user_id,
        limit=paging.fetch,
        offset=paging.offset,
    )


def count(ctx: Context, user_id: int) -> int:
    return int(ctx.tx.value("SELECT count(*) FROM identities WHERE user_id = :user_id", user_id=user_id))


def find(ctx: Context, issuer: str, subject: str) -> Identity | None:
    return ctx.tx.one(
        Identity, f"SELECT {_IDENTITY} FROM identities WHERE issuer = :issuer AND subject = :subject", issuer=issuer, subject=subject
    )


def insert(ctx: Context, user_id: int, issuer: str, subject: str) -> None:
    ctx.tx.run(
        "INSERT INTO identities (id, user_id, issuer, subject, created_at) VALUES (:id, :user_id, :issuer, :subject, :now)",
        id=public_id("i"),
        user_id=user_id,
        issuer=issuer,
        subject=subject,
        now=ctx.now,
    )


def touch(ctx: Context, issuer: str, subject: str) -> None:
    """Record a login."""
    ctx.tx.run(
        "UPDATE identities SET last_used_at = :now WHERE issuer = :issuer AND subject = :subject",
        issuer=issuer,
        subject=subject,
        now=ctx.now,
    )


def delete(ctx: Context, identity_id: str) -> None:
    ctx.tx.run("DELETE FROM identities WHERE id = :id", id=identity_id)


def delete_all(ctx: Context, user_id: int) -> int:
    """Delete the user's identities, and return how many there were."""
    return ctx.tx.run("DELETE FROM identities WHERE user_id = :user_id", user_id=user_id)
