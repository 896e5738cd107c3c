"""The SQL of an account's export: the records that are its own, as rows."""

from collections.abc import Iterator, Sequence
from typing import Any

from kalends.core.records.people import Contact
from kalends.db import columns, open_contents
from kalends.http.context import Context

# How many parents' rows are read at once.
BATCH = 500
# What no export has.
SECRET_COLUMNS = {"users": ("password_hash",)}
# The tables of records, and the columns by which they are found: by the account, its calendars, their events and series.
BY_USER = {"users": ("id",), "calendars": ("owner_id",), "contacts": ("user_id",), "subscribers": ("owner_id",)}
BY_CALENDAR = {"calendar_invitations": "calendar_id", "questions": "calendar_id", "reminders": "calendar_id"}
BY_SERIES = {
    "series": "id",
    "series_exceptions": "series_id",
    "series_versions": "series_id",
    "series_responses": "series_id",
    "invitations": "series_id",
}
BY_EVENT = {
    "events": "id",
    "placements": "event_id",
    "response_settings": "event_id",
    "response_tallies": "event_id",
    "seat_grants": "event_id",
    "responses": "event_id",
    "comments": "event_id",
    "questions": "event_id",
    "question_answers": "event_id",
    "reminders": "event_id",
    "reminder_runs": "event_id",
    "invitations": "event_id",
    "cohosts": "event_id",
}
PICTURES = {"pictures": "path", "picture_files": "picture_path"}
TABLES = tuple(dict.fromkeys((*BY_USER, *BY_CALENDAR, *BY_SERIES, *BY_EVENT, *PICTURES)))
# What the account has on calendars of others: it is not imported.
ELSEWHERE = {"events": "owner_id", "responses": "user_id", "comments": "user_id"}

Row = dict[str, Any]


def find_calendar_ids(ctx: Context, user_id: int) -> list[int]:
    return [row[0] for row in ctx.tx.rows("SELECT id FROM calendars WHERE owner_id = :me ORDER BY id", me=user_id)]


def find_event_ids(ctx: Context, calendar_ids: list[int]) -> list[int]:
    sql = f"SELECT id FROM events WHERE calendar_id {ctx.db.in_list('ids')} ORDER BY id"
    return [row[0] for row in ctx.tx.rows(sql, ids=calendar_ids)]


def find_series_ids(ctx: Context, calendar_ids: list[int]) -> list[int]:
    sql = f"""SELECT DISTINCT series_id FROM events WHERE calendar_id {ctx.db.in_list("ids")} AND series_id IS NOT NULL
              ORDER BY series_id"""
    return [row[0] for row in ctx.tx.rows(sql, ids=calendar_ids)]


def find_picture_paths(ctx: Context, user_id: int, calendar_ids: list[int]) -> list[str]:
    """The pictures that the account uploaded, and those of events on its calendars."""
    sql = f"""SELECT path FROM pictures WHERE owner_id = :me
              UNION SELECT p.path FROM events e JOIN pictures p ON p.path = e.image_url WHERE e.calendar_id {ctx.db.in_list("ids")}
              ORDER BY path"""
    return [row[0] for row in ctx.tx.rows(sql, me=user_id, ids=calendar_ids)]


def find_contacts(ctx: Context, user_id: int) -> list[Contact]:
    sql = f"SELECT {columns(Contact)} FROM contacts WHERE user_id = :me AND service IS NULL ORDER BY id"
    return ctx.tx.all(Contact, sql, me=user_id)


def find_rows(ctx: Context, table: str, column: str, values: Sequence[int] | Sequence[str]) -> Iterator[list[Row]]:
    """The rows of the table with these values in the column, in batches; bytes of pictures are apart."""
    names = [
        name
        for name in open_contents(ctx.db, ctx.tx).columns(table)
        if name not in SECRET_COLUMNS.get(table, ()) and (table, name) != ("picture_files", "content")
    ]
    in_list = ctx.db.in_list("ids") if table not in PICTURES else None
    for start in range(0, len(values), BATCH):
        batch = values[start : start + BATCH]
        if in_list:
            rows = ctx.tx.rows(f"SELECT {', '.join(names)} FROM {table} WHERE {column} {in_list}", ids=batch)
        else:
            sql = f"SELECT {', '.join(names)} FROM {table} WHERE {column} = :path"
            rows = [row for path in batch for row in ctx.tx.rows(sql, path=path)]
        yield [dict(zip(names, row, strict=True)) for row in rows]


def find_picture(ctx: Context, path: str) -> bytes:
    content: bytes = ctx.tx.value("SELECT content FROM picture_files WHERE path = :path", path=path)
    return content
