"""The SQL of offers to hand over a calendar. Which of them count is the policy's to say."""

from kalends.http.context import Context
from kalends.policy import OFFER_SECONDS


def insert(ctx: Context, calendar_id: int, user_id: int, offered_by: int) -> int:
    """Offer the calendar to the user; an offer to somebody else ends."""
    ctx.tx.run("DELETE FROM ownership_offers WHERE calendar_id = :id", id=calendar_id)
    return int(
        ctx.tx.value(
            """INSERT INTO ownership_offers (calendar_id, user_id, offered_by, created_at)
               VALUES (:calendar_id, :user_id, :offered_by, :now) RETURNING id""",
            calendar_id=calendar_id,
            user_id=user_id,
            offered_by=offered_by,
            now=ctx.now,
        )
    )


def exists(ctx: Context, offer_id: int) -> bool:
    return bool(ctx.tx.rows("SELECT 1 FROM ownership_offers WHERE id = :id", id=offer_id))


def delete(ctx: Context, offer_id: int) -> None:
    ctx.tx.run("DELETE FROM ownership_offers WHERE id = :id", id=offer_id)


def find_size(ctx: Context, calendar_id: int, owner_id: int) -> tuple[int, int]:
    """How many events of the owner are on the calendar, and how much text they have."""
    sql = """SELECT count(*), coalesce(sum(octet_length(search) + coalesce(octet_length(description), 0)), 0) FROM events
             WHERE calendar_id = :calendar_id AND owner_id = :owner_id"""
    [(events, text)] = ctx.tx.rows(sql, calendar_id=calendar_id, owner_id=owner_id)
    return int(events), int(text)


def clean_up(ctx: Context) -> None:
    """Delete offers that have expired."""
    ctx.tx.run("DELETE FROM ownership_offers WHERE created_at <= :oldest", oldest=ctx.now - OFFER_SECONDS)
