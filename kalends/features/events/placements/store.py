"""The SQL of placements: which calendars an event is on, whose members may see it there, and which one is its home."""

from typing import Any

from kalends import policy
from kalends.core.records.event import Event
from kalends.core.values.datetimes import DAY_SECONDS
from kalends.features.events import deleted_event_store as deleted_events
from kalends.features.events.listing.store.conditions import LONG_SECONDS
from kalends.features.events.placements import grant_store
from kalends.features.events.rules.span import Span
from kalends.http.context import Context

# How many events are taken off a calendar in one transaction, while all other writes wait.
BATCH_EVENTS = 1_000

# The columns that a placement repeats of its event `e`.
COPIED = f"e.start_at, e.public, e.until_at - e.start_at > {LONG_SECONDS}, e.all_day OR e.until_at - e.start_at >= {DAY_SECONDS}"

# The event's next home: the calendar of its owner on which someone who may edit the event has placed it first.
_NEXT_HOME = """(
    SELECT p.calendar_id FROM placements p JOIN calendars c ON c.id = p.calendar_id
    WHERE p.event_id = events.id AND p.calendar_id <> :home AND p.grants AND c.owner_id = events.owner_id ORDER BY p.id LIMIT 1
)"""
# A calendar has each UID once, for an event or a series.
_IS_TAKEN = """(
    EXISTS (SELECT 1 FROM events o WHERE o.calendar_id = {home} AND o.uid = {uid} AND coalesce(o.series_id, 0) <> coalesce({series_id}, -1))
    OR EXISTS (SELECT 1 FROM series t WHERE t.uid = {uid} AND t.id <> coalesce({series_id}, 0) AND {home} = (
        SELECT o.calendar_id FROM events o WHERE o.series_id = t.id ORDER BY o.start_at, o.id LIMIT 1))
)"""
# What comes to a calendar later gets a new one.
_MOVE_HOME = f"""
UPDATE events SET calendar_id = {_NEXT_HOME}, updated_at = :now, uid = CASE
    WHEN {_IS_TAKEN.format(home=_NEXT_HOME, uid="events.uid", series_id="events.series_id")} THEN NULL ELSE uid END
"""
_RENAME_SERIES = f"""
UPDATE series SET uid = NULL WHERE id IN (
    SELECT r.id FROM events e JOIN series r ON r.id = e.series_id WHERE {{condition}} AND r.uid IS NOT NULL AND e.calendar_id <> :home
    AND {_IS_TAKEN.format(home="e.calendar_id", uid="r.uid", series_id="r.id")})
"""

# The address of a guest, which the history does not have.
_OWNERS_KEY = """CASE WHEN CAST(:by_invitation AS BOOLEAN) THEN (
    SELECT u.email_key FROM calendars c JOIN users u ON u.id = c.owner_id WHERE c.id = :calendar_id
) END"""

# Whether `p` has the event `e` on its home calendar, which may show it to editors alone, or where someone who may edit it has placed it.
_COPIED_ON = "(p.grants OR p.calendar_id = e.calendar_id)"


def insert(
    ctx: Context, event_id: int, calendar_id: int, *, grants: bool, granted_by: int | None = None, invited_key: str | None = None
) -> None:
    """Add the event to the calendar. If it is there already, a placement that grants its members access is never weakened.

    invited_key: the calendar is that of a guest with this address, of which the event's editors do not hear: the event stays as it is."""
    if invited_key is None:
        _mark_changed(ctx, event_id, calendar_id, grants=grants)
    ctx.tx.run(
        f"""INSERT INTO placements (event_id, calendar_id, start_at, public, lasts, takes_days, grants, granted_by, by_invitation,
                invited_key, created_at)
            SELECT e.id, CAST(:calendar_id AS BIGINT), {COPIED}, CAST(:grants AS BOOLEAN), CAST(:granted_by AS BIGINT),
                   CAST(:by_invitation AS BOOLEAN), CAST(:invited_key AS TEXT), CAST(:now AS BIGINT)
            FROM events e WHERE e.id = :event_id
            ON CONFLICT (event_id, calendar_id) DO UPDATE SET grants = placements.grants OR excluded.grants,
            by_invitation = CASE WHEN excluded.grants THEN excluded.by_invitation ELSE placements.by_invitation END,
            invited_key = CASE WHEN excluded.grants THEN excluded.invited_key ELSE placements.invited_key END,
            granted_by = CASE WHEN placements.grants THEN placements.granted_by ELSE excluded.granted_by END""",
        event_id=event_id,
        calendar_id=calendar_id,
        grants=grants,
        granted_by=granted_by,
        by_invitation=invited_key is not None,
        invited_key=invited_key,
        now=ctx.now,
    )


