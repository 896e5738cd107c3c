"""Organisers: users who own a public calendar. Everybody sees their display names and these calendars."""

from kalends.core import errors
from kalends.core.records.calendar import Calendar
from kalends.core.records.people import Person
from kalends.http.context import Context
from kalends.policy.actor import me
from kalends.policy.calendars import SELECT_CALENDARS

_ORGANISER = "SELECT u.id, coalesce(u.name, u.user_name) FROM users u WHERE u.id"

# SQL: who hears of what guests do, and whose list they join: the creator of the event `e`, while they edit its home calendar `c`, or else
# the owner of this calendar.
_ORGANISER_ID = """SELECT CASE WHEN EXISTS (
        SELECT 1 FROM calendar_shares s WHERE s.calendar_id = c.id AND s.user_id = e.owner_id AND s.role = 'editor'
    ) THEN e.owner_id ELSE c.owner_id END FROM events e JOIN calendars c ON c.id = e.calendar_id WHERE e.id = :event_id"""


def organiser_id(ctx: Context, event_id: int) -> int:
    """The user who hears of what guests do, and whose list they join."""
    user_id: int | None = ctx.tx.value(_ORGANISER_ID, event_id=event_id)
    if user_id is None:
        raise errors.NotFound
    return user_id


def organiser(ctx: Context, user_id: int) -> Person:
    person = ctx.tx.one(Person, f"{_ORGANISER} IN (SELECT c.owner_id FROM calendars c WHERE c.owner_id = :id AND c.public)", id=user_id)
    if person is None:
        raise errors.NotFound
    return person


def public_calendar_id(ctx: Context, user_id: int) -> int | None:
    """The id of the first public calendar of the user; None without one, and then they have no page as an organiser."""
    calendar_id: int | None = ctx.tx.value("SELECT min(c.id) FROM calendars c WHERE c.owner_id = :id AND c.public", id=user_id)
    return calendar_id


def organisers(ctx: Context, after: int, limit: int) -> list[Person]:
    """The organisers whose ids come after this one, by id."""
    owners = "SELECT DISTINCT c.owner_id FROM calendars c WHERE c.public AND c.owner_id > :after ORDER BY c.owner_id LIMIT :limit"
    return ctx.tx.all(Person, f"{_ORGANISER} IN ({owners}) ORDER BY u.id", after=after, limit=limit)


def public_calendars(ctx: Context, owner_ids: list[int], limit: int) -> list[Calendar]:
    """The public calendars of these users, of all together at most `limit`."""
    sql = f"{SELECT_CALENDARS} WHERE c.public AND c.owner_id {ctx.db.in_list('ids')} ORDER BY c.owner_id, c.id LIMIT :limit"
    return ctx.tx.all(Calendar, sql, ids=owner_ids, limit=limit, me=me(ctx)) if owner_ids else []
