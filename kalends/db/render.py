"""The SQL of `schema/` and `migrations/` in the dialect of a database.

Both databases get the same text. Where they differ, it has placeholders (`$id`, `$int`: see `Dialect.types`) and these statements:

- `CREATE TRIGGER`, written as for SQLite; `DEFERRED` after the name of the table runs it at the end of the transaction;
- `CREATE JOURNAL`, which creates the triggers that record the changes of a table (see `journal`);
- `CREATE SUBSTRING INDEX ON table (column)`, an index that finds parts of words.

A migration replaces a trigger or a journal by `CREATE OR REPLACE`. `-- @only SQLite` or `-- @only PostgreSQL` runs the lines up to the
next empty line on that database alone."""

import re
from string import Template

from kalends.db import journal
from kalends.db.dialect import Dialect, Trigger

# Others are read by `migrate`. One that nobody reads would be skipped as a comment.
_UNKNOWN = re.compile(r"^-- @(?!(?:needs \d{4}|concurrently|only (?:SQLite|PostgreSQL))$).*", re.MULTILINE)
_ONLY = re.compile(r"^-- @only (\w+)\n((?:.+(?:\n|\Z))*)", re.MULTILINE)
_SUBSTRING_INDEX = re.compile(r"^CREATE SUBSTRING INDEX ON (\w+) \((\w+)\);$", re.MULTILINE)
_TRIGGER = re.compile(
    r"^CREATE (?P<replace>OR REPLACE )?TRIGGER (?P<name>\w+)\s+"
    r"(?P<moment>(?:BEFORE|AFTER) (?:INSERT|DELETE|UPDATE(?: OF [\w,\s]+?)?))\s+ON (?P<table>\w+)(?P<deferred> DEFERRED)?"
    r"(?:\s+WHEN (?P<condition>.*?))?\s+BEGIN\n(?P<body>.*?)\nEND;$",
    re.MULTILINE | re.DOTALL,
)


def render(db: Dialect, sql: str) -> str:
    """The statements as this database understands them."""
    if unknown := _UNKNOWN.search(sql):
        raise ValueError(f"This is no directive: {unknown[0]}")
    sql = _ONLY.sub(lambda match: match[2] if match[1] == db.product else "", sql)
    sql = _SUBSTRING_INDEX.sub(lambda match: db.substring_index(match[1], match[2]), sql)
    sql = _TRIGGER.sub(lambda match: db.trigger(_trigger(match)), sql)
    sql = journal.DECLARATION.sub(lambda match: "\n".join(map(db.trigger, journal.triggers(db, match))), sql)
    return Template(sql).substitute(db.types)


def _trigger(match: re.Match[str]) -> Trigger:
    return Trigger(
        name=match["name"],
        moment=match["moment"],
        table=match["table"],
        condition=match["condition"] or "",
        body=match["body"],
        is_deferred=bool(match["deferred"]),
        replaces=bool(match["replace"]),
    )
