"""The SQL of what somebody leaves on a calendar that is no longer shared with them: events, invitations, and links that they know."""

from typing import Any

from msgspec import Struct, structs

from kalends.core.values import timestamps
from kalends.features.calendars.model import LeftBehind, LeftCohost, LeftEvent, LeftGuest, LeftInvitation, LeftPeople
from kalends.http.context import Context

# The user of an address that nobody has verified: the same work is done for it.
NOBODY = 0
# How many of each are listed.
MAX_LISTED = 100
# How many records are changed in one transaction, while all other writes wait.
BATCH = 500

_CREATED = "FROM events e WHERE e.calendar_id = :calendar_id AND e.owner_id = :user_id"
_LINKED = "FROM events e WHERE e.calendar_id = :calendar_id AND e.by_link AND e.id > :after"
_INVITED = """FROM invitations i WHERE i.invited_by = :user_id AND i.state <> 'withdrawn' AND (
    EXISTS (SELECT 1 FROM events e WHERE e.id = i.event_id AND {of})
    OR EXISTS (SELECT 1 FROM events e WHERE e.series_id = i.series_id AND {of}))"""
_ADDED = "FROM responses r JOIN events e ON e.id = r.event_id WHERE r.added_by = :user_id AND r.added AND {of}"
_COHOSTS = "FROM cohosts h JOIN events e ON e.id = h.event_id WHERE h.added_by = :user_id AND e.calendar_id = :calendar_id"


class Extent(Struct, frozen=True):
    """The events that somebody could edit until now."""

    condition: str
    params: dict[str, Any]


def on_calendar(calendar_id: int) -> Extent:
    return Extent("e.calendar_id = :calendar_id", {"calendar_id": calendar_id})


def on_events(ctx: Context, ids: list[int]) -> Extent:
    return Extent(f"e.id {ctx.db.in_list('ids')}", {"ids": ids})


def find(ctx: Context, calendar_id: int, user_id: int) -> LeftBehind:
    """What the user leaves behind."""
    own = {"calendar_id": calendar_id, "user_id": user_id}
    linked = {"calendar_id": calendar_id, "after": 0}
    cohosts = ctx.tx.rows(
        f"""SELECT h.id, h.event_id, CASE WHEN h.email_key IS NULL THEN (SELECT u.user_name FROM users u WHERE u.id = h.user_id) END,
            h.email_address {_COHOSTS} ORDER BY h.id LIMIT {MAX_LISTED}""",
        **own,
    )
    return LeftBehind(
        **structs.asdict(find_people(ctx, on_calendar(calendar_id), user_id)),
        events=_list(ctx, _CREATED, own),
        events_total=_count(ctx, _CREATED, own),
        cohosts=[LeftCohost(*row) for row in cohosts],
        cohosts_total=_count(ctx, _COHOSTS, own),
        links=_list(ctx, _LINKED, linked),
        links_total=_count(ctx, _LINKED, linked),
    )


def find_people(ctx: Context, extent: Extent, user_id: int) -> LeftPeople:
    """The people whom the user has invited or added to these events."""
    params = extent.params | {"user_id": user_id}
    invited, added = _INVITED.format(of=extent.condition), _ADDED.format(of=extent.condition)
    invitations = ctx.tx.rows(f"SELECT i.id, i.event_id, i.series_id, i.address {invited} ORDER BY i.id LIMIT {MAX_LISTED}", **params)
    guests = ctx.tx.rows(f"SELECT r.id, r.event_id, r.email_address {added} ORDER BY r.id LIMIT {MAX_LISTED}", **params)
    return LeftPeople(
        invitations=[LeftInvitation(*row) for row in invitations],
        invitations_total=_count(ctx, invited, params),
        guests=[LeftGuest(*row) for row in guests],
        guests_total=_count(ctx, added, params),
    )


def _list(ctx: Context, source: str, params: dict[str, Any]) -> list[LeftEvent]:
    rows = ctx.tx.rows(f"SELECT e.id, e.title, e.start_at {source} ORDER BY e.id LIMIT {MAX_LISTED}", **params)
    return [LeftEvent(event_id, title, timestamps.format_utc(start_at)) for event_id, title, start_at in rows]


def _count(ctx: Context, source: str, params: dict[str, Any]) -> int:
    return int(ctx.tx.value(f"SELECT count(*) {source}", **params))


def find_created(ctx: Context, calendar_id: int, user_id: int) -> list[int]:
    """A batch of the events on the calendar that the user created."""
    sql = f"SELECT e.id {_CREATED} ORDER BY e.id LIMIT {BATCH}"
    return [event_id for (event_id,) in ctx.tx.rows(sql, calendar_id=calendar_id, user_id=user_id)]


def find_linked(ctx: Context, calendar_id: int, after: int) -> list[int]:
    """A batch of the events on the calendar that are seen by a link, after the event with this id."""
    sql = f"SELECT e.id {_LINKED} ORDER BY e.id LIMIT {BATCH}"
    return [event_id for (event_id,) in ctx.tx.rows(sql, calendar_id=calendar_id, after=after)]


def find_invitations(ctx: Context, extent: Extent, user_id: int) -> list[int]:
    """A batch of the invitations to these events that the user sent."""
    sql = f"SELECT i.id {_INVITED.format(of=extent.condition)} ORDER BY i.id LIMIT {BATCH}"
    return [invitation_id for (invitation_id,) in ctx.tx.rows(sql, **extent.params, user_id=user_id)]


def withdraw_guests(ctx: Context, extent: Extent, user_id: int) -> int:
    """End what a batch of guests see because the user added them, and return how many they are. Their responses stay."""
    params = extent.params | {"user_id": user_id}
    ctx.tx.run(
        f"""UPDATE series_responses SET added = FALSE, added_by = NULL WHERE added_by = :user_id AND EXISTS (
               SELECT 1 FROM events e WHERE e.series_id = series_responses.series_id AND {extent.condition})""",
        **params,
    )
    batch = f"SELECT r.id {_ADDED.format(of=extent.condition)} ORDER BY r.id LIMIT {BATCH}"
    return ctx.tx.run(f"UPDATE responses SET added = FALSE, added_by = NULL WHERE id IN ({batch})", **params)
