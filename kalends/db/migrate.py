"""Migrations: numbered SQL files. Each runs once, under a lock, in its own transaction.

Servers of the version before may go on while a newer one migrates their database: a migration with `-- @needs 0053` suits every Kalends
that knows migration 0053. Without that line it suits only those that know the migration itself."""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from graphlib import TopologicalSorter
from importlib.resources import files
from importlib.resources.abc import Traversable
from string import Template

from kalends.db import journal
from kalends.db.database import Database, LockTimeout, Transaction
from kalends.values import timestamps

FOLDER = files("kalends.db") / "migrations"

# Cursors of followers end with a restore, so what they read is not restored. The secret belongs to the servers, not to the content.
_NOT_IN_BACKUPS = ("journal", "sync_entries", "change_author", "told_events", "secret_fingerprints", "last_runs")
# What the tables of migrations are called, which no migration creates.
OWN_TABLES = ("migrations", "migration_needs")
_CREATE_OWN_TABLES = """
    CREATE TABLE IF NOT EXISTS migrations (number $int PRIMARY KEY, name TEXT NOT NULL, applied_at $int NOT NULL $end;
    CREATE TABLE IF NOT EXISTS migration_needs (number $int PRIMARY KEY, needs $int NOT NULL $end;
"""
_NOT_MIGRATED = "The database is not migrated. Run 'kalends migrate'."
_WRONG_ENCODING = "The encoding of the database is not UTF8. Make another one: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0."
_TOO_NEW = "The database was made by a newer Kalends. Install that version, or restore an older backup."

_NEEDS = re.compile(r"^-- @needs (\d{4})$", re.MULTILINE)
_CONCURRENTLY = re.compile(r"^-- @concurrently$", re.MULTILINE)

# All requests for a table wait behind a migration that waits for its lock, so it gives up soon, lets them pass, and tries again.
LOCK_SECONDS = 1
LOCK_ATTEMPTS = 60
# How often a server looks whether another one has finished its migrations.
POLL_SECONDS = 0.2


class TooNew(Exception):
    """The database was made by a newer Kalends than this one."""


class NotMigrated(Exception):
    """Migrations have not run yet."""


class WrongEncoding(Exception):
    """The database stores text in another encoding than UTF-8."""


def migrate(db: Database, folder: Traversable = FOLDER) -> list[str]:
    """Run the migrations that have not run yet, and return their names."""
    with _locked(db) as tx:
        _create_own_tables(db, tx)
        if _is_too_new(tx, folder):
            raise TooNew(_TOO_NEW)
        applied = _applied(tx)
    pending = [(number, name, sql) for number, name, sql in _files(folder) if number not in applied]
    return [name for number, name, sql in pending if _run_once(db, number, name, sql)]


@contextmanager
def _locked(db: Database) -> Iterator[Transaction]:
    """A transaction that excludes the migrations of other servers. A server that waits holds no snapshot, for which the others' building of
    an index would wait."""
    while True:
        with db.write(alone=True) as tx:
            if tx.try_advisory_lock("migrations"):
                yield tx
                return
        time.sleep(POLL_SECONDS)


def _run_once(db: Database, number: int, name: str, sql: str) -> bool:
    """Run a migration unless another server has. A transaction that holds the lock of a table blocks every request for it."""
    for attempt in range(LOCK_ATTEMPTS):
        try:
            with _locked(db) as tx:
                if number in _applied(tx):
                    return False
                tx.without_statement_timeout()
                tx.limit_lock_waits(LOCK_SECONDS)
                if _CONCURRENTLY.search(sql):
                    db.build_indexes(tx, _statements(sql))
                else:
                    tx.script(_render(db, sql))
                _record(tx, number, name, sql)
                return True
        except LockTimeout:
            if attempt == LOCK_ATTEMPTS - 1:
                raise
            time.sleep(LOCK_SECONDS)
    return False