def _mark_changed(ctx: Context, event_id: int, calendar_id: int, *, grants: bool) -> None:
    """Give the event a new version, unless the calendar has it already and nobody gets more access."""
    ctx.tx.run(
        """UPDATE events SET updated_at = :now WHERE id = :event_id AND NOT EXISTS (
               SELECT 1 FROM placements p WHERE p.event_id = :event_id AND p.calendar_id = :calendar_id
               AND (p.grants OR NOT CAST(:grants AS BOOLEAN)))""",
        event_id=event_id,
        calendar_id=calendar_id,
        grants=grants,
        now=ctx.now,
    )


def copy_invited(ctx: Context, ids: list[int], source_id: int, calendar_id: int) -> None:
    """Add the events that a guest has on the source by invitation to another calendar, by the same invitation."""
    ctx.tx.run(
        f"""INSERT INTO placements (event_id, calendar_id, start_at, public, lasts, takes_days, grants, granted_by, by_invitation,
                invited_key, created_at)
            SELECT e.id, CAST(:calendar_id AS BIGINT), {COPIED}, s.grants, s.granted_by, TRUE, s.invited_key, CAST(:now AS BIGINT)
            FROM placements s JOIN events e ON e.id = s.event_id
            WHERE s.calendar_id = :source_id AND s.event_id {ctx.db.in_list("ids")} AND s.by_invitation
            ON CONFLICT (event_id, calendar_id) DO NOTHING""",
        ids=ids,
        source_id=source_id,
        calendar_id=calendar_id,
        now=ctx.now,
    )


def remove_invited(ctx: Context, ids: list[int], invited_key: str) -> list[tuple[int, int]]:
    """Remove these events from the calendars that have them by an invitation of the address; returns the calendars and events."""
    return ctx.tx.rows(
        f"""DELETE FROM placements WHERE event_id {ctx.db.in_list("ids")} AND by_invitation AND invited_key = :key
            RETURNING calendar_id, event_id""",
        ids=ids,
        key=invited_key,
    )


def find_placed(ctx: Context, calendar_id: int, ids: list[int]) -> set[int]:
    """The given events that are on the calendar."""
    sql = f"SELECT event_id FROM placements WHERE calendar_id = :calendar_id AND event_id {ctx.db.in_list('ids')}"
    return {event_id for (event_id,) in ctx.tx.rows(sql, calendar_id=calendar_id, ids=ids)}


def find_alone(ctx: Context, calendar_ids: list[int] | None, ids: list[int]) -> set[int]:
    """The given dates of series that are on one of the calendars without the others, for a guest; without ids, on the actor's own."""
    if not ids:
        return set()
    on = "IN (SELECT id FROM calendars WHERE owner_id = :me)" if calendar_ids is None else ctx.db.in_list("calendar_ids")
    params = {"me": policy.me(ctx)} if calendar_ids is None else {"calendar_ids": calendar_ids}
    sql = f"""SELECT e.id FROM events e CROSS JOIN placements p WHERE e.id {ctx.db.in_list("ids")} AND p.event_id = e.id
              AND p.calendar_id {on} AND {policy.placed_alone("p", "e")}"""
    return {event_id for (event_id,) in ctx.tx.rows(sql, ids=ids, **params)}


def count_beyond_home(ctx: Context, ids: list[int]) -> int:
    """On how many calendars these events are together, without their homes."""
    count: int = ctx.tx.value(f"SELECT count(*) FROM placements WHERE event_id {ctx.db.in_list('ids')}", ids=ids)
    return count - len(ids)


def count_copied(ctx: Context, event_id: int) -> int:
    """On how many calendars, without its home, each occurrence after this event is placed."""
    count: int = ctx.tx.value(
        f"SELECT count(*) FROM placements p JOIN events e ON e.id = p.event_id WHERE e.id = :id AND {_COPIED_ON}", id=event_id
    )
    return count - 1


