"""The SQL of the calendars that deleted accounts leave in the trash. Which of them can be restored is the policy's to say."""

from kalends.core.records.calendar import DeletedCalendar
from kalends.db import columns
from kalends.features.changes import trash_store as trash
from kalends.http.context import Context
from kalends.policy import TRASH_SECONDS

_CALENDAR = columns(DeletedCalendar)


def insert(ctx: Context, calendar: DeletedCalendar) -> None:
    names = DeletedCalendar.__struct_fields__
    sql = f"INSERT INTO deleted_calendars ({_CALENDAR}) VALUES ({', '.join(f':{name}' for name in names)})"
    ctx.tx.run(sql, **{name: getattr(calendar, name) for name in names})


def update_events(ctx: Context, calendar_id: int, events: int) -> None:
    ctx.tx.run("UPDATE deleted_calendars SET events = :events WHERE calendar_id = :id", events=events, id=calendar_id)


def delete(ctx: Context, calendar_id: int) -> None:
    ctx.tx.run("DELETE FROM deleted_calendars WHERE calendar_id = :id", id=calendar_id)


def find_expired(ctx: Context) -> DeletedCalendar | None:
    """The first calendar that has been in the trash for too long."""
    sql = f"SELECT {_CALENDAR} FROM deleted_calendars WHERE deleted_at <= :old ORDER BY deleted_at, calendar_id LIMIT 1"
    return ctx.tx.one(DeletedCalendar, sql, old=ctx.now - TRASH_SECONDS)


def empty_batch(ctx: Context) -> bool:
    """Delete the next changes of the first expired calendar; returns whether there may be more."""
    return _empty(ctx, find_expired(ctx))


def empty_batch_of(ctx: Context, owner_id: int) -> bool:
    """The same with the first calendar that this account has left."""
    sql = f"SELECT {_CALENDAR} FROM deleted_calendars WHERE owner_id = :owner_id ORDER BY calendar_id LIMIT 1"
    return _empty(ctx, ctx.tx.one(DeletedCalendar, sql, owner_id=owner_id))


def _empty(ctx: Context, calendar: DeletedCalendar | None) -> bool:
    if calendar is not None and not trash.erase_batch(ctx, calendar.set_id):
        delete(ctx, calendar.calendar_id)
    return calendar is not None
