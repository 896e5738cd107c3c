"""The triggers of the journal of changes, as the schema declares them, and the statements that they see."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from kalends.db.database import Transaction
from kalends.db.dialect import Dialect, Trigger

# The kind of record; the columns with its id, its event, its owner and its calendar; the columns that are recorded; and a condition on the
# changed `row`, of all changes or of INSERT alone. With FOR DELETE, deletions alone are recorded.
DECLARATION = re.compile(
    r"^CREATE (?P<replace>OR REPLACE )?JOURNAL OF (?P<table>\w+) AS (?P<kind>\w+)(?P<only> FOR DELETE)?"
    r"\s+KEYS \((?P<keys>[^)]*)\)\s+COLUMNS \((?P<columns>[^)]*)\)(?:\s+(?P<insert>INSERT )?WHEN (?P<condition>[^;]*))?;$",
    re.MULTILINE,
)
_INSERT = "INSERT INTO changes (set_id, at, actor_id, via, request_id, kind, record_id, event_id, owner_id, calendar_id, op, before)"
# Columns that change with every update, the seats that responses get from the waiting list, the browsers in which responses are made, the
# numbers of event links, and whether an invitation to a calendar is declined: their changes alone are not recorded.
_STAMPS = (
    "version",
    "created_at",
    "updated_at",
    "declined",
    "held",
    "offered",
    "offer_until",
    "queued_at",
    "queued_for",
    "accepted_for",
    "confirm_until",
    "browser",
    "link_number",
)

# Statements on these tables fire triggers of the journal, some by foreign keys.
_JOURNALED = re.compile(
    r"\s*(?:INSERT INTO|UPDATE|DELETE FROM)\s+(?:users|calendars|calendar_shares|calendar_invitations|events|placements|series"
    r"|series_exceptions|comments|responses|response_settings|questions|question_answers|reminders|contacts|cohosts)\b"
)


@lru_cache(2048)
def is_journaled(sql: str) -> bool:
    """Whether the statement may fire a trigger that records its author."""
    return _JOURNALED.match(sql) is not None


def triggers(db: Dialect, declaration: re.Match[str]) -> Iterator[Trigger]:
    """The triggers that record the changes of a table."""
    table, kind = declaration["table"], declaration["kind"]
    columns = _names(declaration["columns"])
    content = [name for name in columns if name not in _STAMPS]
    # An UPDATE of other columns, such as the revision of a calendar, does not even start the trigger.
    update = f"UPDATE OF {', '.join(content)}"
    for change, op, row in (("INSERT", "create", "NEW"), (update, "update", "OLD"), ("DELETE", "delete", "OLD")):
        if declaration["only"] and op != "delete":
            continue
        record, event, owner, calendar = (key if key == "NULL" else f"{row}.{key}" for key in _names(declaration["keys"]))
        # The key of a row without an id is known from the row alone.
        before = "NULL" if op == "create" and "id" in columns else db.json_object(row, columns)
        yield Trigger(
            name=f"{table}_journal_{change.partition(' ')[0].lower()}",
            moment=f"AFTER {change}",
            table=table,
            body=f"{_INSERT}\nSELECT $author, '{kind}', {record}, {event}, {owner}, {calendar}, '{op}', {before} $from_author;",
            condition=_condition(declaration, op, row, content),
            replaces=bool(declaration["replace"]),
        )


def _condition(declaration: re.Match[str], op: str, row: str, content: list[str]) -> str:
    conditions = []
    if declaration["condition"] and (op == "create" or not declaration["insert"]):
        conditions.append(declaration["condition"].replace("row.", f"{row}."))
    if op == "update":
        conditions.append("(" + " OR ".join(f"OLD.{name} IS DISTINCT FROM NEW.{name}" for name in content) + ")")
    return " AND ".join(conditions)


def _names(declared: str) -> list[str]:
    return re.findall(r"\w+", declared)


def last_of_set(tx: Transaction, set_id: int) -> int | None:
    """The number of the last change of a request, by which it can be undone."""
    change_id: int | None = tx.value("SELECT max(id) FROM changes WHERE set_id = :set_id", set_id=set_id)
    return change_id


def find_set(tx: Transaction, set_id: int, limit: int) -> list[tuple[Any, ...]]:
    """The first changes of one request: the kind and the id of each record, and what was done to it."""
    sql = "SELECT kind, record_id, op FROM changes WHERE set_id = :set_id ORDER BY id LIMIT :limit"
    return tx.rows(sql, set_id=set_id, limit=limit)