def build(db: Database, tx: Transaction, last: str) -> None:
    """Create the tables in an empty database as they were after this migration.

    The triggers of the journal are created at the end: each ALTER TABLE of SQLite reads all triggers, which takes longer than all else.
    """
    _create_own_tables(db, tx)
    declarations: dict[str, str] = {}
    for number, name, sql in _files(FOLDER):
        if name <= last:
            rest, taken = journal.take_declarations(sql)
            declarations |= taken
            tx.script(_render(db, rest))
            _record(tx, number, name, sql)
    tx.script(_render(db, "\n".join(declarations.values())))


def _record(tx: Transaction, number: int, name: str, sql: str) -> None:
    now = timestamps.now()
    tx.run("INSERT INTO migrations (number, name, applied_at) VALUES (:number, :name, :now)", number=number, name=name, now=now)
    needs = _NEEDS.search(sql)
    if needs:
        tx.run("INSERT INTO migration_needs (number, needs) VALUES (:number, :needs)", number=number, needs=int(needs[1]))


def _statements(sql: str) -> list[str]:
    """The statements of a migration that builds indexes, which has nothing else."""
    without_comments = re.sub(r"^--.*$", "", sql, flags=re.MULTILINE)
    return [statement.strip() for statement in without_comments.split(";") if statement.strip()]


def newest(tx: Transaction) -> str | None:
    """The newest migration that has run on this database; raises TooNew if this Kalends does not know it."""
    if not tx.has_table("migrations"):
        return None
    name: str | None = tx.value("SELECT name FROM migrations ORDER BY number DESC LIMIT 1")
    if name and name not in names():
        raise TooNew(_TOO_NEW)
    return name


def _create_own_tables(db: Database, tx: Transaction) -> None:
    # Where the locale of a machine is not set, PostgreSQL makes databases in SQL_ASCII, which do not know what a character is.
    if not tx.is_utf8():
        raise WrongEncoding(_WRONG_ENCODING)
    tx.script(Template(_CREATE_OWN_TABLES).substitute(db.types))


def names() -> list[str]:
    """Every migration, in order."""
    return [name for _, name, _ in _files(FOLDER)]


@cache
def tables() -> tuple[str, ...]:
    """Every table that a migration creates, each after those that it refers to; those dropped since are in older backups."""
    references: dict[str, set[str]] = {}
    for _, _, sql in _files(FOLDER):
        for table, definition in re.findall(r"^(?:CREATE|ALTER) TABLE (\w+)([^;]*)", sql, re.MULTILINE):
            references.setdefault(table, set()).update(set(re.findall(r"\bREFERENCES (\w+)", definition)) - {table})
    return tuple(TopologicalSorter(references).static_order())


def content_tables() -> list[str]:
    """The tables that a backup has."""
    return [table for table in tables() if table not in _NOT_IN_BACKUPS]


def check_migrated(db: Database) -> None:
    """Raise NotMigrated or TooNew if this Kalends cannot use the database."""
    with db.read() as tx:
        mismatch = find_mismatch(tx)
    if mismatch:
        raise (TooNew if mismatch == _TOO_NEW else NotMigrated)(mismatch)


def find_mismatch(tx: Transaction, folder: Traversable = FOLDER) -> str | None:
    """Why this Kalends cannot use the database, and what to do; None if it can."""
    if not tx.has_table("migrations") or (tx.value("SELECT max(number) FROM migrations") or 0) < latest(folder):
        return _NOT_MIGRATED
    return _TOO_NEW if _is_too_new(tx, folder) else None


def _is_too_new(tx: Transaction, folder: Traversable) -> bool:
    """Whether a migration that this Kalends does not know needs a newer one."""
    known = latest(folder)
    newer = {number for number in _applied(tx) if number > known}
    if newer and tx.has_table("migration_needs"):
        newer -= {number for (number,) in tx.rows("SELECT number FROM migration_needs WHERE needs <= :known", known=known)}
    return bool(newer)


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
    (see `journal`). `-- @only PostgreSQL: statement` runs the statement on that database alone.
    """
    sql = re.sub(r"^-- @only (\w+): (.*)$", lambda match: match[2] if match[1] == db.product else "", sql, flags=re.MULTILINE)
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
