"""The triggers of the journal of changes, as migrations declare them, and the statements that they see."""

import re
from functools import lru_cache

from kalends.db.database import Transaction
from kalends.db.dialect import Dialect

# `-- @journal event ON events (id, id, owner_id, calendar_id) WHEN row.service IS NULL: id, title, …`: the columns with the id of the
# record, its event, its owner and its calendar, a condition (of insertions alone: INSERT WHEN), and the columns of `before`. With DELETE
# instead of a condition, deletions alone are recorded.
_JOURNAL = re.compile(r"^-- @journal (\w+) ON (\w+) \(([^)]*)\)(?: (DELETE))?(?: (INSERT )?WHEN (.*?))?: (.*)$", re.MULTILINE)
# `-- @sync UPDATE OF public ON events AS access WHEN condition: statement`, or `-- @sync DELETE ON events BEFORE: statement`
_SYNC = re.compile(r"^-- @sync (\w+(?: OF [\w, ]+)?) ON (\w+)(?: AS (\w+))?( BEFORE)?(?: WHEN (.*?))?: (.*)$", re.MULTILINE)
# Columns that change with every update, the seats that responses get from the waiting list, the numbers of event links, and whether an
# invitation to a calendar is declined: their changes alone are not recorded.
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
    "link_number",
)

# Statements on these tables fire triggers of the journal, some by foreign keys.
_JOURNALED = re.compile(
    r"\s*(?:INSERT INTO|UPDATE|DELETE FROM)\s+(?:users|calendars|calendar_shares|calendar_invitations|events|placements|series"
    r"|series_exceptions|comments|responses|response_settings|questions|question_answers|reminders|contacts)\b"
)


@lru_cache(2048)
def is_journaled(sql: str) -> bool:
    """Whether the statement may fire a trigger that records its author."""
    return _JOURNALED.match(sql) is not None


def render(db: Dialect, sql: str) -> str:
    """Replace the declarations of a migration by the triggers."""
    sql = _JOURNAL.sub(lambda match: _journal_triggers(db, *match.groups()), sql)
    return _SYNC.sub(lambda match: _sync_trigger(db, *match.groups()), sql)


def take_declarations(sql: str) -> tuple[str, dict[str, str]]:
    """The migration without its declarations, and these by the triggers that they create: a later declaration replaces them."""
    declarations = {f"{match[2]}_journal": match[0] for match in _JOURNAL.finditer(sql)}
    declarations |= {f"{match[2]}_sync_{match[3] or _verb(match[1])}": match[0] for match in _SYNC.finditer(sql)}
    return _SYNC.sub("", _JOURNAL.sub("", sql)), declarations


def _journal_triggers(
    db: Dialect, kind: str, table: str, keys: str, only: str | None, of_insert: str | None, condition: str | None, column_list: str
) -> str:
    columns = column_list.split(", ")
    content = [name for name in columns if name not in _STAMPS]
    changed = " OR ".join(f"OLD.{name} IS DISTINCT FROM NEW.{name}" for name in content)
    # An UPDATE of other columns, such as the revision of a calendar, does not even start the trigger.
    update = f"UPDATE OF {', '.join(content)}"
    triggers = []
    for change, op, row in (("INSERT", "create", "NEW"), (update, "update", "OLD"), ("DELETE", "delete", "OLD")):
        if only and change != only:
            continue
        record, event, owner, calendar = (key if key == "NULL" else f"{row}.{key}" for key in keys.split(", "))
        # The key of a row without an id is known from the row alone.
        before = "NULL" if op == "create" and "id" in columns else db.json_object(row, columns)
        statement = (
            "INSERT INTO changes (set_id, at, actor_id, via, request_id, kind, record_id, event_id, owner_id, calendar_id, op, before) "
            f"SELECT $author, '{kind}', {record}, {event}, {owner}, {calendar}, '{op}', {before} $from_author"
        )
        conditions = [condition.replace("row.", f"{row}.")] if condition and (op == "create" or not of_insert) else []
        when = " AND ".join(conditions + ([f"({changed})"] if op == "update" else []))
        triggers.append(db.named_trigger(f"{table}_journal_{_verb(change)}", f"AFTER {change}", table, when, statement))
    return "\n".join(triggers)


def _sync_trigger(db: Dialect, change: str, table: str, name: str | None, before: str | None, condition: str | None, statement: str) -> str:
    moment = f"{'BEFORE' if before else 'AFTER'} {change}"
    return db.named_trigger(f"{table}_sync_{name or _verb(change)}", moment, table, condition or "", statement)


def _verb(change: str) -> str:
    """The first word of `UPDATE OF public`, in lower case."""
    return change.partition(" ")[0].lower()


def last_of_set(tx: Transaction, set_id: int) -> int | None:
    """The number of the last change of a request, by which it can be undone."""
    change_id: int | None = tx.value("SELECT max(id) FROM changes WHERE set_id = :set_id", set_id=set_id)
    return change_id