def restore(ctx: Context, contents: list[dict[str, Any]]) -> None:
    """Insert placements that were deleted, as they were."""
    ctx.tx.many(
        f"""INSERT INTO placements (id, event_id, calendar_id, start_at, public, lasts, takes_days, grants, granted_by, by_invitation,
                invited_key, created_at)
            SELECT CAST(:id AS BIGINT), e.id, CAST(:calendar_id AS BIGINT), {COPIED}, CAST(:grants AS BOOLEAN), CAST(:granted_by AS BIGINT),
                   CAST(:by_invitation AS BOOLEAN), {_OWNERS_KEY}, CAST(:created_at AS BIGINT)
            FROM events e WHERE e.id = :event_id""",
        [{"by_invitation": False} | content for content in contents],
    )


def insert_home(ctx: Context, event_id: int, calendar_id: int, span: Span, *, public: bool) -> None:
    """Place a new event on its home calendar."""
    seconds = span.until_at - span.start_at
    ctx.tx.run(
        """INSERT INTO placements (event_id, calendar_id, start_at, public, lasts, takes_days, grants, created_at)
           VALUES (:event_id, :calendar_id, :start_at, :public, :lasts, :takes_days, :grants, :now)""",
        event_id=event_id,
        calendar_id=calendar_id,
        start_at=span.start_at,
        public=public,
        lasts=seconds > LONG_SECONDS,
        takes_days=span.all_day or seconds >= DAY_SECONDS,
        grants=True,
        now=ctx.now,
    )


def insert_homes(ctx: Context, condition: str, **params: int | list[int]) -> None:
    """Place the events `e` of the condition that have no placement yet on their home calendars."""
    ctx.tx.run(
        f"""INSERT INTO placements (event_id, calendar_id, start_at, public, lasts, takes_days, grants, created_at)
            SELECT e.id, e.calendar_id, {COPIED}, TRUE, CAST(:now AS BIGINT) FROM events e
            WHERE {condition} AND NOT EXISTS (SELECT 1 FROM placements h WHERE h.event_id = e.id) ORDER BY e.id""",
        **params,
        now=ctx.now,
    )


def copy_to_series(ctx: Context, pattern: Event, series_id: int) -> None:
    """Place the new events of the series where someone who may edit the pattern has placed it, unless that is for its guest alone."""
    ctx.tx.run(
        f"""INSERT INTO placements (event_id, calendar_id, start_at, public, lasts, takes_days, grants, granted_by, by_invitation,
               invited_key, created_at)
           SELECT e.id, p.calendar_id, {COPIED}, p.grants, p.granted_by, p.by_invitation, p.invited_key, CAST(:now AS BIGINT)
           FROM events e CROSS JOIN placements p
           WHERE e.series_id = :series_id AND p.event_id = :pattern AND {_COPIED_ON} AND NOT {policy.placed_alone("p", "e")}
           AND NOT EXISTS (SELECT 1 FROM placements h WHERE h.event_id = e.id) ORDER BY e.id, p.id""",
        series_id=series_id,
        pattern=pattern.id,
        now=ctx.now,
    )


def find_at_home(ctx: Context, event_ids: list[int], series_ids: list[int], *, only_restricted: bool) -> list[tuple[int, str | None, bool]]:
    """These events and those of the series: the id, the date in its series, and whether all members of the home calendar see it."""
    rows = []
    for column, ids in (("id", event_ids), ("series_id", series_ids)):
        sql = f"""SELECT e.id, e.slot, p.grants FROM events e JOIN placements p ON p.event_id = e.id AND p.calendar_id = e.calendar_id
                  WHERE e.{column} {ctx.db.in_list("ids")} AND NOT (p.grants AND CAST(:only_restricted AS BOOLEAN))"""
        rows += ctx.tx.rows(sql, ids=ids, only_restricted=only_restricted) if ids else []
    return rows


def set_grants_at_home(ctx: Context, ids: list[int], *, grants: bool) -> None:
    """Let all members of their home calendars see the events, or the owner and editors alone."""
    at_home = "EXISTS (SELECT 1 FROM events e WHERE e.id = placements.event_id AND e.calendar_id = placements.calendar_id)"
    sql = f"UPDATE placements SET grants = :grants WHERE event_id {ctx.db.in_list('ids')} AND {at_home}"
    if ids:
        ctx.tx.run(sql, ids=ids, grants=grants)


