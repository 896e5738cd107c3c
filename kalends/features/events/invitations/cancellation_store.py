"""The SQL of cancellations: what a change notice takes out of the calendar of a guest, kept until it is sent."""

from typing import Any

from kalends.http.context import Context


def replace(ctx: Context, rows: list[dict[str, Any]]) -> None:
    """Insert the cancellations in place of earlier ones of the same notice, guest and event."""
    ctx.tx.many("DELETE FROM cancellations WHERE notice_id = :notice_id AND email_key = :email_key AND event_id = :event_id", rows)
    ctx.tx.many(
        """INSERT INTO cancellations (notice_id, event_id, email_key, calendar, series_id)
           VALUES (:notice_id, :event_id, :email_key, :calendar, :series_id)""",
        rows,
    )


def find(ctx: Context, notice_id: int, email_key: str) -> list[tuple[int, str | None, int | None]]:
    """The event, and its calendar or else its series, of each cancellation of the notice for the guest."""
    rows = ctx.tx.rows(
        "SELECT event_id, calendar, series_id FROM cancellations WHERE notice_id = :id AND email_key = :key ORDER BY id",
        id=notice_id,
        key=email_key,
    )
    return [(event_id, calendar, series_id) for event_id, calendar, series_id in rows]
