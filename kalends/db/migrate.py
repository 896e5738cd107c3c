"""The schema, and migrations: numbered SQL files, each of which runs once, under a lock, in its own transaction.

An empty database gets the whole schema in one step. It includes the migrations up to a number, which bring older databases to the same;
later ones run on all.

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

from msgspec import Struct

from kalends.core.values import timestamps
from kalends.db.database import Database, LockTimeout, Transaction
from kalends.db.render import render


class Source(Struct, frozen=True):
    """The SQL of a schema."""

    migrations: Traversable
    # The tables as they are after the migration of this number. Without it, an empty database runs every migration.
    schema: Traversable | None = None
    schema_number: int = 0

    def files(self) -> list[tuple[int, str, str]]:
        """The number, name and SQL of each migration, in order."""
        return [(int(name[:4]), name, sql) for name, sql in _sql_files(self.migrations)]

    def later(self) -> list[tuple[int, str, str]]:
        """The migrations that are not in the schema."""
        return [file for file in self.files() if file[0] > self.schema_number]

    def texts(self) -> list[str]:
        """The SQL that an empty database runs."""
        tables = _sql_files(self.schema) if self.schema else []
        return [sql for _, sql in tables] + [sql for _, _, sql in self.later()]

    def latest(self) -> int:
        """The number of the newest migration."""
        return self.files()[-1][0]

    def is_too_old(self, applied: set[int]) -> bool:
        """Whether migrations that the database needs are no longer there."""
        return bool(applied) and max(applied) < self.files()[0][0] - 1


KALENDS = Source(files("kalends.db") / "migrations", files("kalends.db") / "schema", schema_number=104)
# The last commit that has the migrations up to 0078, and restores backups of older schemas than KALENDS.schema.
LAST_WITH_OLD_MIGRATIONS = "a8a0bd86"

# Cursors of followers end with a restore, so what they read is not restored. The secret belongs to the servers, not to the content.
_NOT_IN_BACKUPS = ("journal", "sync_entries", "change_author", "synced_events", "secret_fingerprints", "last_runs", "daily_backups")
# The tables of migrations, which are not in the schema.
OWN_TABLES = ("migrations", "migration_needs")
_CREATE_OWN_TABLES = """
    CREATE TABLE IF NOT EXISTS migrations (number $int PRIMARY KEY, name TEXT NOT NULL, applied_at $int NOT NULL $end;
    CREATE TABLE IF NOT EXISTS migration_needs (number $int PRIMARY KEY, needs $int NOT NULL $end;
"""
_NOT_MIGRATED = "The database is not migrated. Run 'kalends migrate'."
_WRONG_ENCODING = "The encoding of the database is not UTF8. Make another one: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0."
_TOO_OLD = (
    f"The database is older than migration 0078. Run 'kalends migrate' of the commit {LAST_WITH_OLD_MIGRATIONS} of Kalends, "
    "and then start this version again."
)
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


class TooOld(Exception):
    """The database needs migrations that this Kalends no longer has."""


class NotMigrated(Exception):
    """Migrations have not run yet."""


class WrongEncoding(Exception):
    """The database stores text in another encoding than UTF-8."""


def migrate(db: Database, source: Source = KALENDS) -> list[str]:
    """Create the schema in an empty database, run the migrations that have not run yet, and return the names of what ran."""
    with _locked(db) as tx:
        _create_own_tables(db, tx)
        applied = _applied(tx)
        if _is_too_new(tx, source):
            raise TooNew(_TOO_NEW)
        if source.is_too_old(applied):
            raise TooOld(_TOO_OLD)
        is_new = not applied and source.schema is not None
        if is_new:
            tx.without_statement_timeout()
            _create_schema(db, tx, source)
    pending = source.later() if is_new else [file for file in source.files() if file[0] > max(applied, default=0)]
    return ["schema"] * is_new + [name for number, name, sql in pending if _run_once(db, number, name, sql)]


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
                    tx.script(render(db, sql))
                _record(tx, number, name, sql)
                return True
        except LockTimeout:
            if attempt == LOCK_ATTEMPTS - 1:
                raise
            time.sleep(LOCK_SECONDS)
    return False


def build(db: Database, tx: Transaction, last: str) -> None:
    """Create the tables in an empty database as they were after this migration, one of `restorable`."""
    _create_own_tables(db, tx)
    _create_schema(db, tx, KALENDS)
    for number, name, sql in KALENDS.later():
        if name <= last:
            tx.script(render(db, sql))
            _record(tx, number, name, sql)


def _create_schema(db: Database, tx: Transaction, source: Source) -> None:
    """Create the tables, and record the last migration that they include."""
    assert source.schema
    tx.script(render(db, "\n".join(sql for _, sql in _sql_files(source.schema))))
    for number, name, sql in source.files():
        if number == source.schema_number:
            _record(tx, number, name, sql)


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
    if name and name > restorable()[-1]:
        raise TooNew(_TOO_NEW)
    return name


def _create_own_tables(db: Database, tx: Transaction) -> None:
    # Where the locale of a machine is not set, PostgreSQL makes databases in SQL_ASCII, which do not know what a character is.
    if not tx.is_utf8():
        raise WrongEncoding(_WRONG_ENCODING)
    tx.script(Template(_CREATE_OWN_TABLES).substitute(db.types))


def restorable() -> list[str]:
    """The migrations after which a backup may have been taken that this Kalends restores, in order."""
    return [name for number, name, _ in KALENDS.files() if number >= KALENDS.schema_number]


@cache
def tables() -> tuple[str, ...]:
    """Every table, each after those that it refers to; those dropped since are in older backups."""
    references: dict[str, set[str]] = {}
    for sql in KALENDS.texts():
        for table, definition in re.findall(r"^(?:CREATE|ALTER) TABLE (\w+)([^;]*)", re.sub(r"--.*", "", sql), re.MULTILINE):
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


def find_mismatch(tx: Transaction, source: Source = KALENDS) -> str | None:
    """Why this Kalends cannot use the database, and what to do; None if it can."""
    applied = _applied(tx) if tx.has_table("migrations") else set()
    if source.is_too_old(applied):
        return _TOO_OLD
    if max(applied, default=0) < source.latest():
        return _NOT_MIGRATED
    return _TOO_NEW if _is_too_new(tx, source) else None


def _is_too_new(tx: Transaction, source: Source) -> bool:
    """Whether a migration that this Kalends does not know needs a newer one."""
    known = source.latest()
    newer = {number for number in _applied(tx) if number > known}
    if newer and tx.has_table("migration_needs"):
        newer -= {number for (number,) in tx.rows("SELECT number FROM migration_needs WHERE needs <= :known", known=known)}
    return bool(newer)


def _applied(tx: Transaction) -> set[int]:
    return {number for (number,) in tx.rows("SELECT number FROM migrations")}


def _sql_files(folder: Traversable) -> list[tuple[str, str]]:
    """The names and contents of the SQL files of a folder, in order."""
    named = sorted((file.name, file) for file in folder.iterdir() if file.name.endswith(".sql"))
    return [(name.removesuffix(".sql"), file.read_text(encoding="utf-8")) for name, file in named]