def start_before_latest(ctx: Context, calendar_id: int, count: int) -> int | None:
    """The start of the last event before the latest ones; None if the calendar has no more than these."""
    start_at: int | None = ctx.tx.value(
        "SELECT start_at FROM placements WHERE calendar_id = :id ORDER BY start_at DESC LIMIT 1 OFFSET :count", id=calendar_id, count=count
    )
    return start_at


def lock_home(ctx: Context, event_id: int) -> None:
    """Lock the event's home calendar until the transaction ends, so that nobody changes who may edit it."""
    home_id = ctx.tx.value("SELECT calendar_id FROM events WHERE id = :id", id=event_id)
    ctx.tx.advisory_lock(f"calendar {home_id}")


def find_next_home(ctx: Context, event: Event) -> int | None:
    """The calendar that becomes the event's home if it is removed from its home."""
    calendar_id: int | None = ctx.tx.value(f"SELECT {_NEXT_HOME} FROM events WHERE id = :id", id=event.id, home=event.calendar_id)
    return calendar_id


def delete(ctx: Context, event: Event, calendar_id: int) -> bool:
    """Remove the event from the calendar. Returns False and changes nothing if no other calendar can be its home."""
    if calendar_id == event.calendar_id:
        ctx.tx.run(f"{_MOVE_HOME} WHERE id = :id AND {_NEXT_HOME} IS NOT NULL", id=event.id, home=calendar_id, now=ctx.now)
        if ctx.tx.value("SELECT calendar_id FROM events WHERE id = :id", id=event.id) == calendar_id:
            return False
    if ctx.tx.run("DELETE FROM placements WHERE event_id = :id AND calendar_id = :calendar_id", id=event.id, calendar_id=calendar_id):
        ctx.tx.run("UPDATE events SET updated_at = :now WHERE id = :id", id=event.id, now=ctx.now)
    if calendar_id == event.calendar_id:
        grant_store.revoke_for(ctx, [event.id])
    return True


def move(ctx: Context, ids: list[int], home_id: int, calendar_id: int) -> None:
    """Make the calendar the home of these events, which leave their home of now. Who sees them there is as it was."""
    in_ids = ctx.db.in_list("ids")
    ctx.tx.run(
        f"""INSERT INTO placements (event_id, calendar_id, start_at, public, lasts, takes_days, grants, granted_by, by_invitation,
                created_at)
            SELECT e.id, CAST(:calendar_id AS BIGINT), {COPIED}, h.grants, CAST(:me AS BIGINT), FALSE, CAST(:now AS BIGINT)
            FROM events e JOIN placements h ON h.event_id = e.id AND h.calendar_id = e.calendar_id
            WHERE e.id {in_ids} AND e.calendar_id = :home
            ON CONFLICT (event_id, calendar_id) DO UPDATE SET grants = excluded.grants, granted_by = excluded.granted_by,
            by_invitation = FALSE, invited_key = NULL""",
        ids=ids,
        home=home_id,
        calendar_id=calendar_id,
        me=policy.user(ctx).id,
        now=ctx.now,
    )
    uid = _IS_TAKEN.format(home="CAST(:calendar_id AS BIGINT)", uid="events.uid", series_id="events.series_id")
    ctx.tx.run(
        f"""UPDATE events SET calendar_id = CAST(:calendar_id AS BIGINT), version = version + 1, updated_at = :now,
            uid = CASE WHEN {uid} THEN NULL ELSE uid END WHERE id {in_ids} AND calendar_id = :home""",
        ids=ids,
        home=home_id,
        calendar_id=calendar_id,
        now=ctx.now,
    )
    ctx.tx.run(_RENAME_SERIES.format(condition=f"e.id {in_ids}"), ids=ids, home=home_id)
    ctx.tx.run(f"DELETE FROM placements WHERE event_id {in_ids} AND calendar_id = :home", ids=ids, home=home_id)
    grant_store.revoke_for(ctx, ids)


