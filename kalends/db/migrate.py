"""Migrations: numbered SQL files. Each runs once, under a lock, in its own transaction."""

import re
from collections.abc import Iterator
from graphlib import TopologicalSorter
from importlib.resources import files
from importlib.resources.abc import Traversable
from string import Template

from kalends.db import journal
from kalends.db.database import Database, Transaction
from kalends.values import timestamps

FOLDER = files("kalends.db") / "migrations"

# Cursors of followers end with a restore, so what they read is not restored. The secret belongs to the servers, not to the content.
_NOT_IN_BACKUPS = ("journal", "sync_entries", "change_author", "secret_fingerprints")
_MIGRATIONS_TABLE = "CREATE TABLE IF NOT EXISTS migrations (number $int PRIMARY KEY, name TEXT NOT NULL, applied_at $int NOT NULL $end"
_TOO_NEW = "The database was made by a newer Kalends. Install that version, or restore an older backup."


class TooNew(Exception):
    """The database was made by a newer Kalends than this one."""


def migrate(db: Database, folder: Traversable = FOLDER) -> list[str]:
    """Run the migrations that have not run yet, and return their names."""
    with db.write() as tx:
        tx.advisory_lock("migrations")
        tx.script(Template(_MIGRATIONS_TABLE).substitute(db.types))
        if max(_applied(tx), default=0) > latest(folder):
            raise TooNew(_TOO_NEW)
    applied = []
    for number, name, sql in _files(folder):
        with db.write() as tx:
            tx.advisory_lock("migrations")
            if number in _applied(tx):
                continue
            tx.without_statement_timeout()
            _run(db, tx, number, name, sql)
            applied.append(name)
    return applied


def build(db: Database, tx: Transaction, last: str) -> None:
    """Create the tables in an empty database as they were after this migration."""
    tx.script(Template(_MIGRATIONS_TABLE).substitute(db.types))
    for number, name, sql in _files(FOLDER):
        if name <= last:
            _run(db, tx, number, name, sql)


def _run(db: Database, tx: Transaction, number: int, name: str, sql: str) -> None:
    tx.script(_render(db, sql))
    now = timestamps.now()
    tx.run("INSERT INTO migrations (number, name, applied_at) VALUES (:number, :name, :now)", number=number, name=name, now=now)


def newest(tx: Transaction) -> str | None:
    """The newest migration that has run on this database; raises TooNew if this Kalends does not know it."""
    if not tx.has_table("migrations"):
        return None
    name: str | None = tx.value("SELECT name FROM migrations ORDER BY number DESC LIMIT 1")
    if name and name not in names():
        raise TooNew(_TOO_NEW)
    return name


def names() -> list[str]:
    """Every migration, in order."""
    return [name for _, name, _ in _files(FOLDER)]


def tables() -> list[str]:
    """Every table that a migration creates, each after those that it refers to; those dropped since are in older backups."""
    references: dict[str, set[str]] = {}
    for _, _, sql in _files(FOLDER):
        for table, definition in re.findall(r"^(?:CREATE|ALTER) TABLE (\w+)([^;]*)", sql, re.MULTILINE):
            references.setdefault(table, set()).update(set(re.findall(r"\bREFERENCES (\w+)", definition)) - {table})
    return list(TopologicalSorter(references).static_order())


def content_tables() -> list[str]:
    """The tables that a backup has."""
    return [table for table in tables() if table not in _NOT_IN_BACKUPS]


def is_current(tx: Transaction) -> bool:
    """Whether every migration has run."""
    return bool(tx.has_table("migrations") and tx.value("SELECT max(number) FROM migrations") == latest())


def latest(folder: Traversable = FOLDER) -> int:
    """The number of the newest migration."""
    return max(number for number, _, _ in _files(folder))


def _applied(tx: Transaction) -> set[int]:
    return {number for (number,) in tx.rows("SELECT number FROM migrations")}


def _render(db: Database, sql: str) -> str:
    """The migration in the dialect of this database.

    `-- @substrings table column` creates an index that finds substrings, `-- @after UPDATE ON table: statement` a trigger that runs
    the statement for each row, `-- @defer UPDATE ON table` defers it to the end of the transaction, and
    `-- @replace UPDATE ON table: statement` replaces its statement. `-- @journal` and `-- @sync` create the triggers of the journal
    (see `journal`).
    """
    sql = re.sub(r"^-- @substrings (\w+) (\w+)$", lambda match: db.substring_index(*match.groups()), sql, flags=re.MULTILINE)
    sql = re.sub(r"^-- @after (\w+) ON (\w+): (.*)$", lambda match: db.trigger(*match.groups()), sql, flags=re.MULTILINE)
    sql = re.sub(r"^-- @replace (\w+) ON (\w+): (.*)$", lambda match: db.replace_trigger(*match.groups()), sql, flags=re.MULTILINE)
    sql = re.sub(r"^-- @defer (\w+) ON (\w+)$", lambda match: db.defer(*match.groups()), sql, flags=re.MULTILINE)
    sql = journal.render(db, sql)
    return Template(sql).substitute(db.types)


def _files(folder: Traversable) -> Iterator[tuple[int, str, str]]:
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.name.endswith(".sql"):
            yield int(file.name[:4]), file.name.removesuffix(".sql"), file.read_text(encoding="utf-8")
