"""The SQL of placements: on which calendars an event stands, who let their members see it, and where its home is."""

from kalends import policy
from kalends.context import Context
from kalends.events.conditions import LONG
from kalends.events.model import CalendarName, Event

# How many events leave a calendar in one transaction, while all other writes wait.
BATCH_EVENTS = 5_000

# What a placement repeats of its event `e`.
COPIED = f"e.start_at, e.public, e.until_at - e.start_at > {LONG}"

# The longest-standing other calendar of the event's owner on which somebody who may edit the event has placed it.
_NEXT_HOME = """(
    SELECT p.calendar_id FROM placements p JOIN calendars c ON c.id = p.calendar_id
    WHERE p.event_id = events.id AND p.calendar_id <> :home AND p.grants AND c.owner_id = events.owner_id ORDER BY p.id LIMIT 1
)"""

# Grants of people who may no longer edit the event. On a calendar of the event's owner, or of its home's owner, a grant stays.
_ENDED = """
    SELECT p.id FROM placements p JOIN events e ON e.id = p.event_id
    JOIN calendars h ON h.id = e.calendar_id JOIN calendars c ON c.id = p.calendar_id
    WHERE {chosen} AND p.grants AND p.granted_by IS NOT NULL AND c.id <> h.id
    AND p.granted_by NOT IN (e.owner_id, h.owner_id) AND c.owner_id NOT IN (e.owner_id, h.owner_id)
    AND NOT EXISTS (SELECT 1 FROM calendar_shares s WHERE s.calendar_id = h.id AND s.user_id = p.granted_by AND s.role = 'editor')
"""


def insert(ctx: Context, event_id: int, calendar_id: int, *, grants: bool, granted_by: int | None = None) -> None:
    """Put the event on the calendar. Twice changes nothing, except that one who may edit it lets the members see it."""
    ctx.tx.run(
        f"""INSERT INTO placements (event_id, calendar_id, start_at, public, lasts, grants, granted_by, created_at)
            SELECT e.id, CAST(:calendar_id AS BIGINT), {COPIED}, CAST(:grants AS BOOLEAN), CAST(:granted_by AS BIGINT), CAST(:now AS BIGINT)
            FROM events e WHERE e.id = :event_id
            ON CONFLICT (event_id, calendar_id) DO UPDATE SET grants = placements.grants OR excluded.grants,
            granted_by = CASE WHEN placements.grants THEN placements.granted_by ELSE excluded.granted_by END""",
        event_id=event_id,
        calendar_id=calendar_id,
        grants=grants,
        granted_by=granted_by,
        now=ctx.now,
    )


def hold_home(ctx: Context, event_id: int) -> None:
    """Let nobody change who edits the event's home calendar until the transaction ends."""
    home = ctx.tx.value("SELECT calendar_id FROM events WHERE id = :id", id=event_id)
    ctx.tx.advisory_lock(f"calendar {home}")


def delete(ctx: Context, event: Event, calendar_id: int) -> bool:
    """Take the event off the calendar. False when no other calendar can be its home, and nothing is changed."""
    if calendar_id == event.calendar_id:
        ctx.tx.run(
            f"UPDATE events SET calendar_id = {_NEXT_HOME} WHERE id = :id AND {_NEXT_HOME} IS NOT NULL", id=event.id, home=calendar_id
        )
        if ctx.tx.value("SELECT calendar_id FROM events WHERE id = :id", id=event.id) == calendar_id:
            return False
    ctx.tx.run("DELETE FROM placements WHERE event_id = :id AND calendar_id = :calendar_id", id=event.id, calendar_id=calendar_id)
    if calendar_id == event.calendar_id:
        _end_grants(ctx, "p.event_id = :event_id", event_id=event.id)
    return True


def leave_in_batches(ctx: Context, calendar_id: int) -> None:
    """Before a calendar is deleted: take most events off it, in transactions of their own, so that others can write in between. If that
    is cut short, the calendar has fewer events."""
    while True:
        with ctx.read():
            rows = ctx.tx.rows("SELECT id FROM events WHERE calendar_id = :home LIMIT :most", home=calendar_id, most=BATCH_EVENTS)
        if len(rows) < BATCH_EVENTS:
            return
        with ctx.write(alone=True, is_last=False):
            _leave(ctx, calendar_id, [event_id for (event_id,) in rows])
        ctx.db.yield_to_other_writers()


def leave_calendar(ctx: Context, calendar_id: int) -> None:
    """Take every event off the calendar, and delete those that have nowhere else to be."""
    rows = ctx.tx.rows("SELECT id FROM events WHERE calendar_id = :home", home=calendar_id)
    _leave(ctx, calendar_id, [event_id for (event_id,) in rows])
    ctx.tx.run("DELETE FROM placements WHERE calendar_id = :home", home=calendar_id)


def _leave(ctx: Context, calendar_id: int, ids: list[int]) -> None:
    listed = ctx.db.in_list("ids")
    home = f"id IN {listed} AND calendar_id = :home"
    ctx.tx.rows(f"SELECT id FROM events WHERE {home} ORDER BY id {ctx.db.for_update}", ids=ids, home=calendar_id)
    ctx.tx.run(f"UPDATE events SET calendar_id = {_NEXT_HOME} WHERE {home} AND {_NEXT_HOME} IS NOT NULL", ids=ids, home=calendar_id)
    ctx.tx.run(f"DELETE FROM events WHERE {home}", ids=ids, home=calendar_id)
    ctx.tx.run(f"DELETE FROM placements WHERE event_id IN {listed} AND calendar_id = :home", ids=ids, home=calendar_id)
    _end_grants(ctx, f"p.event_id IN {listed}", ids=ids)


def end_grants_of(ctx: Context, user_id: int) -> None:
    """End what the user granted on events that they may no longer edit."""
    _end_grants(ctx, "p.granted_by = :user_id", user_id=user_id)


def _end_grants(ctx: Context, chosen: str, **params: int | list[int]) -> None:
    """On a calendar of whoever granted it, a private event is gone; elsewhere its members no longer see it by that placement."""
    ended = _ENDED.format(chosen=chosen)
    ctx.tx.run(f"DELETE FROM placements WHERE NOT public AND id IN ({ended} AND c.owner_id = p.granted_by)", **params)
    ctx.tx.run(f"UPDATE placements SET grants = FALSE, granted_by = NULL WHERE id IN ({ended})", **params)


def calendars(ctx: Context, event: Event) -> list[CalendarName]:
    """Where the event is placed: what the reader may see, and for those who may edit it every placement that lets others see it."""
    granted = "p.grants OR " if event.can_edit else ""
    return ctx.tx.all(
        CalendarName,
        f"""SELECT c.id, c.name FROM placements p JOIN calendars c ON c.id = p.calendar_id
            WHERE p.event_id = :event_id AND ({granted}{policy.calendar_visible(ctx)}) ORDER BY c.id""",
        event_id=event.id,
        me=policy.me(ctx),
    )
