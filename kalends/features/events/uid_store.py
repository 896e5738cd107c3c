"""Events by their UID: the one that was sent for them or their series, or that of this service."""

from typing import Any

from msgspec import json

from kalends import policy
from kalends.core import errors
from kalends.features.events.rules.uid import OwnUid, parse_own
from kalends.http.context import Context

_SENT = """SELECT id FROM events WHERE uid = :uid
           UNION SELECT s.id FROM series r JOIN events s ON s.series_id = r.id WHERE r.uid = :uid"""
_OWN = {
    "event": "SELECT id FROM events WHERE id = :own_id AND series_id IS NULL AND uid IS NULL",
    "series": "SELECT s.id FROM series r JOIN events s ON s.series_id = r.id WHERE r.id = :own_id AND r.uid IS NULL",
}


def select_ids(ctx: Context, uid: str) -> tuple[str, dict[str, Any]]:
    """SQL for the ids of all events with the UID, and its parameters."""
    own = parse_own(ctx.settings, uid)
    if own is None:
        return _SENT, {"uid": uid}
    return f"{_SENT} UNION {_OWN[own.kind]}", {"uid": uid, "own_id": own.id}


def lock(ctx: Context, calendar_id: int) -> None:
    """Let no other request create an event with a UID on the calendar until the transaction ends."""
    ctx.tx.advisory_lock(f"import into {calendar_id}")


def find(ctx: Context, calendar_id: int, uid: str) -> int | None:
    """The event with the UID on the calendar, or the first of the series."""
    own = parse_own(ctx.settings, uid)
    if own is not None and (event_id := _find_own(ctx, calendar_id, own)):
        return event_id
    # All events of a series have the home of the first. Others may have many series with this UID, so that no more is read of each.
    sent_id: int | None = ctx.tx.value(
        """SELECT id FROM events WHERE calendar_id = :calendar_id AND uid = :uid AND series_id IS NULL
           UNION ALL SELECT f.id FROM series r JOIN events f ON f.id = (
               SELECT s.id FROM events s WHERE s.series_id = r.id ORDER BY s.start_at, s.id LIMIT 1)
           WHERE r.uid = :uid AND f.calendar_id = :calendar_id LIMIT 1""",
        calendar_id=calendar_id,
        uid=uid,
    )
    return sent_id


def find_taken(ctx: Context, calendar_id: int, uids: list[str]) -> set[int]:
    """The events of the calendar that have one of these UIDs, and the first of such a series."""
    own_ids = {_find_own(ctx, calendar_id, own) for uid in uids if (own := parse_own(ctx.settings, uid))}
    names = f"(SELECT sent.uid FROM {ctx.db.records('sent', {'uid': 'TEXT'})})"
    rows = ctx.tx.rows(
        f"""SELECT id FROM events WHERE calendar_id = :calendar_id AND uid IN {names} AND series_id IS NULL
            UNION ALL SELECT f.id FROM series r JOIN events f ON f.id = (
                SELECT s.id FROM events s WHERE s.series_id = r.id ORDER BY s.start_at, s.id LIMIT 1)
            WHERE r.uid IN {names} AND f.calendar_id = :calendar_id""",
        calendar_id=calendar_id,
        sent=json.encode([{"uid": uid} for uid in uids]).decode(),
    )
    return {event_id for (event_id,) in rows} | {each for each in own_ids if each is not None}


def _find_own(ctx: Context, calendar_id: int, own: OwnUid) -> int | None:
    """The first event that was created here with this UID, is on the calendar and visible to the actor."""
    event_id: int | None = ctx.tx.value(
        f"""SELECT e.id FROM events e JOIN placements p ON p.event_id = e.id AND p.calendar_id = :calendar_id
            WHERE e.id IN ({_OWN[own.kind]}) AND {policy.event_visible(ctx)} ORDER BY e.start_at, e.id LIMIT 1""",
        own_id=own.id,
        calendar_id=calendar_id,
        me=policy.me(ctx),
    )
    return event_id


def require_free(ctx: Context, calendar_id: int, uid: str, field: str = "uid", *, of_series: int | None = None) -> None:
    """Raise UidTaken if the calendar has an event with the UID that is not of the series; nobody else can take it until the
    transaction ends."""
    lock(ctx, calendar_id)
    event_id = find(ctx, calendar_id, uid)
    if event_id is not None and (of_series is None or _series_of(ctx, event_id) != of_series):
        raise errors.UidTaken(event_id if policy.visible_events(ctx, [event_id]) else None, field)


def _series_of(ctx: Context, event_id: int) -> int | None:
    series_id: int | None = ctx.tx.value("SELECT series_id FROM events WHERE id = :id", id=event_id)
    return series_id
