"""The SQL of what a member goes to, is invited to and hosts.

The lists read the member's own responses and invitations, which indexes find, and no others."""

from typing import Any

from msgspec import Struct

from kalends import policy
from kalends.core.records.response import Invitation
from kalends.db import columns
from kalends.features.my_events.model import Counts, Guests, Mine
from kalends.features.responses.seat_store import OFFERED_SEATS
from kalends.http.context import Context

# No list is counted further.
MAX_COUNT = 100
# Events that last for longer than this are found by another index: lists of what one hosts leave those that began before.
_RECENT = 31 * 86_400

_ANSWERED = f"""FROM responses r JOIN events e ON e.id = r.event_id
    WHERE r.id IN {policy.MY_RESPONSE_IDS} AND r.response <> 'NO' AND {policy.ANSWERED_EVENT_VISIBLE}"""
_UNANSWERED = f"""{policy.MY_INVITATION} AND e.status <> 'cancelled' AND {policy.INVITED_EVENT_VISIBLE}
    AND NOT EXISTS (SELECT 1 FROM responses r WHERE r.event_id = e.id AND (r.email_key = :my_key OR r.user_id = :me))"""
# The next date of each series, and all other events.
_NEXT_DATES = """SELECT event_id, response_id, invitation_id, start_at FROM (
    SELECT event_id, response_id, invitation_id, start_at,
        row_number() OVER (PARTITION BY coalesce(series_id, -event_id) ORDER BY start_at, event_id, response_id, invitation_id) AS n
    FROM ({mine}) AS mine) AS dates WHERE n = 1"""
_GOING = f"""SELECT e.id AS event_id, r.id AS response_id, CAST(NULL AS BIGINT) AS invitation_id, e.start_at, e.series_id
    {_ANSWERED} AND e.until_at > :now"""
_INVITED = " UNION ALL ".join(
    f"""SELECT e.id AS event_id, CAST(NULL AS BIGINT) AS response_id, i.id AS invitation_id, e.start_at, e.series_id
        FROM invitations i JOIN events e ON e.{column} = i.{invited} WHERE {_UNANSWERED} AND e.until_at > :now"""
    for column, invited in (("id", "event_id"), ("series_id", "series_id"))
)
# What others can see of the events that the actor may edit, or have to do with.
_WITH_GUESTS = """(e.public OR e.by_link OR EXISTS (SELECT 1 FROM responses r WHERE r.event_id = e.id)
    OR EXISTS (SELECT 1 FROM invitations i WHERE i.event_id = e.id)
    OR EXISTS (SELECT 1 FROM invitations i WHERE i.series_id = e.series_id))"""
_HOSTING = f"""SELECT e.id AS event_id, CAST(NULL AS BIGINT) AS response_id, CAST(NULL AS BIGINT) AS invitation_id, e.start_at, e.series_id
    FROM placements p JOIN events e ON e.id = p.event_id AND e.calendar_id = p.calendar_id
    WHERE p.calendar_id IN (SELECT id FROM calendars WHERE owner_id = :me
        UNION SELECT calendar_id FROM calendar_shares WHERE user_id = :me AND role = 'editor')
    AND p.start_at >= :recent AND e.until_at > :now AND {_WITH_GUESTS}
    UNION SELECT e.id, CAST(NULL AS BIGINT), CAST(NULL AS BIGINT), e.start_at, e.series_id
    FROM cohosts h JOIN events e ON e.id = h.event_id
    WHERE h.user_id = :me AND e.start_at >= :recent AND e.until_at > :now AND NOT EXISTS (
        SELECT 1 FROM blocks b WHERE b.user_id = :me AND b.owner_id = h.added_by)"""
_LISTS = {"going": _GOING, "invited": _INVITED, "hosting": _HOSTING}
_PAST = f"""SELECT e.id AS event_id, r.id AS response_id, CAST(NULL AS BIGINT) AS invitation_id {_ANSWERED} AND e.until_at <= :now
    ORDER BY e.start_at DESC, e.id DESC, r.id LIMIT :limit OFFSET :offset"""

# What the calendar shows of an event, as `calendar_view` reads others.
_SHOWN = "e.start_at, e.id, e.title, e.end_at, e.all_day, e.time_zone, e.location, e.status"
_STATE = """CASE WHEN r.response = 'MAYBE' THEN 'maybe' WHEN r.accepted_for < r.number + r.plus_n THEN 'pending'
    WHEN r.held < r.number + r.plus_n AND (r.queued_at IS NOT NULL OR r.offer_until IS NOT NULL) THEN 'waiting' ELSE 'going' END"""
_BETWEEN = "e.until_at > :start AND e.start_at < :end"


class Shown(Struct, frozen=True):
    """An event in the calendar of a member: what the calendar shows of each event, then the answer and the number of people."""

    start_at: int
    id: int
    title: str
    end_at: int | None
    all_day: int
    time_zone: str
    location: str | None
    status: str
    state: str
    people: int


