"""Restoring a backup into either database: all of it, in one transaction, or nothing."""

from base64 import b64decode
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kalends.db import Database, TableCopy, Transaction, open_contents
from kalends.db.backup.file import BackupError, Header, Reader, Table
from kalends.db.migrate import LAST_WITH_OLD_MIGRATIONS, OWN_TABLES, build, content_tables, migrate, newest, restorable, tables
from kalends.db.table_copy import IntegrityError

# Begins a step of a job with this number of rows; returns the function that reports how many more are done.
Step = Callable[[str, int], Callable[[int], None]]


def restore(db: Database, path: Path, step: Step, *, force: bool = False) -> Header:
    """Restore the file into the database, which must be empty or is replaced by force, and migrate it to the newest schema."""
    try:
        with path.open("rb") as file:
            header = _check(Reader(file, str(path)), step)
            if db.is_in_use():
                raise BackupError("Another process uses this database. Stop the service first.")
            with db.write(alone=True) as tx:
                tx.advisory_lock("migrations")
                tx.without_statement_timeout()
                _clear(db, tx, force)
                load(db, tx, Reader(file, str(path)), step("Restoring", header.rows))
    except OSError as error:
        raise BackupError(f"{path} cannot be read: {error.strerror}.") from None
    migrate(db)
    return header


def _check(reader: Reader, step: Step) -> Header:
    """Read the whole file before the database is changed."""
    version, migration = reader.header.version, reader.header.migration
    if migration < restorable()[0]:
        raise BackupError(
            f"The backup is older than migration {restorable()[0][:4]}. Restore it with the commit {LAST_WITH_OLD_MIGRATIONS} of Kalends, "
            "and then start this version."
        )
    if migration not in restorable():
        raise BackupError(f"The backup was made by Kalends {version}, which is newer. Install that version, then restore it.")
    advance = step("Checking", reader.header.rows)
    for _, rows in reader.batches():
        advance(len(rows))
    return reader.header


def _clear(db: Database, tx: Transaction, force: bool) -> None:
    newest(tx)
    existing = [table for table in tables() if tx.has_table(table)]
    if not force and any(tx.rows(f"SELECT 1 FROM {table} LIMIT 1") for table in existing if table in content_tables()):
        raise BackupError("The database is not empty. Restore into an empty one, or replace all that this one holds with --force.")
    if tx.has_table("migrations"):
        open_contents(db, tx).drop([*(table for table in OWN_TABLES if tx.has_table(table)), *existing])


def load(db: Database, tx: Transaction, reader: Reader, advance: Callable[[int], None]) -> None:
    """Create the tables as they were when the backup was taken, and fill them."""
    header, copy = reader.header, open_contents(db, tx)
    build(db, tx, header.migration)
    bytes_columns = {table.name: _bytes_columns(copy, table) for table in header.tables}
    try:
        with copy.triggers_disabled([table.name for table in header.tables]):
            for table, rows in reader.batches():
                copy.insert(table.name, table.columns, _decode_bytes(rows, bytes_columns[table.name]))
                advance(len(rows))
        _verify(tx, copy, header)
    except IntegrityError as error:
        raise BackupError(f"The backup is inconsistent and was not restored: {error}.") from error


def _bytes_columns(copy: TableCopy, table: Table) -> list[int]:
    """The positions of the columns that hold bytes. Names in the file are trusted only if this Kalends created them."""
    columns = copy.columns(table.name) if table.name in content_tables() else {}
    if not columns or set(columns) != set(table.columns):
        raise BackupError(f"The backup does not fit: the table {table.name} has other columns.")
    return [position for position, name in enumerate(table.columns) if columns[name]]


def _decode_bytes(rows: list[list[Any]], positions: list[int]) -> list[list[Any]]:
    try:
        for position in positions:
            for row in rows:
                row[position] = None if row[position] is None else b64decode(row[position])
    except (IndexError, TypeError, ValueError):
        raise IntegrityError("a row has no valid base64 in a column of bytes") from None
    return rows


def _verify(tx: Transaction, copy: TableCopy, header: Header) -> None:
    for table in header.tables:
        if table.last_id:
            copy.set_sequence(table.name, table.last_id)
        if tx.value(f"SELECT count(*) FROM {table.name}") != table.rows:
            raise IntegrityError(f"{table.name} does not have {table.rows:,} rows")
    copy.verify([table.name for table in header.tables])
