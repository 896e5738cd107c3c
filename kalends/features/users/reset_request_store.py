"""Password reset requests, stored for any name, so that their timing does not reveal which accounts exist."""

from kalends.http.context import Context

BATCH = 100


def insert(ctx: Context, name: str) -> None:
    ctx.tx.run("INSERT INTO reset_requests (name, requested_at) VALUES (:name, :now)", name=name, now=ctx.now)


def exist(ctx: Context) -> bool:
    return bool(ctx.tx.rows("SELECT 1 FROM reset_requests LIMIT 1"))


def take(ctx: Context) -> list[tuple[str, int]]:
    """Delete and return a batch of requests; other workers skip them."""
    rows = ctx.tx.rows(
        f"""DELETE FROM reset_requests WHERE id IN (SELECT id FROM reset_requests ORDER BY id LIMIT {BATCH} {ctx.db.for_update})
            RETURNING name, requested_at"""
    )
    return [(name, requested_at) for name, requested_at in rows]
