"""The SQL of blocks."""

from kalends.core.records.people import Block
from kalends.http.context import Context
from kalends.http.paging import Paging


def index(ctx: Context, user_id: int, paging: Paging) -> list[Block]:
    """The people whom the user blocks."""
    return ctx.tx.all(
        Block,
        """SELECT b.owner_id, coalesce(u.name, u.user_name), b.created_at FROM blocks b JOIN users u ON u.id = b.owner_id
           WHERE b.user_id = :user_id ORDER BY b.owner_id LIMIT :limit OFFSET :offset""",
        user_id=user_id,
        limit=paging.fetch,
        offset=paging.offset,
    )


def count(ctx: Context, user_id: int) -> int:
    return int(ctx.tx.value("SELECT count(*) FROM blocks WHERE user_id = :user_id", user_id=user_id))


def insert(ctx: Context, user_id: int, owner_id: int) -> None:
    ctx.tx.run(
        "INSERT INTO blocks (user_id, owner_id, created_at) VALUES (:user_id, :owner_id, :now) ON CONFLICT (user_id, owner_id) DO NOTHING",
        user_id=user_id,
        owner_id=owner_id,
        now=ctx.now,
    )


def delete(ctx: Context, user_id: int, owner_id: int) -> bool:
    """Whether there was such a block."""
    return ctx.tx.run("DELETE FROM blocks WHERE user_id = :user_id AND owner_id = :owner_id", user_id=user_id, owner_id=owner_id) == 1
