"""The SQL of the calendars that deleted accounts leave in the trash. Which of them can be restored is the policy's to say."""

from kalends.core.records.deleted_calendar import DeletedCalendar
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
    expired = find_expired(ctx)
    if expired is not None and not trash.erase_batch(ctx, expired.set_id):
        delete(ctx, expired.calendar_id)
    return expired is not None
