"""Which calendars the actor may see, edit and own."""

from collections.abc import Iterable
from functools import cache
from hmac import compare_digest
from typing import TypeVar

from msgspec import structs

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.calendar import Calendar, MemberCalendar, NamedCalendar, TargetCalendar
from kalends.core.settings import Settings
from kalends.core.tokens import derive
from kalends.core.values.text import fold_case
from kalends.db import columns
from kalends.http.context import Context
from kalends.policy.actor import Right, and_calendar_opened, me, opens_calendar, require_member, user

C = TypeVar("C", Calendar, TargetCalendar)

_ROLE = "CASE WHEN c.owner_id = :me THEN 'owner' WHEN s.manages THEN 'manager' ELSE s.role END"
_EXPRESSIONS = {"owner_name": "coalesce(u.name, u.user_name)", "role": _ROLE}
_JOIN_SHARE = "LEFT JOIN calendar_shares s ON s.calendar_id = c.id AND s.user_id = :me"
_FROM_CALENDARS = f"FROM calendars c JOIN users u ON u.id = c.owner_id {_JOIN_SHARE}"
# Calendars with the role that the actor (:me, 0 for a guest) has in each.
SELECT_CALENDARS = f"SELECT {columns(Calendar, 'c', **_EXPRESSIONS)} {_FROM_CALENDARS}"
# The colour of the calendar `c` for the actor, who may have chosen another one.
READER_COLOR = "coalesce((SELECT o.color FROM calendar_colors o WHERE o.user_id = :me AND o.calendar_id = c.id), c.color)"
_SELECT_NAMED = f"SELECT {columns(NamedCalendar, 'c', role=_ROLE, color=READER_COLOR)} FROM calendars c {_JOIN_SHARE}"


def my_calendar_ids(ctx: Context) -> str:
    """SQL: the ids of the calendars that the actor owns, and of those that are shared with them."""
    own = f"SELECT id FROM calendars WHERE owner_id = :me{and_calendar_opened(ctx, 'id')}"
    shared = f"SELECT calendar_id FROM calendar_shares WHERE user_id = :me{and_calendar_opened(ctx, 'calendar_id')}"
    return f"({own} UNION {shared})"


def in_my_calendars(ctx: Context) -> str:
    """SQL: whether the calendar `c` is one of these."""
    return f"c.id IN {my_calendar_ids(ctx)}"


def is_member(calendar_id: str) -> str:
    """SQL: whether the actor is a member of the calendar, as its owner or because it is shared with them."""
    return f"""(
    EXISTS (SELECT 1 FROM calendars own WHERE own.id = {calendar_id} AND own.owner_id = :me)
    OR EXISTS (SELECT 1 FROM calendar_shares s WHERE s.calendar_id = {calendar_id} AND s.user_id = :me)
)"""


CALENDAR_VISIBLE_TO_USER = """(
    c.public OR c.owner_id = :me OR EXISTS (SELECT 1 FROM calendar_shares s WHERE s.calendar_id = c.id AND s.user_id = :me)
)"""


def calendar_visible(ctx: Context) -> str:
    """SQL: whether the actor sees the calendar `c`."""
    return "c.public" if ctx.actor is None else f"{CALENDAR_VISIBLE_TO_USER}{and_calendar_opened(ctx, 'c.id')}"


def calendar_visible_by_id(ctx: Context, calendar_id: str) -> str:
    """SQL: whether the actor sees the calendar with this id."""
    return f"EXISTS (SELECT 1 FROM calendars c WHERE c.id = {calendar_id} AND {calendar_visible(ctx)})"


def calendar(ctx: Context, calendar_id: int, *, to: Right) -> Calendar:
    """The calendar, if the actor has this right."""
    calendar = ctx.tx.one(Calendar, f"{SELECT_CALENDARS} WHERE c.id = :id", id=calendar_id, me=me(ctx))
    return _require(ctx, calendar, to)


def _require(ctx: Context, calendar: C | None, to: Right) -> C:
    if calendar is None or not (calendar.public or calendar.role) or not opens_calendar(ctx.actor, calendar.id):
        raise errors.NotFound
    if to is Right.SEE:
        return calendar
    user(ctx)
    if to is Right.EDIT and not can_edit(calendar):
        raise errors.Forbidden(gettext("Only the calendar’s owner and editors can do this."))
    if to is Right.MANAGE and not can_manage(calendar):
        raise errors.Forbidden(gettext("Only the calendar’s owner and managers can do this."))
    if to is Right.OWN and calendar.role != "owner":
        raise errors.Forbidden(gettext("Only the calendar’s owner can do this."))
    return calendar


