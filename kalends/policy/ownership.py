"""Who may hand over a calendar, to whom it is offered, and who may leave it."""

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.calendar import Calendar, DeletedCalendar, OwnershipOffer
from kalends.db import columns
from kalends.http.context import Context
from kalends.policy.actor import Right, and_calendar_opened, me, user
from kalends.policy.administration import admin, is_admin
from kalends.policy.calendars import SELECT_CALENDARS, calendar

OFFER_SECONDS = 14 * 86_400
# How long the calendars of a deleted account can be given to somebody else.
TRASH_SECONDS = 30 * 86_400
# The owner of the calendar `c` is gone: their account `u` is suspended. What a deleted account leaves behind is in the trash.
_OWNER_IS_GONE = "u.status = 'suspended'"
_NAMES = {
    "calendar_name": "c.name",
    "owner_id": "c.owner_id",
    "user_name": "r.user_name",
    "user_display_name": "coalesce(r.name, r.user_name)",
    "offered_by_name": "coalesce(b.name, b.user_name)",
}
# Offers that can be accepted: who offers the calendar still may, and is not blocked by the other.
_SELECT_OFFERS = f"""SELECT {columns(OwnershipOffer, "o", **_NAMES)}
    FROM ownership_offers o JOIN calendars c ON c.id = o.calendar_id JOIN users u ON u.id = c.owner_id
    JOIN users r ON r.id = o.user_id JOIN users b ON b.id = o.offered_by
    WHERE o.created_at > :oldest AND (o.offered_by = c.owner_id OR {_OWNER_IS_GONE} AND b.role = 'admin') AND b.status = 'active'"""
_NOT_BLOCKED = "NOT EXISTS (SELECT 1 FROM blocks x WHERE x.user_id = o.user_id AND x.owner_id = o.offered_by)"
_TO_ME = f"(o.user_id = :me AND {_NOT_BLOCKED})"
_BY_ME = "o.offered_by = :me"


def calendar_to_hand_over(ctx: Context, calendar_id: int) -> Calendar:
    """A calendar that the actor may offer to others: their own; for an admin, also one whose owner is suspended. Not a primary one."""
    sql = f"{SELECT_CALENDARS} WHERE c.id = :id AND c.owner_id <> :me AND {_OWNER_IS_GONE}"
    ownerless = ctx.tx.one(Calendar, sql, id=calendar_id, me=me(ctx)) if is_admin(ctx) else None
    found = ownerless or calendar(ctx, calendar_id, to=Right.OWN)
    if found.is_primary:
        raise errors.Conflict(gettext("A primary calendar can’t be handed over. Make another calendar, and move the events to it."))
    return found


def is_blocked(ctx: Context, owner_id: int, by: int) -> bool:
    """Whether what this user shares or offers does not reach the other."""
    return bool(ctx.tx.rows("SELECT 1 FROM blocks WHERE user_id = :by AND owner_id = :owner_id", by=by, owner_id=owner_id))


def ownership_offers(ctx: Context) -> list[OwnershipOffer]:
    """The offers to the actor, and those that they made."""
    sql = f"{_SELECT_OFFERS} AND ({_TO_ME} OR {_BY_ME}){and_calendar_opened(ctx, 'o.calendar_id')} ORDER BY o.id"
    return ctx.tx.all(OwnershipOffer, sql, me=user(ctx).id, oldest=ctx.now - OFFER_SECONDS)


def ownership_offer(ctx: Context, offer_id: int) -> OwnershipOffer:
    """One of these."""
    offer = next((each for each in ownership_offers(ctx) if each.id == offer_id), None)
    if offer is None:
        raise errors.NotFound
    return offer


def offer_to_me(ctx: Context, offer_id: int) -> OwnershipOffer:
    """An offer that the actor may accept or decline."""
    offer = ownership_offer(ctx, offer_id)
    if offer.user_id != user(ctx).id:
        raise errors.Forbidden(gettext("Only the person to whom the calendar is offered can do this."))
    return offer


