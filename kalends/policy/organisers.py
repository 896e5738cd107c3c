"""Organisers: users who own a public calendar. Everybody sees their display names and these calendars."""

from kalends import errors
from kalends.context import Context
from kalends.policy.actor import me
from kalends.policy.calendars import SELECT_CALENDARS
from kalends.records.calendar import Calendar
from kalends.values.person import Person

_ORGANISER = "SELECT u.id, coalesce(u.name, u.user_name) FROM users u WHERE u.id"


def organiser(ctx: Context, user_id: int) -> Person:
    person = ctx.tx.one(Person, f"{_ORGANISER} IN (SELECT c.owner_id FROM calendars c WHERE c.owner_id = :id AND c.public)", id=user_id)
    if person is None:
        raise errors.NotFound
    return person


def is_organiser(ctx: Context, user_id: int) -> bool:
    """Whether everybody can see the page of this organiser."""
    return bool(ctx.tx.rows("SELECT 1 FROM calendars c WHERE c.owner_id = :id AND c.public LIMIT 1", id=user_id))


def organisers(ctx: Context, after: int, limit: int) -> list[Person]:
    """Those whose ids come after this one, by id."""
    owners = "SELECT DISTINCT c.owner_id FROM calendars c WHERE c.public AND c.owner_id > :after ORDER BY c.owner_id LIMIT :limit"
    return ctx.tx.all(Person, f"{_ORGANISER} IN ({owners}) ORDER BY u.id", after=after, limit=limit)


def public_calendars(ctx: Context, owner_ids: list[int], limit: int) -> list[Calendar]:
    """The public calendars of these users, of all together at most `limit`."""
    sql = f"{SELECT_CALENDARS} WHERE c.public AND c.owner_id {ctx.db.in_list('ids')} ORDER BY c.owner_id, c.id LIMIT :limit"
    return ctx.tx.all(Calendar, sql, ids=owner_ids, limit=limit, me=me(ctx)) if owner_ids else []