def can_edit(calendar: NamedCalendar) -> bool:
    return calendar.role in ("owner", "manager", "editor")


def can_manage(calendar: NamedCalendar) -> bool:
    """Whether the actor may change the calendar itself, and share it."""
    return calendar.role in ("owner", "manager")


def visible_calendars(ctx: Context, ids: list[int]) -> list[Calendar]:
    """The given calendars that the actor can see."""
    sql = f"{SELECT_CALENDARS} WHERE c.id {ctx.db.in_list('ids')} AND {calendar_visible(ctx)}"
    return ctx.tx.all(Calendar, sql, ids=ids, me=me(ctx)) if ids else []


def shared_calendar(ctx: Context, calendar_id: int) -> Calendar:
    """A calendar that its owner shares with the actor, who may leave it."""
    shared = calendar(ctx, calendar_id, to=Right.SEE)
    user(ctx)
    if shared.role == "owner":
        raise errors.Conflict(gettext("This calendar is yours. To remove it, delete it instead."))
    if shared.role is None:
        raise errors.Forbidden(gettext("This calendar isn’t shared with you."))
    return shared


def home_calendar(ctx: Context, calendar_id: int, *, to: Right) -> Calendar:
    """A calendar in the actor's home for devices, one that they own or that is shared with them, if they have this right."""
    member = calendar(ctx, calendar_id, to=Right.SEE)
    if not member.is_member:
        raise errors.NotFound
    return _require(ctx, member, to)


def calendar_feed(ctx: Context, calendar_id: int, key: str | None) -> Calendar:
    """The calendar as a feed: its secret key gives the rights of a viewer."""
    if key is None:
        require_member(ctx)
        return calendar(ctx, calendar_id, to=Right.SEE)
    row = ctx.tx.one(Calendar, f"{SELECT_CALENDARS} WHERE c.id = :id", id=calendar_id, me=me(ctx))
    if row is None or not compare_digest(key.encode(), feed_key(ctx.settings, row).encode()) or not opens_calendar(ctx.actor, row.id):
        raise errors.NotFound
    return structs.replace(row, role=row.role or "viewer")


def member_calendars(ctx: Context) -> list[Calendar]:
    """The calendars that the signed-in user owns, and those that are shared with them."""
    return ctx.tx.all(Calendar, f"{SELECT_CALENDARS} WHERE {in_my_calendars(ctx)} ORDER BY c.id", me=user(ctx).id)


def named_member_calendars(ctx: Context) -> list[NamedCalendar]:
    """Like member_calendars, but without what is not shown of many."""
    return ctx.tx.all(NamedCalendar, f"{_SELECT_NAMED} WHERE {in_my_calendars(ctx)} ORDER BY c.id", me=user(ctx).id)


def member_calendar_ids(ctx: Context) -> list[MemberCalendar]:
    """Like member_calendars, but ids only."""
    return ctx.tx.all(MemberCalendar, f"SELECT id FROM {my_calendar_ids(ctx)} AS own ORDER BY id", me=user(ctx).id)


def primary_calendar(ctx: Context) -> Calendar:
    primary = ctx.tx.one(Calendar, f"{SELECT_CALENDARS} WHERE c.owner_id = :me AND c.is_primary", me=user(ctx).id)
    assert primary is not None
    return primary


def guest_calendar(ctx: Context, address: str) -> Calendar | None:
    """The primary calendar of the user with this verified address, where invitations of the actor go; None if there is no such user, or
    they block the actor."""
    return ctx.tx.one(
        Calendar,
        f"""{SELECT_CALENDARS} WHERE u.email_key = :key AND u.verified_at IS NOT NULL AND u.status = 'active' AND u.id <> :me
            AND c.is_primary AND NOT EXISTS (SELECT 1 FROM blocks b WHERE b.user_id = u.id AND b.owner_id = :me)""",
        key=fold_case(address),
        me=user(ctx).id,
    )


