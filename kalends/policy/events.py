"""Which events the actor may see and edit."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from msgspec import structs

from kalends.core import errors
from kalends.core.errors import FieldError
from kalends.core.i18n import gettext
from kalends.core.records import response_settings
from kalends.core.records.calendar import Calendar
from kalends.core.records.event import CalendarName, Event, EventWithCounts
from kalends.core.records.response import Tally
from kalends.db import columns
from kalends.http.context import Context
from kalends.policy.actor import Right, and_calendar_opened, and_event_opened, me, opens_calendar, user
from kalends.policy.administration import admin
from kalends.policy.calendars import calendar, calendar_visible, is_member

# For how long the URL of a deleted public event says that it was deleted: 90 days.
DELETED_EVENT_LIFETIME = 90 * 86_400
NOT_BY_COHOSTS = gettext("Only the owner and editors of the event’s calendar can do this, and not its co-hosts.")


def _grants(placement: str) -> str:
    """SQL: whether the members of a calendar see the event that this places on it. One that is there by invitation is seen while the
    address is invited to the event or to its series."""
    invited = f"i.email_key = {placement}.invited_key AND i.state <> 'withdrawn'"
    return f"""({placement}.grants AND (NOT {placement}.by_invitation
        OR EXISTS (SELECT 1 FROM invitations i WHERE i.event_id = {placement}.event_id AND {invited})
        OR EXISTS (SELECT 1 FROM events o JOIN invitations i ON i.series_id = o.series_id WHERE o.id = {placement}.event_id AND {invited})
    ))"""


def placed_alone(placement: str, event: str) -> str:
    """SQL: whether the date of a series is on the calendar without the others, because its guest is invited to this date alone: such a
    guest learns nothing of the series."""
    invited = f"i.email_key = {placement}.invited_key AND i.state <> 'withdrawn'"
    return f"""({placement}.by_invitation AND {event}.series_id IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM invitations i WHERE i.series_id = {event}.series_id AND {invited}))"""


# Whether a user sees the event `e`. A public event is visible to everyone; a private one to the members of its home calendar, and the
# members of a calendar on which someone who may edit it has placed it. (The home calendar is a placement that grants this, too.) That a
# user created the event gives no right: an editor's end with the role.
# An event that an admin hides is not public, and its placements grant nothing: its editors still see it. The placement of a private event
# on its home calendar grants nothing, either: the viewers of that calendar do not see it.
VISIBLE_TO_USER = f"""(
    e.public OR EXISTS (SELECT 1 FROM placements g WHERE g.event_id = e.id AND ({_grants("g")} OR g.calendar_id = e.calendar_id) AND (
        EXISTS (SELECT 1 FROM calendars own WHERE own.id = g.calendar_id AND own.owner_id = :me)
        OR EXISTS (
            SELECT 1 FROM calendar_shares s
            WHERE s.calendar_id = g.calendar_id AND s.user_id = :me AND (g.grants OR s.role = 'editor'))
    ))
)"""
# Whether the actor sees an event that `p` places on a calendar of which they are a member.
_VISIBLE_TO_MEMBER = f"({_grants('p')} OR {VISIBLE_TO_USER})"
# Whether the actor is a member of the calendar :calendar and sees the event that `p` places on it, as in their home for devices.
HOME_EVENT_VISIBLE = f"({is_member(':calendar')} AND {_VISIBLE_TO_MEMBER})"
_VISIBLE_TO_POSSIBLE_MEMBER = f"({_grants('p')} AND {is_member(':calendar')} OR {VISIBLE_TO_USER})"

# Whether an admin hides the event `e`.
HIDDEN = "EXISTS (SELECT 1 FROM hidden_dates d WHERE d.event_id = e.id)"

# Whether the link of the request opens the event: it is the link's own, or a date of the same series.
_LINKED = "(e.by_link AND (e.id = :linked_id OR e.series_id = :linked_series_id))"

# Whether the actor may edit all events whose home calendar is `c`: its owner and its editors.
_HOME_EDITABLE = """(
    c.owner_id = :me OR EXISTS (SELECT 1 FROM calendar_shares s WHERE s.calendar_id = c.id AND s.user_id = :me AND s.role = 'editor')
)"""
# Whether the actor is a co-host of the event `e`.
_COHOSTED = "EXISTS (SELECT 1 FROM cohosts h WHERE h.user_id = :me AND h.event_id = e.id)"
# Whether the actor may edit the event `e`, whose home calendar is `c`: the owner and the editors of that calendar may, and its co-hosts.
EVENT_EDITABLE = f"({_HOME_EDITABLE} OR {_COHOSTED})"

_EDITABLE_EVENT_IDS = """(
    SELECT e.id FROM calendars c JOIN events e ON e.calendar_id = c.id WHERE c.owner_id = :me
    UNION SELECT e.id FROM calendar_shares s JOIN events e ON e.calendar_id = s.calendar_id WHERE s.user_id = :me AND s.role = 'editor'
    UNION SELECT h.event_id FROM cohosts h WHERE h.user_id = :me
)"""

_EXPRESSIONS = {
    "sent_uid": "CASE WHEN e.series_id IS NULL THEN e.uid ELSE r.uid END",
    "owner_name": "(SELECT coalesce(u.name, u.user_name) FROM users u WHERE u.id = e.owner_id)",
    "rrule": "r.rrule",
    "first_date": "r.start_date",
    "settings_text": response_settings.select_text("e.id"),
    "link_number": "CASE WHEN e.by_link THEN e.link_number END",
}
_EDITS = f"(c.owner_id = :me OR coalesce(m.role, '') = 'editor' OR {_COHOSTED})"


@lru_cache(128)
def _select_events(and_opened: str) -> str:
    return f"""
