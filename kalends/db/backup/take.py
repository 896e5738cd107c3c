"""Taking a backup: a snapshot of every table, read while others write, and restored as a test before the file appears."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from kalends.core import private_file, tokens
from kalends.core.errors import Unavailable
from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.core.version import __version__
from kalends.db import Database, TableCopy, Transaction, last_runs, open_contents, open_database
from kalends.db.backup.file import BackupError, Header, Table, write
from kalends.db.backup.restore import Step, restore
from kalends.db.migrate import content_tables, newest, restorable


def take(db: Database, settings: Settings, path: Path, step: Step) -> Header:
    """Back the database up into the file, which appears only if it can be restored."""
    try:
        # The name shows what a directory is that a crash left behind.
        with TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent, ignore_cleanup_errors=True) as folder:
            draft = Path(folder) / path.name
            header = _write(db, settings, draft, step)
            _test_restore(draft, Path(folder) / "trial", step)
            draft.replace(path)
        private_file.sync_folder(path.parent)
        _record(db)
    except OSError as error:
        raise BackupError(f"{path} cannot be written: {error.strerror}.") from None
    return header


def _record(db: Database) -> None:
    """Record for admins that there is a backup, if this database can be written and knows how."""
    with suppress(Unavailable), db.write() as tx:
        if tx.has_table("last_runs"):
            last_runs.record(tx, "backup", timestamps.now())


def _write(db: Database, settings: Settings, draft: Path, step: Step) -> Header:
    with private_file.create(draft) as file, db.read() as tx:
        tx.without_statement_timeout()
        copy = open_contents(db, tx)
        header = _header(tx, copy, settings)
        write(file, header, _batches(copy, header, step))
    return header


def _header(tx: Transaction, copy: TableCopy, settings: Settings) -> Header:
    migration = newest(tx)
    if migration is None:
        raise BackupError("There is nothing to back up: the database has no tables yet.")
    if migration < restorable()[0]:
        raise BackupError("The database is not migrated. Back it up with the Kalends that uses it, or run 'kalends migrate' first.")
    return Header(
        format="kalends backup 1",
        version=__version__,
        migration=migration,
        taken_at=timestamps.format_utc(timestamps.now()),
        secret=tokens.secret_fingerprint(settings),
        tables=[
            Table(name, list(copy.columns(name)), tx.value(f"SELECT count(*) FROM {name}"), copy.last_id(name))
            for name in content_tables()
            if tx.has_table(name)
        ],
    )


def _batches(copy: TableCopy, header: Header, step: Step) -> Iterator[list[tuple[Any, ...]]]:
    advance = step("Reading", header.rows)
    for table in header.tables:
        for rows in copy.rows(table.name, table.columns):
            yield rows
            advance(len(rows))


def _test_restore(draft: Path, folder: Path, step: Step) -> None:
    """Restore the draft into an empty database."""
    db = open_database(Settings(data=str(folder)))
    try:
        restore(db, draft, lambda words, rows: step(f"{words} on trial", rows))
    except Unavailable as error:
        raise BackupError(f"The backup could not be tested: {error.__cause__ or error.detail}.") from error
    finally:
        db.close()