def knows_organizer(ctx: Context, calendar: Calendar, owner_id: int) -> bool:
    """Whether invitations of the actor to an event of this owner are on the guest's calendar at once: the guest shares a calendar with one
    of them, in either direction, or has accepted something of theirs before. Others may propose an event alone."""
    shared = "SELECT 1 FROM calendar_shares s JOIN calendars c ON c.id = s.calendar_id WHERE s.user_id"
    others = ctx.db.in_list("ids")
    sql = f"""SELECT CASE WHEN EXISTS ({shared} = :guest AND c.owner_id {others}) OR EXISTS ({shared} {others} AND c.owner_id = :guest)
        OR EXISTS (SELECT 1 FROM responses r JOIN events e ON e.id = r.event_id
            WHERE r.user_id = :guest AND r.proven AND r.response <> 'NO' AND e.owner_id {others})
        OR EXISTS (SELECT 1 FROM invitation_proposals o JOIN invitations i ON i.id = o.invitation_id
            WHERE o.calendar_id = :calendar AND o.accepted AND i.owner_id {others}) THEN 1 ELSE 0 END"""
    return bool(ctx.tx.value(sql, guest=calendar.owner_id, calendar=calendar.id, ids=sorted({user(ctx).id, owner_id})))


def organizers(ctx: Context, calendar: Calendar, owner_ids: Iterable[int] = ()) -> dict[str, int]:
    """The users in whose name the actor, who may edit the calendar, invites to events on it, by the keys of their addresses: the actor, the
    owner of the calendar, and the owners of the events."""
    sql = f"SELECT email_key, id FROM users WHERE id {ctx.db.in_list('ids')}"
    return dict(ctx.tx.rows(sql, ids=sorted({user(ctx).id, calendar.owner_id, *owner_ids})))


def busy_calendars(ctx: Context, address: str) -> list[Calendar]:
    """The calendars that tell the actor when the user with this address is busy: one's own, or those that the user shares with the
    actor. Whether others have an account is nobody's business."""
    own = fold_case(address) == fold_case(user(ctx).email_address)
    condition = "c.owner_id = :me" if own else f"u.email_key = :key AND u.verified_at IS NOT NULL AND {in_my_calendars(ctx)}"
    return ctx.tx.all(
        Calendar, f"{SELECT_CALENDARS} WHERE {condition} ORDER BY c.id", me=user(ctx).id, **({} if own else {"key": fold_case(address)})
    )


def target_calendar(ctx: Context, calendar_id: int | None) -> Calendar:
    """The calendar to write to: this one, if the actor may edit it; without an id, their primary calendar."""
    user(ctx)
    with errors.naming("calendar_id"):
        return calendar(ctx, calendar_id or primary_calendar(ctx).id, to=Right.EDIT)


def calendar_for_new_event(ctx: Context, calendar_id: int | None, *, field: str = "calendar_id") -> TargetCalendar:
    """Like target_calendar, with the id of an event to be created on it. An error names the field."""
    sql = _select_target(ctx.db.next_id("events"), "c.id = :id" if calendar_id else "c.owner_id = :me AND c.is_primary")
    params = {"id": calendar_id} if calendar_id else {}
    with errors.naming(field):
        return _require(ctx, ctx.tx.one(TargetCalendar, sql, me=user(ctx).id, **params), Right.EDIT)


@cache
def _select_target(next_event_id: str, condition: str) -> str:
    has_questions = "EXISTS (SELECT 1 FROM questions q WHERE q.calendar_id = c.id)"
    selected = columns(TargetCalendar, "c", role=_ROLE, next_event_id=next_event_id, has_questions=has_questions)
    return f"SELECT {selected} FROM calendars c {_JOIN_SHARE} WHERE {condition}"


def feed_url(settings: Settings, calendar: Calendar) -> str | None:
    """The URL of the feed: without a key for a public calendar; with a key, for owner and editors only, for a private one."""
    url = f"{settings.url}/api/calendars/{calendar.id}.ics"
    if calendar.public:
        return url
    return f"{url}?key={feed_key(settings, calendar)}" if can_edit(calendar) else None


def feed_key(settings: Settings, calendar: Calendar) -> str:
    """The key, derived from the server's secret and therefore not stored; a new feed version changes it."""
    return derive(settings, "feed", f"{calendar.id}.{calendar.feed_version}")[:32]