def find(ctx: Context, show: str, limit: int, offset: int) -> list[Mine]:
    """A page of the list, in the order of the start; what is past latest first."""
    if show == "past":
        return ctx.tx.all(Mine, _PAST, limit=limit, offset=offset, **_params(ctx))
    dates = _NEXT_DATES.format(mine=_LISTS[show])
    sql = f"SELECT event_id, response_id, invitation_id FROM ({dates}) AS list ORDER BY start_at, event_id LIMIT :limit OFFSET :offset"
    return ctx.tx.all(Mine, sql, limit=limit, offset=offset, **_params(ctx, show))


def count(ctx: Context, show: str) -> int:
    """The length of the list."""
    if show == "past":
        return int(ctx.tx.value(f"SELECT count(*) {_ANSWERED} AND e.until_at <= :now", **_params(ctx)))
    return int(ctx.tx.value(f"SELECT count(*) FROM ({_NEXT_DATES.format(mine=_LISTS[show])}) AS list", **_params(ctx, show)))


def count_all(ctx: Context) -> Counts:
    """The lengths of the lists of what is to come, up to MAX_COUNT."""
    return Counts(*(min(count(ctx, show), MAX_COUNT) for show in _LISTS))


def count_unanswered(ctx: Context) -> int:
    """The number of invitations to answer, each series once, up to MAX_COUNT."""
    return min(count(ctx, "invited"), MAX_COUNT)


def find_shown(ctx: Context, start: int, end: int, limit: int) -> list[Shown]:
    """What the calendar shows between two instants, with all that it shows of each."""
    answered = f"SELECT {_SHOWN}, {_STATE}, r.number + r.plus_n {_ANSWERED} AND {_BETWEEN}"
    invited = [f"SELECT {_SHOWN}, 'invited', 0 {each}" for each in _invited_between()]
    return ctx.tx.all(
        Shown, f"{' UNION ALL '.join([answered, *invited])} ORDER BY 1, 2 LIMIT :limit", start=start, end=end, limit=limit, **_params(ctx)
    )


def _invited_between() -> list[str]:
    return [
        f"FROM invitations i JOIN events e ON e.{column} = i.{invited} WHERE {_UNANSWERED} AND NOT i.off_calendar AND {_BETWEEN}"
        for column, invited in (("id", "event_id"), ("series_id", "series_id"))
    ]


def find_invitations(ctx: Context, ids: list[int]) -> dict[int, tuple[Invitation, str | None, bool]]:
    """Invitations by their ids, with the name of the person who sent each, and whether it was taken off the calendar."""
    if not ids:
        return {}
    rows = ctx.tx.rows(
        f"""SELECT i.id, coalesce(u.name, u.user_name), i.off_calendar FROM invitations i
            LEFT JOIN users u ON u.id = coalesce(i.invited_by, i.owner_id) WHERE i.id {ctx.db.in_list("ids")}""",
        ids=ids,
    )
    senders = {row[0]: row[1:] for row in rows}
    sql = f"SELECT {columns(Invitation)} FROM invitations WHERE id {ctx.db.in_list('ids')}"
    return {row.id: (row, senders[row.id][0], bool(senders[row.id][1])) for row in ctx.tx.all(Invitation, sql, ids=ids)}


def find_links(ctx: Context, ids: list[int]) -> dict[int, int]:
    """The numbers in the links of these events, of those that are seen by their link."""
    sql = f"SELECT id, link_number FROM events WHERE by_link AND id {ctx.db.in_list('ids')}"
    return dict(ctx.tx.rows(sql, ids=ids)) if ids else {}


def find_guests(ctx: Context, ids: list[int]) -> dict[int, Guests]:
    """What the list of events that one hosts says about the guests."""
    if not ids:
        return {}
    sql = f"""SELECT e.id, coalesce(s.taken - {OFFERED_SEATS}, (SELECT t.people FROM response_tallies t WHERE t.event_id = e.id), 0),
            coalesce(s.waiting + {OFFERED_SEATS}, 0),
            (SELECT count(*) FROM invitations i WHERE (i.event_id = e.id OR i.series_id = e.series_id) AND i.state <> 'withdrawn'
                AND NOT EXISTS (SELECT 1 FROM responses r WHERE r.event_id = e.id AND r.email_key = i.email_key)),
            (SELECT count(*) FROM comments c WHERE c.event_id = e.id AND NOT c.approved)
                + (SELECT count(*) FROM responses r WHERE r.event_id = e.id AND r.response = 'YES' AND r.accepted_for < r.number + r.plus_n)
        FROM events e LEFT JOIN response_settings s ON s.event_id = e.id AND s.capacity IS NOT NULL
        WHERE e.id {ctx.db.in_list("ids")}"""
    return {row.event_id: row for row in ctx.tx.all(Guests, sql, ids=ids)}


def set_on_calendar(ctx: Context, invitation_id: int, *, is_on: bool) -> None:
    """Put the invitation on the calendar of its guest, or take it off."""
    ctx.tx.run("UPDATE invitations SET off_calendar = :off WHERE id = :id", id=invitation_id, off=not is_on)


def _params(ctx: Context, show: str = "") -> dict[str, Any]:
    params = {"me": policy.user(ctx).id, "my_key": policy.my_key(ctx), "now": ctx.now}
    return params | ({"recent": ctx.now - _RECENT} if show == "hosting" else {})