SELECT {columns(Event, "e", can_edit=f"{_EDITS}{and_opened}", calendar_party_max="c.party_max", **_EXPRESSIONS)}
FROM events e
JOIN calendars c ON c.id = e.calendar_id
LEFT JOIN calendar_shares m ON m.calendar_id = c.id AND m.user_id = :me
LEFT JOIN series r ON r.id = e.series_id
"""


# Events with whether a guest (:me is 0) may edit them.
SELECT_EVENTS = _select_events("")

# Whether the actor sees a comment `c` on an event that they may not edit.
COMMENT_VISIBLE = "(c.approved OR c.user_id = :me)"

# The calendars of each event in one row: what the actor may do with it as a member of one of them (2: edit it, 1: see it), the limit of the
# home calendar, and the calendars that the actor sees; those who may edit the event see every calendar whose members may see it, except
# the calendars of invited guests, which would tell whose an address is.
# A database may set up every subquery of a statement each time, needed or not, so that one over all of them takes less than one for each.
_IS_MEMBER = "(c.owner_id = :me OR s.role IS NOT NULL)"
_CALENDARS = f"""
SELECT p.event_id,
    max(CASE WHEN c.id = h.calendar_id AND (c.owner_id = :me OR s.role = 'editor'
            OR EXISTS (SELECT 1 FROM cohosts o WHERE o.user_id = :me AND o.event_id = h.id)) THEN 2
        WHEN {_grants("p")} AND {_IS_MEMBER} THEN 1 ELSE 0 END) AS access,
    max(CASE WHEN p.grants AND {_IS_MEMBER} AND NOT {placed_alone("p", "h")} THEN 1 ELSE 0 END) AS has_series,
    max(CASE WHEN c.id = h.calendar_id THEN c.party_max END) AS party_max,
    string_agg(CASE WHEN c.public OR {_IS_MEMBER} THEN {{calendar}} END, ',') AS visible,
    string_agg(CASE WHEN c.public OR {_IS_MEMBER} OR p.grants AND NOT p.by_invitation THEN {{calendar}} END, ',') AS visible_to_editors
