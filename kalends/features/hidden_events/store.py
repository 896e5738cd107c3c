"""The SQL of hidden events."""

from kalends.core.records.administration import HiddenDate, HiddenEvent
from kalends.core.records.people import User
from kalends.db import columns
from kalends.features.events.placements import grant_store as grants
from kalends.http.context import Context

_TITLE = """(SELECT e.title FROM hidden_dates d JOIN events e ON e.id = d.event_id WHERE d.hidden_id = h.id
             ORDER BY d.event_id LIMIT 1)"""
_SELECT = f"SELECT {columns(HiddenEvent, 'h', title=f'{_TITLE} AS title')} FROM hidden_events h"


def index(ctx: Context, limit: int, offset: int) -> list[HiddenEvent]:
    """What is hidden, newest first."""
    return ctx.tx.all(HiddenEvent, f"{_SELECT} ORDER BY h.id DESC LIMIT :limit OFFSET :offset", limit=limit, offset=offset)


def count(ctx: Context) -> int:
    return int(ctx.tx.value("SELECT count(*) FROM hidden_events"))


def find(ctx: Context, hidden_id: int) -> HiddenEvent | None:
    return ctx.tx.one(HiddenEvent, f"{_SELECT} WHERE h.id = :id", id=hidden_id)


def find_by_event(ctx: Context, event_id: int) -> HiddenEvent | None:
    """What hides the event."""
    sql = f"{_SELECT} WHERE h.id = (SELECT hidden_id FROM hidden_dates WHERE event_id = :event_id)"
    return ctx.tx.one(HiddenEvent, sql, event_id=event_id)


def find_dates(ctx: Context, hidden_id: int) -> list[HiddenDate]:
    """The hidden events that were not deleted, as they were before."""
    sql = f"""SELECT {columns(HiddenDate, "d")} FROM hidden_dates d JOIN events e ON e.id = d.event_id
              WHERE d.hidden_id = :id ORDER BY d.event_id"""
    return ctx.tx.all(HiddenDate, sql, id=hidden_id)


def find_editors(ctx: Context, event_id: int) -> list[User]:
    """The owner and editors of the event's home calendar."""
    return ctx.tx.all(
        User,
        f"""SELECT {columns(User, "u")} FROM users u WHERE u.id IN (
                SELECT c.owner_id FROM events e JOIN calendars c ON c.id = e.calendar_id WHERE e.id = :id
                UNION SELECT s.user_id FROM events e JOIN calendar_shares s ON s.calendar_id = e.calendar_id
                WHERE e.id = :id AND s.role = 'editor') ORDER BY u.id""",
        id=event_id,
    )


def insert(ctx: Context, event_id: int, ids: list[int], reason: str) -> int:
    """Hide the events, and return the id of the new row; `event_id` is the one that was chosen."""
    in_ids = ctx.db.in_list("ids")
    hidden_id: int = ctx.tx.value(
        "INSERT INTO hidden_events (event_id, reason, hidden_at) VALUES (:event_id, :reason, :now) RETURNING id",
        event_id=event_id,
        reason=reason,
        now=ctx.now,
    )
    ctx.tx.run(
        f"""INSERT INTO hidden_dates (event_id, hidden_id, public, by_link, granting)
            SELECT e.id, CAST(:hidden_id AS BIGINT), e.public, e.by_link, coalesce((
                SELECT string_agg(CAST(p.id AS TEXT), ',') FROM placements p WHERE p.event_id = e.id AND p.grants), '')
            FROM events e WHERE e.id {in_ids}""",
        hidden_id=hidden_id,
        ids=ids,
    )
    ctx.tx.run(f"UPDATE placements SET grants = FALSE WHERE event_id {in_ids} AND grants", ids=ids)
    ctx.tx.run(
        f"UPDATE events SET public = FALSE, by_link = FALSE, version = version + 1, updated_at = :now WHERE id {in_ids}",
        ids=ids,
        now=ctx.now,
    )
    return hidden_id


def update(ctx: Context, hidden_id: int, reason: str) -> None:
    ctx.tx.run("UPDATE hidden_events SET reason = :reason WHERE id = :id", id=hidden_id, reason=reason)


def delete(ctx: Context, hidden_id: int, dates: list[HiddenDate]) -> None:
    """Show the events again to all who saw them before, except those who may no longer edit what they have put on a calendar."""
    ids, in_ids = [date.event_id for date in dates], ctx.db.in_list("ids")
    for column, shown_dates in (("public", [date for date in dates if date.public]), ("by_link", [date for date in dates if date.by_link])):
        ctx.tx.run(f"UPDATE events SET {column} = TRUE WHERE id {in_ids}", ids=[date.event_id for date in shown_dates])
    ctx.tx.run(f"UPDATE events SET version = version + 1, updated_at = :now WHERE id {in_ids}", ids=ids, now=ctx.now)
    granting = [placement_id for date in dates for placement_id in date.placement_ids]
    ctx.tx.run(f"UPDATE placements SET grants = TRUE WHERE id {in_ids}", ids=granting)
    ctx.tx.run("DELETE FROM hidden_events WHERE id = :id", id=hidden_id)
    grants.revoke_for(ctx, ids)


def clean_up(ctx: Context) -> None:
    """Forget what was hidden of events that were deleted, and can no longer be restored."""
    ctx.tx.run(
        """DELETE FROM hidden_dates WHERE NOT EXISTS (SELECT 1 FROM events e WHERE e.id = hidden_dates.event_id)
           AND NOT EXISTS (SELECT 1 FROM changes h WHERE h.event_id = hidden_dates.event_id)"""
    )
    ctx.tx.run("DELETE FROM hidden_events WHERE NOT EXISTS (SELECT 1 FROM hidden_dates d WHERE d.hidden_id = hidden_events.id)")
