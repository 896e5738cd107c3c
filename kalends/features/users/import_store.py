"""The SQL of an account that is imported: whether there is room for it, and the rows of its tables."""

from base64 import b64decode
from collections.abc import Iterable
from typing import Any

from kalends.db import TableCopy
from kalends.http.context import Context

# Columns that name a user. Of others than the account itself, they are empty after an import.
USER_COLUMNS = ("user_id", "granted_by", "added_by", "invited_by")
# Where the account itself takes the place of others.
OWNER_COLUMNS = ("owner_id",)
# Rows that are of no use without the other user.
_FOR_USERS = ("calendar_invitations", "cohosts")


def is_empty(ctx: Context) -> bool:
    """Whether nobody has an account here."""
    return not ctx.tx.rows("SELECT 1 FROM users WHERE id > 0 LIMIT 1")


def insert(copy: TableCopy, table: str, rows: Iterable[dict[str, Any]], user_id: int) -> int:
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


def _without_others(table: str, row: dict[str, Any], user_id: int) -> dict[str, Any]:
    changed = {name: None for name in USER_COLUMNS if name in row and row[name] != user_id}
    return row | changed | {name: user_id for name in OWNER_COLUMNS if row.get(name) is not None}


def _value(value: Any, *, is_bytes: bool) -> Any:
    return b64decode(value) if is_bytes and isinstance(value, str) else value


def set_sequence(ctx: Context, copy: TableCopy, table: str) -> None:
    """Let the table generate ids that are not taken."""
    if "id" in copy.columns(table):
        copy.set_sequence(table, max(1, int(ctx.tx.value(f"SELECT coalesce(max(id), 0) FROM {table}"))))