FROM events h
JOIN placements p ON p.event_id = h.id
JOIN calendars c ON c.id = p.calendar_id
LEFT JOIN calendar_shares s ON s.calendar_id = c.id AND s.user_id = :me
WHERE h.id {{ids}}{{opened}} GROUP BY p.event_id
"""
_CAN_EDIT = "(k.access = 2)"
# Of the event: the number of its responses of each kind, with the number of people; the number of its comments; of its series, the dates
# that were excepted; whether it has questions; and its seats.
_TALLY = "SELECT {tally} FROM response_tallies t WHERE t.event_id = e.id"
_COMMENTS = f"SELECT count(*) FROM comments c WHERE c.event_id = e.id AND ({_CAN_EDIT} OR {COMMENT_VISIBLE})"
_EXCEPTED = """CASE WHEN e.series_id IS NOT NULL THEN (
    SELECT string_agg(x.slot, ',') FROM series_exceptions x WHERE x.series_id = e.series_id
) END"""
_HAS_QUESTIONS = """(
    EXISTS (SELECT 1 FROM questions q WHERE q.event_id = e.id) OR EXISTS (SELECT 1 FROM questions q WHERE q.calendar_id = e.calendar_id)
)"""
# The fields of SeatCounts as a JSON array.
_SEATS = """
SELECT concat('[', concat_ws(',', q.taken, q.waiting, (
    SELECT concat_ws(',', coalesce(sum(CASE WHEN o.offer_until <= :now THEN o.offered ELSE 0 END), 0),
        coalesce(sum(CASE WHEN o.offer_until > :now THEN o.offered ELSE 0 END), 0))
    FROM responses o WHERE o.offered > 0 AND o.offer_until > 0 AND o.event_id + 0 = e.id
        AND NOT coalesce(o.confirm_until > 0 AND o.confirm_until <= :now, FALSE)
), (
    SELECT concat_ws(',', coalesce(sum(u.held + u.offered), 0),
        coalesce(sum(CASE WHEN u.queued_at IS NULL THEN 0 ELSE u.queued_for - u.held - u.offered END), 0),
        coalesce(sum(CASE WHEN u.accepted_for < u.number + u.plus_n THEN 0 ELSE 1 END), 0),
        coalesce(sum(CASE WHEN u.accepted_for < u.number + u.plus_n THEN 0 ELSE u.number + u.plus_n END), 0))
    FROM responses u WHERE u.confirm_until > 0 AND u.confirm_until <= :now AND u.event_id + 0 = e.id
)), ']') FROM response_settings q WHERE q.event_id = e.id AND q.capacity IS NOT NULL
"""
_RULE = f"CASE WHEN e.public OR {_CAN_EDIT} OR k.access = 0 OR k.has_series = 1 THEN r.rrule END"
_SELECT_WITH_COUNTS = f"""
SELECT {columns(Event, "e", can_edit=_CAN_EDIT, calendar_party_max="k.party_max", **_EXPRESSIONS | {"rrule": _RULE})},
    concat('[', CASE WHEN {_CAN_EDIT} THEN k.visible_to_editors ELSE k.visible END, ']'),
    ({_TALLY}), ({_COMMENTS}), r.also, {_EXCEPTED}, {_HAS_QUESTIONS}, ({_SEATS})