def offer_by_me(ctx: Context, offer_id: int) -> OwnershipOffer:
    """An offer that the actor may withdraw."""
    offer = ownership_offer(ctx, offer_id)
    if offer.offered_by != user(ctx).id:
        raise errors.Forbidden(gettext("Only the person who offers the calendar can withdraw the offer."))
    return offer


def ownerless_calendars(ctx: Context) -> list[Calendar]:
    """For an admin: the calendars that others edit and whose owner is suspended, but primary ones. Nobody else has any."""
    edited = "EXISTS (SELECT 1 FROM calendar_shares x WHERE x.calendar_id = c.id AND x.role = 'editor')"
    # The index has only the accounts that are not active.
    suspended = "SELECT id FROM users WHERE status = 'suspended' AND status <> 'active'"
    sql = f"{SELECT_CALENDARS} WHERE c.owner_id IN ({suspended}) AND NOT c.is_primary AND {edited} ORDER BY c.owner_id, c.id LIMIT 100"
    return ctx.tx.all(Calendar, sql, me=user(ctx).id) if is_admin(ctx) else []


def require_manager_left(ctx: Context, owner_id: int, calendar_id: int | None = None) -> None:
    """Raise Conflict if the actor is the last manager of the calendar, or of any calendar of this owner, who is suspended."""
    of_calendar = "" if calendar_id is None else "AND c.id = :calendar_id"
    rows = ctx.tx.rows(
        f"""SELECT 1 FROM calendar_shares s JOIN calendars c ON c.id = s.calendar_id JOIN users u ON u.id = c.owner_id
            WHERE s.user_id = :me AND s.manages AND c.owner_id = :owner_id {of_calendar} AND {_OWNER_IS_GONE} AND NOT EXISTS (
                SELECT 1 FROM calendar_shares x JOIN users h ON h.id = x.user_id
                WHERE x.calendar_id = c.id AND x.user_id <> :me AND x.manages AND h.status = 'active') LIMIT 1""",
        me=user(ctx).id,
        owner_id=owner_id,
        **({} if calendar_id is None else {"calendar_id": calendar_id}),
    )
    if rows:
        raise errors.Conflict(
            gettext("The owner’s account is suspended, and you’re the last manager. Make someone else a manager before you leave.")
        )


def deleted_calendars(ctx: Context, limit: int, offset: int) -> list[DeletedCalendar]:
    """For an admin: the calendars that deleted accounts have left in the trash, the last one first."""
    admin(ctx)
    sql = f"""SELECT {columns(DeletedCalendar, "d")} FROM deleted_calendars d WHERE d.deleted_at > :oldest
              ORDER BY d.deleted_at DESC, d.calendar_id DESC LIMIT :limit OFFSET :offset"""
    return ctx.tx.all(DeletedCalendar, sql, oldest=_oldest_deletion(ctx), limit=limit, offset=offset)


def count_deleted_calendars(ctx: Context) -> int:
    sql = "SELECT count(*) FROM deleted_calendars d WHERE d.deleted_at > :oldest"
    return int(ctx.tx.value(sql, oldest=_oldest_deletion(ctx)))


def deleted_calendar(ctx: Context, calendar_id: int) -> DeletedCalendar:
    """One of these, for an admin."""
    admin(ctx)
    sql = f"SELECT {columns(DeletedCalendar, 'd')} FROM deleted_calendars d WHERE d.calendar_id = :id AND d.deleted_at > :oldest"
    found = ctx.tx.one(DeletedCalendar, sql, id=calendar_id, oldest=_oldest_deletion(ctx))
    if found is None:
        raise errors.NotFound
    return found


def _oldest_deletion(ctx: Context) -> int:
    return ctx.now - min(TRASH_SECONDS, ctx.settings.history_days * 86_400)
