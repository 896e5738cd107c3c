"""What somebody leaves on a calendar that is no longer shared with them: events, invitations, and links that they know."""

from collections.abc import Callable

from kalends.calendars.model import LeftBehind, LeftEvent, LeftInvitation, Unsharing
from kalends.context import Context
from kalends.events import store as events
from kalends.events import telling
from kalends.events.invitations import invite
from kalends.events.invitations import store as invitations
from kalends.events.placements import store as placements
from kalends.events.series import scope
from kalends.policy import find_invitation, invited_event
from kalends.records.calendar import Calendar
from kalends.values import timestamps

# The user of an address that nobody has verified: the same work is done for it.
NOBODY = 0
# How many of each are listed.
MAX_LISTED = 100
# How many records are changed in one transaction, while all other writes wait.
BATCH = 500

_CREATED = "FROM events e WHERE e.calendar_id = :calendar_id AND e.owner_id = :user_id"
_LINKED = "FROM events e WHERE e.calendar_id = :calendar_id AND e.by_link AND e.id > :after"
_INVITED = """FROM invitations i WHERE i.invited_by = :user_id AND i.state <> 'withdrawn' AND (
    EXISTS (SELECT 1 FROM events e WHERE e.id = i.event_id AND e.calendar_id = :calendar_id)
    OR EXISTS (SELECT 1 FROM events e WHERE e.series_id = i.series_id AND e.calendar_id = :calendar_id))"""


def find(ctx: Context, calendar_id: int, user_id: int) -> LeftBehind:
    """What the user leaves behind."""
    own = {"calendar_id": calendar_id, "user_id": user_id}
    linked = {"calendar_id": calendar_id, "after": 0}
    invited = ctx.tx.rows(f"SELECT i.id, i.event_id, i.series_id, i.address {_INVITED} ORDER BY i.id LIMIT {MAX_LISTED}", **own)
    return LeftBehind(
        events=_list(ctx, _CREATED, own),
        events_total=_count(ctx, _CREATED, own),
        invitations=[LeftInvitation(*row) for row in invited],
        invitations_total=_count(ctx, _INVITED, own),
        links=_list(ctx, _LINKED, linked),
        links_total=_count(ctx, _LINKED, linked),
    )


def _list(ctx: Context, source: str, params: dict[str, int]) -> list[LeftEvent]:
    rows = ctx.tx.rows(f"SELECT e.id, e.title, e.start_at {source} ORDER BY e.id LIMIT {MAX_LISTED}", **params)
    return [LeftEvent(event_id, title, timestamps.format_utc(start_at)) for event_id, title, start_at in rows]


def _count(ctx: Context, source: str, params: dict[str, int]) -> int:
    return int(ctx.tx.value(f"SELECT count(*) {source}", **params))


def settle(ctx: Context, calendar: Calendar, user_id: int, params: Unsharing) -> None:
    """Do what the owner of the calendar has chosen, in several transactions, so that others can write in between. If it is interrupted,
    the rest stays as it is: the user has no rights on it."""
    if params.withdraw_invitations:
        _in_batches(ctx, lambda: _withdraw(ctx, calendar.id, user_id))
    if params.events == "take_over":
        take_over(ctx, calendar.id, calendar.owner_id, user_id)
    if params.events == "remove":
        _in_batches(ctx, lambda: _remove(ctx, calendar.id, user_id))
    if params.reset_links:
        _reset_links(ctx, calendar.id)


def take_over(ctx: Context, calendar_id: int, owner_id: int, user_id: int) -> None:
    """Make the events that the user created those of the calendar's owner. No quota refuses them: access must end all the same."""
    _in_batches(ctx, lambda: _take_over(ctx, calendar_id, owner_id, user_id))


def take_over_all(ctx: Context, user_id: int) -> None:
    """Give the events of a user who will be deleted, on calendars that they edit no longer, to the owners of these calendars."""
    with ctx.read():
        rows = ctx.tx.rows(
            """SELECT DISTINCT c.id, c.owner_id FROM events e JOIN calendars c ON c.id = e.calendar_id
               WHERE e.owner_id = :user_id AND c.owner_id <> :user_id AND NOT EXISTS (
                   SELECT 1 FROM calendar_shares s WHERE s.calendar_id = c.id AND s.user_id = :user_id AND s.role = 'editor')""",
            user_id=user_id,
        )
    for calendar_id, owner_id in rows:
        take_over(ctx, calendar_id, owner_id, user_id)


def _in_batches(ctx: Context, change: Callable[[], int]) -> None:
    """Change records until there are less than a batch of them."""
    while True:
        with ctx.write(alone=True, is_last=False):
            changed = change()
        if changed < BATCH:
            return
        ctx.db.yield_to_other_writers()


def _find_created(ctx: Context, calendar_id: int, user_id: int) -> list[int]:
    sql = f"SELECT e.id {_CREATED} ORDER BY e.id LIMIT {BATCH}"
    return [event_id for (event_id,) in ctx.tx.rows(sql, calendar_id=calendar_id, user_id=user_id)]


def _take_over(ctx: Context, calendar_id: int, owner_id: int, user_id: int) -> int:
    ids = _find_created(ctx, calendar_id, user_id)
    events.set_owner(ctx, ids, owner_id)
    return len(ids)


def _remove(ctx: Context, calendar_id: int, user_id: int) -> int:
    ids = _find_created(ctx, calendar_id, user_id)
    deleted = events.find_by_ids(ctx, ids)
    telling.tell_deleted(ctx, deleted, "this", "auto", None)
    placements.remove(ctx, calendar_id, ids)
    scope.update_rules_after_delete(ctx, deleted, "this")
    return len(ids)


def _withdraw(ctx: Context, calendar_id: int, user_id: int) -> int:
    rows = ctx.tx.rows(f"SELECT i.id {_INVITED} ORDER BY i.id LIMIT {BATCH}", calendar_id=calendar_id, user_id=user_id)
    for (invitation_id,) in rows:
        invitation = find_invitation(ctx, invitation_id)
        assert invitation
        [first] = events.find_by_ids(ctx, [invitations.find_first_event(ctx, invitation)])
        invite.take_back(ctx, invitation, invited_event(ctx, invitation) or first)
    return len(rows)


def _reset_links(ctx: Context, calendar_id: int) -> None:
    """Replace the links of all events on the calendar that are seen by a link: an editor knows them all."""
    after = 0

    def reset() -> int:
        nonlocal after
        sql = f"SELECT e.id {_LINKED} ORDER BY e.id LIMIT {BATCH}"
        ids = [event_id for (event_id,) in ctx.tx.rows(sql, calendar_id=calendar_id, after=after)]
        events.reset_links(ctx, ids)
        after = ids[-1] if ids else after
        return len(ids)

    _in_batches(ctx, reset)
