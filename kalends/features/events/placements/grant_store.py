"""The SQL of what people grant others on events: a placement on a calendar, whose members see the event, and co-hosting it. A grant ends
with the right of who made it."""

from kalends.http.context import Context

# Grants by people who may no longer edit the event. Grants on calendars of its home's owner stay.
# Without coalesce(), a planner would read the grants on all calendars from their index rather than use the condition.
_INVALID_PLACEMENTS = """
    SELECT p.id FROM placements p JOIN events e ON e.id = p.event_id
    JOIN calendars h ON h.id = e.calendar_id JOIN calendars c ON c.id = p.calendar_id
    WHERE {condition} AND p.grants AND c.id <> h.id
    AND coalesce(p.granted_by, 0) NOT IN (0, h.owner_id) AND c.owner_id <> h.owner_id
    AND NOT EXISTS (SELECT 1 FROM calendar_shares s WHERE s.calendar_id = h.id AND s.user_id = p.granted_by AND s.role = 'editor')
    AND NOT EXISTS (SELECT 1 FROM cohosts o WHERE o.user_id = p.granted_by AND o.event_id = e.id)
"""
# Co-hosts whom somebody added who may no longer edit the event's calendar.
_INVALID_COHOSTS = """
    SELECT o.id FROM cohosts o JOIN events e ON e.id = o.event_id JOIN calendars h ON h.id = e.calendar_id
    WHERE {condition} AND coalesce(o.added_by, h.owner_id) <> h.owner_id
    AND NOT EXISTS (SELECT 1 FROM calendar_shares s WHERE s.calendar_id = h.id AND s.user_id = o.added_by AND s.role = 'editor')
"""


def pass_on(ctx: Context, home_id: int, former_id: int, owner_id: int) -> None:
    """Let grants on events of the calendar last when its former owner is gone: its new owner answers for them."""
    for table, column in (("placements", "granted_by"), ("cohosts", "added_by")):
        ctx.tx.run(
            f"""UPDATE {table} SET {column} = :owner_id WHERE {column} = :former_id
                AND event_id IN (SELECT id FROM events WHERE calendar_id = :home_id)""",
            home_id=home_id,
            former_id=former_id,
            owner_id=owner_id,
        )


def revoke_of(ctx: Context, user_id: int) -> None:
    """Revoke what the user granted on events that they may no longer edit."""
    _end_cohosts(ctx, "o.added_by = :user_id", user_id=user_id)
    _revoke_placements(ctx, "p.granted_by = :user_id", user_id=user_id)


def revoke_on(ctx: Context, calendar_id: int) -> None:
    """Revoke what people granted on events of the calendar that they may no longer edit. The time does not depend on who they are."""
    _end_cohosts(ctx, "e.calendar_id = :calendar_id", calendar_id=calendar_id)
    _revoke_placements(ctx, "e.calendar_id = :calendar_id", calendar_id=calendar_id)


def revoke_for(ctx: Context, ids: list[int]) -> None:
    """Revoke what was granted on these events by people who may no longer edit them."""
    if ids:
        _end_cohosts(ctx, f"o.event_id {ctx.db.in_list('ids')}", ids=ids)
        _revoke_placements(ctx, f"p.event_id {ctx.db.in_list('ids')}", ids=ids)


def _end_cohosts(ctx: Context, condition: str, **params: int | list[int]) -> None:
    """End the co-hosting, and what the co-hosts granted in turn."""
    invalid = _INVALID_COHOSTS.format(condition=condition)
    rows = ctx.tx.rows(f"DELETE FROM cohosts WHERE id IN ({invalid}) RETURNING event_id", **params)
    if rows:
        ids = sorted({event_id for (event_id,) in rows})
        _revoke_placements(ctx, f"p.event_id {ctx.db.in_list('ids')}", ids=ids)


def _revoke_placements(ctx: Context, condition: str, **params: int | list[int]) -> None:
    """Remove private events from calendars of those who granted access; on other calendars, the placement grants nothing any more."""
    invalid = _INVALID_PLACEMENTS.format(condition=condition)
    ctx.tx.run(f"DELETE FROM placements WHERE NOT public AND id IN ({invalid} AND c.owner_id = p.granted_by)", **params)
    ctx.tx.run(f"UPDATE placements SET grants = FALSE, granted_by = NULL WHERE id IN ({invalid})", **params)
