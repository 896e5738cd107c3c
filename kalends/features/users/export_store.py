"""The SQL of an account's export: the records that are its own, as rows, and how they are inserted where the account is imported."""

from base64 import b64decode
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from kalends.core.records.people import Contact
from kalends.db import TableCopy, columns, open_contents
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
# Columns that name a user. Of others than the account itself, they are empty after an import.
USER_COLUMNS = ("user_id", "granted_by", "added_by", "invited_by")
# Where the account itself takes the place of others.
OWNER_COLUMNS = ("owner_id",)
# Rows that are of no use without the other user.
_FOR_USERS = ("calendar_invitations", "cohosts")

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


def is_empty(ctx: Context) -> bool:
    """Whether nobody has an account here."""
    return not ctx.tx.rows("SELECT 1 FROM users WHERE id > 0 LIMIT 1")


def insert(copy: TableCopy, table: str, rows: Iterable[Row], user_id: int) -> int:
    """Insert the rows as they were, but for other users whom they name; returns how many. What newer or older versions have more is
    left out."""
    known = copy.columns(table)
    kept = [_without_others(table, row, user_id) for row in rows]
    kept = [row for row in kept if not (table in _FOR_USERS and row["user_id"] is None and row["email_key"] is None)]
    if not kept:
        return 0
    names = [name for name in known if name in kept[0]]
    copy.insert(table, names, [[_value(row[name], is_bytes=known[name]) for name in names] for row in kept])
    return len(kept)


def _without_others(table: str, row: Row, user_id: int) -> Row:
    changed = {name: None for name in USER_COLUMNS if name in row and row[name] != user_id}
    return row | changed | {name: user_id for name in OWNER_COLUMNS if row.get(name) is not None}


def _value(value: Any, *, is_bytes: bool) -> Any:
    return b64decode(value) if is_bytes and isinstance(value, str) else value


def set_sequence(ctx: Context, copy: TableCopy, table: str) -> None:
    """Let the table generate ids that are not taken."""
    if "id" in copy.columns(table):
        copy.set_sequence(table, max(1, int(ctx.tx.value(f"SELECT coalesce(max(id), 0) FROM {table}"))))