def find_homeless(ctx: Context, calendar_id: int, ids: list[int]) -> set[int]:
    """The given events that are deleted if they are removed from the calendar: no other one can be their home."""
    sql = f"SELECT id FROM events WHERE id {ctx.db.in_list('ids')} AND calendar_id = :home AND {_NEXT_HOME} IS NULL"
    return {event_id for (event_id,) in ctx.tx.rows(sql, ids=ids, home=calendar_id)}


def remove(ctx: Context, calendar_id: int, ids: list[int]) -> None:
    """Remove these events from the calendar, and delete those that no other calendar can be the home of."""
    elsewhere = f"""id {ctx.db.in_list("ids")} AND calendar_id <> :home AND NOT EXISTS (
        SELECT 1 FROM placements p WHERE p.event_id = events.id AND p.calendar_id = :home AND p.by_invitation)"""
    ctx.tx.run(f"UPDATE events SET updated_at = :now WHERE {elsewhere}", ids=ids, home=calendar_id, now=ctx.now)
    _remove(ctx, calendar_id, ids)


def remove_in_batches(ctx: Context, calendar_ids: list[int]) -> None:
    """Remove most events from calendars that will be deleted, in several transactions, so that others can write in between. Together
    they keep less than a batch.

    If it is interrupted, the calendars have fewer events."""
    sql = f"SELECT calendar_id, id FROM events WHERE calendar_id {ctx.db.in_list('homes')} LIMIT :limit"
    while True:
        with ctx.read():
            rows = ctx.tx.rows(sql, homes=calendar_ids, limit=BATCH_EVENTS)
        if len(rows) < BATCH_EVENTS:
            return
        with ctx.write(alone=True, is_last=False):
            for home in {calendar_id for calendar_id, _ in rows}:
                _remove(ctx, home, [event_id for calendar_id, event_id in rows if calendar_id == home])
        ctx.db.yield_to_other_writers()


def remove_all(ctx: Context, calendar_id: int) -> None:
    """Remove every event from the calendar, and delete those that no other calendar can be the home of."""
    rows = ctx.tx.rows("SELECT id FROM events WHERE calendar_id = :home", home=calendar_id)
    _remove(ctx, calendar_id, [event_id for (event_id,) in rows])
    ctx.tx.run(
        "UPDATE events SET updated_at = :now WHERE id IN (SELECT event_id FROM placements WHERE calendar_id = :home)",
        home=calendar_id,
        now=ctx.now,
    )
    ctx.tx.run("DELETE FROM placements WHERE calendar_id = :home", home=calendar_id)


def _remove(ctx: Context, calendar_id: int, ids: list[int]) -> None:
    in_ids = ctx.db.in_list("ids")
    home = f"id {in_ids} AND calendar_id = :home"
    ctx.tx.rows(f"SELECT id FROM events WHERE {home} ORDER BY id {ctx.db.for_update}", ids=ids, home=calendar_id)
    ctx.tx.run(f"{_MOVE_HOME} WHERE {home} AND {_NEXT_HOME} IS NOT NULL", ids=ids, home=calendar_id, now=ctx.now)
    ctx.tx.run(_RENAME_SERIES.format(condition=f"e.id {in_ids}"), ids=ids, home=calendar_id)
    homeless = [event_id for (event_id,) in ctx.tx.rows(f"SELECT id FROM events WHERE {home}", ids=ids, home=calendar_id)]
    deleted_events.insert(ctx, homeless)
    ctx.tx.run(f"DELETE FROM events WHERE id {in_ids}", ids=homeless)
    ctx.tx.run(f"DELETE FROM placements WHERE event_id {in_ids} AND calendar_id = :home", ids=ids, home=calendar_id)
    grant_store.revoke_for(ctx, ids)


def move_all_invited(ctx: Context, source_id: int, calendar_id: int) -> None:
    """Move what is on the source because its owner is invited to another calendar of theirs."""
    rows = ctx.tx.rows("SELECT event_id FROM placements WHERE calendar_id = :id AND by_invitation", id=source_id)
    copy_invited(ctx, [event_id for (event_id,) in rows], source_id, calendar_id)
    remove_all_invited(ctx, source_id)


def remove_all_invited(ctx: Context, calendar_id: int) -> None:
    """Remove what is on the calendar because its former owner is invited."""
    ctx.tx.run("DELETE FROM placements WHERE calendar_id = :id AND by_invitation", id=calendar_id)
