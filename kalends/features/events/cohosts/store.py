"""The SQL of co-hosts."""

from kalends.core.records.calendar import Cohost
from kalends.core.records.event import Event
from kalends.core.values.text import fold_case
from kalends.features.events.placements import grant_store as grants
from kalends.http.context import Context

# Whose an address is, is not said.
_SELECT = """SELECT h.id, h.event_id, h.user_id, CASE WHEN h.email_key IS NULL THEN u.user_name END,
    CASE WHEN h.email_key IS NULL THEN u.name END, h.email_address, h.created_at
    FROM cohosts h LEFT JOIN users u ON u.id = h.user_id"""
_VERIFIED = "(SELECT u.id FROM users u WHERE u.email_key = :email_key AND u.verified_at IS NOT NULL)"


def of_event(ctx: Context, event_id: int) -> list[Cohost]:
    """The co-hosts of the event, in the order in which they were added."""
    return ctx.tx.all(Cohost, f"{_SELECT} WHERE h.event_id = :id ORDER BY h.id", id=event_id)


def insert(ctx: Context, event_ids: list[int], user_id: int | None, email_address: str | None, *, by_series: bool, added_by: int) -> None:
    """Add a user, or the address of one, to the events; who is there already stays."""
    account = "CAST(:user_id AS BIGINT)" if email_address is None else _VERIFIED
    params = {"user_id": user_id} if email_address is None else {"email_key": fold_case(email_address)}
    key = "CAST(NULL AS TEXT)" if email_address is None else "CAST(:email_key AS TEXT)"
    ctx.tx.run(
        f"""INSERT INTO cohosts (event_id, user_id, email_address, email_key, by_series, added_by, created_at)
            SELECT e.id, {account}, CAST(:email_address AS TEXT), {key}, CAST(:by_series AS BOOLEAN), CAST(:added_by AS BIGINT),
                CAST(:now AS BIGINT)
            FROM events e WHERE e.id {ctx.db.in_list("ids")} ORDER BY e.id ON CONFLICT DO NOTHING""",
        ids=event_ids,
        email_address=email_address,
        by_series=by_series,
        added_by=added_by,
        now=ctx.now,
        **params,
    )


def copy_to_events(ctx: Context, pattern_id: int, event_ids: list[int]) -> None:
    """Give new dates of a series the co-hosts of all its dates."""
    ctx.tx.run(
        f"""INSERT INTO cohosts (event_id, user_id, email_address, email_key, by_series, added_by, created_at)
            SELECT e.id, h.user_id, h.email_address, h.email_key, TRUE, h.added_by, h.created_at
            FROM events e CROSS JOIN cohosts h WHERE e.id {ctx.db.in_list("ids")} AND h.event_id = :pattern AND h.by_series
            ORDER BY e.id, h.id ON CONFLICT DO NOTHING""",
        ids=event_ids,
        pattern=pattern_id,
    )


def find_same(ctx: Context, cohost: Cohost, event_ids: list[int]) -> list[int]:
    """The ids of what makes the same person a co-host of these events, by the same name or address."""
    same = "email_key IS NULL AND user_id = :user_id" if cohost.email_address is None else "email_key = :email_key"
    sql = f"SELECT id FROM cohosts WHERE event_id {ctx.db.in_list('ids')} AND {same} ORDER BY id"
    key = {"user_id": cohost.user_id} if cohost.email_address is None else {"email_key": fold_case(cohost.email_address)}
    return [cohost_id for (cohost_id,) in ctx.tx.rows(sql, ids=event_ids, **key)]


def find_with_guests(ctx: Context, event: Event) -> set[int]:
    """The ids of the co-hosts of the event who have invited or added guests to it or to its series."""
    invited = "EXISTS (SELECT 1 FROM invitations i WHERE {of} AND i.invited_by = h.user_id AND i.state <> 'withdrawn')"
    rows = ctx.tx.rows(
        f"""SELECT h.id FROM cohosts h WHERE h.event_id = :id AND (
               {invited.format(of="i.event_id = h.event_id")} OR {invited.format(of="i.series_id = :series_id")}
               OR EXISTS (SELECT 1 FROM responses r WHERE r.event_id = h.event_id AND r.added_by = h.user_id AND r.added))""",
        id=event.id,
        series_id=event.series_id,
    )
    return {cohost_id for (cohost_id,) in rows}


def delete(ctx: Context, ids: list[int], user_id: int | None) -> None:
    """End the co-hosting, and what the user has granted others as a co-host."""
    ctx.tx.run(f"DELETE FROM cohosts WHERE id {ctx.db.in_list('ids')}", ids=ids)
    if user_id is not None:
        grants.revoke_of(ctx, user_id)


def claim(ctx: Context, user_id: int, email_address: str) -> None:
    """Make the user, who has just verified the address, the co-host that it was meant for."""
    sql = "UPDATE cohosts SET user_id = :user_id WHERE email_key = :email_key AND user_id IS NULL"
    ctx.tx.run(sql, user_id=user_id, email_key=fold_case(email_address))