FROM ({_CALENDARS}) AS k JOIN events e ON e.id = k.event_id LEFT JOIN series r ON r.id = e.series_id
"""
# Whether the actor sees the event, as in VISIBLE_TO_USER.
_WHERE_VISIBLE = f"WHERE e.public OR {_CAN_EDIT} OR k.access > 0"


def select_events(ctx: Context) -> str:
    """SQL: events with whether the actor may edit them."""
    return _select_events(and_calendar_opened(ctx, "c.id"))


def editable_event_ids(ctx: Context) -> str:
    """SQL: the ids of the events that the actor may edit."""
    opened = and_calendar_opened(ctx, "o.calendar_id")
    return f"(SELECT o.id FROM events o WHERE o.id IN {_EDITABLE_EVENT_IDS}{opened})" if opened else _EDITABLE_EVENT_IDS


def event_visible(ctx: Context) -> str:
    """SQL: whether the actor sees the event `e`."""
    return "e.public" if ctx.actor is None else f"({VISIBLE_TO_USER} OR {_COHOSTED}){and_event_opened(ctx, 'e.id')}"


def event_editable(ctx: Context) -> str:
    """SQL: whether the actor may edit the event `e`. Nothing is read for a guest, who may not."""
    if ctx.actor is None:
        return "FALSE"
    home = f"c.id = e.calendar_id{and_calendar_opened(ctx, 'c.id')}"
    return f"EXISTS (SELECT 1 FROM calendars c WHERE {home} AND {EVENT_EDITABLE})"


def placed_event_visible(ctx: Context, as_member: bool | None) -> str:
    """SQL: whether the actor sees the event `e` that `p` places on a calendar, of which the actor is a member or not.

    None: it is not known whether they are a member; the calendar is the parameter :calendar.
    """
    if ctx.actor is None:
        return f"({_grants('p')} OR p.public)" if as_member else "p.public"
    visible = _VISIBLE_TO_POSSIBLE_MEMBER if as_member is None else _VISIBLE_TO_MEMBER if as_member else VISIBLE_TO_USER
    opened = and_calendar_opened(ctx, "p.calendar_id")
    return f"({visible}{opened})" if opened else visible


def placed_event_busy(ctx: Context, as_member: bool) -> str:
    """SQL: whether the actor learns that someone is busy with an event `e` that `p` places on a calendar. Members learn that of private
    events of the calendar, too."""
    visible = placed_event_visible(ctx, as_member)
    return f"({visible} OR p.calendar_id = e.calendar_id AND NOT {HIDDEN})" if as_member else visible


def placement_visible(ctx: Context, as_member: bool) -> str:
    """SQL: whether the actor sees the event of the placement `p`: the event is read only if the placement grants nothing."""
    if ctx.actor is None:
        return placed_event_visible(ctx, as_member)
    visible = f"EXISTS (SELECT 1 FROM events e WHERE e.id = p.event_id AND {VISIBLE_TO_USER})"
    visible = f"({_grants('p')} OR {visible})" if as_member else visible
    return f"{visible}{and_calendar_opened(ctx, 'p.calendar_id')}"


def _visible(ctx: Context) -> str:
    """SQL: whether the actor sees the event `e`, also by the link of the request. Lists have no event for its link alone."""
    return event_visible(ctx) if ctx.linked is None else f"({event_visible(ctx)} OR {_LINKED})"


def _params(ctx: Context) -> dict[str, int | None]:
    """The parameters of _visible beside :me."""
    return {} if ctx.linked is None else {"linked_id": ctx.linked.id, "linked_series_id": ctx.linked.series_id}


def event(ctx: Context, event_id: int, *, to: Right) -> Event:
    """The event, if the actor has this right."""
    row = ctx.tx.one(Event, f"{select_events(ctx)} WHERE e.id = :id AND {_visible(ctx)}", id=event_id, me=me(ctx), **_params(ctx))
    event = _require(ctx, row, to)
    if to in (Right.EDIT, Right.OWN):
        require_shown(ctx, [event])
    if to is Right.OWN:
        require_home(ctx, event)
    return event


def edits_home(ctx: Context, event: Event) -> bool:
    """Whether the actor may edit the event as the owner or an editor of its home calendar, and not as its co-host."""
    sql = f"SELECT 1 FROM calendars c WHERE c.id = :id AND {_HOME_EDITABLE}"
    return bool(ctx.tx.rows(sql, id=event.calendar_id, me=user(ctx).id))


def require_home(ctx: Context, event: Event) -> None:
    """Raise Forbidden for co-hosts, who neither delete the event nor choose who edits it."""
    if not edits_home(ctx, event):
        raise errors.Forbidden(NOT_BY_COHOSTS)


def require_home_of(ctx: Context, event_id: int) -> None:
    """Like require_home, for an event by its id."""
    event(ctx, event_id, to=Right.OWN)


def event_of_admin(ctx: Context, event_id: int) -> Event:
    """An event that an admin may hide: any."""
    event = ctx.tx.one(Event, f"{select_events(ctx)} WHERE e.id = :id", id=event_id, me=admin(ctx).id)
    if event is None:
        raise errors.NotFound
    return event


def require_shown(ctx: Context, events: Iterable[Event]) -> None:
    """Raise Forbidden if an admin hides one of the events."""
    if hidden_ids(ctx, events):
        raise errors.Forbidden(
            gettext("An administrator has hidden this event. You can view or delete it, but not edit it until it is unhidden.")
        )


def reload_event(ctx: Context, event: Event) -> Event:
    """The event as it is now; NotFound if it was hidden from the actor since. Who saw a private one still does."""
    visible, params = (_visible(ctx), _params(ctx)) if event.public else ("1 = 1", {})
    sql = f"{select_events(ctx)} WHERE e.id = :id AND {visible}"
    return _require(ctx, ctx.tx.one(Event, sql, id=event.id, me=me(ctx), **params), Right.SEE)


def hidden_ids(ctx: Context, events: Iterable[Event]) -> set[int]:
    """The ids of those of the events that an admin hides. None that is open is hidden."""
    ids = [event.id for event in events if not event.is_open]
    rows = ctx.tx.rows(f"SELECT event_id FROM hidden_dates WHERE event_id {ctx.db.in_list('ids')}", ids=ids) if ids else []
    return {event_id for (event_id,) in rows}


def events(ctx: Context, event_id: int, ids: list[int] | None, *, to: Right) -> list[Event]:
    """The event and those of `ids`, or an error that names the first that is missing or forbidden."""
    if not ids:
        return [event(ctx, event_id, to=to)]
    rows, visible = [], visible_events(ctx, [event_id, *ids])
    for each in dict.fromkeys([event_id, *ids]):
        try:
            rows.append(_require(ctx, visible.get(each), to))
        except (errors.NotFound, errors.Forbidden) as error:
            missing = FieldError("ids", gettext("includes event %(id)s, which doesn’t exist", id=str(each)), "not_found")
            forbidden = FieldError("ids", gettext("includes event %(id)s, which you can’t edit", id=str(each)), "forbidden")
            raise type(error)(error.detail, [missing if isinstance(error, errors.NotFound) else forbidden]) from None
    if to is Right.EDIT:
        require_shown(ctx, rows)
    return rows


def visible_events(ctx: Context, ids: Iterable[int | None]) -> dict[int, Event]:
    """The given events that the actor can see, by their ids."""
    event_ids = sorted({event_id for event_id in ids if event_id is not None})
    sql = f"{select_events(ctx)} WHERE e.id {ctx.db.in_list('ids')} AND {_visible(ctx)}"
    return {event.id: event for event in ctx.tx.all(Event, sql, ids=event_ids, me=me(ctx), **_params(ctx))}


def coming_dates(ctx: Context, series_id: int, since: int, *, unchecked: bool = False) -> list[Event]:
    """The events of the series that begin later than now, from `since` on, and that the actor sees; unchecked: or does not see."""
    visible, params = ("1 = 1", {}) if unchecked else (_visible(ctx), _params(ctx))
    return ctx.tx.all(
        Event,
        f"""{select_events(ctx)} WHERE e.series_id = :series_id AND e.start_at > :now AND e.start_at >= :since AND {visible}
            ORDER BY e.start_at, e.id""",
        series_id=series_id,
        now=ctx.now,
        since=since,
        me=me(ctx),
        **params,
    )


def next_dates(ctx: Context, series_id: int, limit: int) -> list[Event]:
    """The first events of the series that are to come and that the actor sees."""
    return ctx.tx.all(
        Event,
        f"""{select_events(ctx)} WHERE e.series_id = :series_id AND e.start_at > :now AND e.status = 'planned' AND {_visible(ctx)}
            ORDER BY e.start_at, e.id LIMIT :limit""",
        series_id=series_id,
        now=ctx.now,
        limit=limit,
        me=me(ctx),
        **_params(ctx),
    )


def require_each(ctx: Context, visible: Mapping[int, Event], rights: Mapping[int, Right]) -> None:
    """Raise NotFound or Forbidden if the actor does not have the right to one of the events."""
    for event_id, right in rights.items():
        _require(ctx, visible.get(event_id), right)
    require_shown(ctx, [visible[event_id] for event_id, right in rights.items() if right is Right.EDIT])


def _require(ctx: Context, event: Event | None, to: Right) -> Event:
    """Raise NotFound if the event is not visible, and Forbidden if the actor may not edit it but must."""
    if event is None:
        raise errors.NotFound
    if to is not Right.SEE:
        user(ctx)
        if not event.can_edit:
            raise errors.Forbidden(gettext("Only the owner and editors of the event's home calendar may do this."))
    return event


def event_with_counts(ctx: Context, event_id: int, *, was_visible: bool = False) -> EventWithCounts:
    """The event, if the actor sees it, with its calendars and counts.

    was_visible: the actor saw it before this action, which took it away.
    """
    where = _WHERE_VISIBLE if ctx.linked is None else f"{_WHERE_VISIBLE} OR {_LINKED}"
    if was_visible and ctx.actor and ctx.linked is None:
        where = ""
    sql = f"{_select_with_counts(ctx, '= :id', was_visible=was_visible)} {where}"
    event = ctx.tx.one(EventWithCounts, sql, id=event_id, me=me(ctx), now=ctx.now, **_params(ctx))
    if event is None:
        raise missing_event(ctx, event_id)
    if was_visible:
        return structs.replace(event, calendars=[each for each in event.calendars if opens_calendar(ctx.actor, each.id)])
    return event


def _select_with_counts(ctx: Context, ids: str, *, was_visible: bool = False) -> str:
    """SQL: the columns of an EventWithCounts."""
    opened = "" if was_visible else and_calendar_opened(ctx, "p.calendar_id")
    return _format_select(ctx.db.json_object, ids, opened)


@lru_cache(128)
def _format_select(json_object: Callable[[str, Sequence[str]], str], ids: str, opened: str) -> str:
    calendar, tally = json_object("c", CalendarName.__struct_fields__), json_object("t", Tally.__struct_fields__)
    return _SELECT_WITH_COUNTS.format(calendar=calendar, tally=tally, ids=ids, opened=opened)


def missing_event(ctx: Context, event_id: int) -> errors.Problem:
    """The error for an event that the actor does not see: for a public one that was deleted lately, Gone with its title and note."""
    rows = ctx.tx.rows(
        "SELECT title, note FROM deleted_events WHERE event_id = :id AND deleted_at > :old",
        id=event_id,
        old=ctx.now - DELETED_EVENT_LIFETIME,
    )
    if not rows:
        return errors.NotFound()
    title, note = rows[0]
    return errors.Gone(
        gettext("“%(title)s” was deleted. %(note)s", title=title, note=note) if note else gettext("“%(title)s” was deleted.", title=title)
    )


def events_with_counts(ctx: Context, ids: list[int]) -> list[EventWithCounts]:
    """The given events that the actor sees, in the order of the ids."""
    sql = f"{_select_with_counts(ctx, ctx.db.in_list('ids'))} {_WHERE_VISIBLE}"
    events = {event.id: event for event in ctx.tx.all(EventWithCounts, sql, ids=ids, me=me(ctx), now=ctx.now)}
    return [events[event_id] for event_id in ids if event_id in events]


def require_removal(ctx: Context, event: Event, calendar_id: int) -> None:
    """Removing an event from a calendar needs the right to edit the calendar, or the event's home calendar and to see the placement."""
    edits_calendar = event.can_edit and edits_home(ctx, event)
    if event.can_edit and not edits_calendar and calendar_id == event.calendar_id:
        raise errors.Forbidden(NOT_BY_COHOSTS)
    if edits_calendar and ctx.tx.rows(
        f"""SELECT 1 FROM placements p JOIN calendars c ON c.id = p.calendar_id
            WHERE p.event_id = :event_id AND c.id = :calendar_id AND (p.grants AND NOT p.by_invitation OR {calendar_visible(ctx)})""",
        event_id=event.id,
        calendar_id=calendar_id,
        me=me(ctx),
    ):
        return
    calendar(ctx, calendar_id, to=Right.EDIT)


def require_move(ctx: Context, event: Event, target: Calendar) -> None:
    """An event moves between calendars that the actor may edit, and not out of its owner's reach: the new calendar is of the same owner as
    the one of now, or the event's owner may edit it."""
    require_home(ctx, event)
    home = calendar(ctx, event.calendar_id, to=Right.EDIT)
    if target.owner_id in (home.owner_id, event.owner_id):
        return
    sql = "SELECT 1 FROM calendar_shares WHERE calendar_id = :id AND user_id = :owner_id AND role = 'editor'"
    if not ctx.tx.rows(sql, id=target.id, owner_id=event.owner_id):
        message = gettext("is a calendar that the event’s owner can’t edit. Choose another calendar, or copy the event")
        raise errors.invalid("calendar_id", message, "forbidden")


def require_whole_series(ctx: Context, series_id: int) -> None:
    """Changing a series needs the right to edit each of its events."""
    sql = f"SELECT 1 FROM events WHERE series_id = :id AND id NOT IN {editable_event_ids(ctx)} LIMIT 1"
    if ctx.tx.rows(sql, id=series_id, me=user(ctx).id):
        raise errors.Forbidden(gettext("You can’t edit some events of this series. Change this event only."))
