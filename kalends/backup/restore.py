"""Restoring a backup into either database: all of it, in one transaction, or nothing."""

from base64 import b64decode
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kalends.backup.file import Header, Reader, Table, Unusable
from kalends.db import Database, Transaction
from kalends.db.contents import Contents, Unfit
from kalends.db.migrate import build, migrate, names, newest, tables

# Told what is done next, and of how many rows; answers what wants to be told how many more are done.
Step = Callable[[str, int], Callable[[int], None]]


def restore(db: Database, path: Path, step: Step, *, force: bool = False) -> Header:
    """Put what the file holds into the database, in place of all that it held if that is forced, and bring it up to date."""
    try:
        with path.open("rb") as file:
            header = _checked(Reader(file, str(path)), step)
            if db.is_in_use():
                raise Unusable("Another process works on this database. Stop the service first.")
            with db.write(alone=True) as tx:
                tx.advisory_lock("migrations")
                tx.without_statement_timeout()
                _clear(tx, force)
                load(db, tx, Reader(file, str(path)), step("Restoring", header.rows))
    except OSError as error:
        raise Unusable(f"{path} cannot be read: {error.strerror}.") from None
    migrate(db)
    return header


def _checked(reader: Reader, step: Step) -> Header:
    """Read all of the file, before anything is touched."""
    if reader.header.migration not in names():
        raise Unusable(f"The backup was made by Kalends {reader.header.version}, which is newer. Install that version, then restore it.")
    advance = step("Checking", reader.header.rows)
    for _, rows in reader.runs():
        advance(len(rows))
    return reader.header


def _clear(tx: Transaction, force: bool) -> None:
    newest(tx)
    held = [table for table in tables() if tx.has_table(table)]
    if not force and any(tx.rows(f"SELECT 1 FROM {table} LIMIT 1") for table in held):
        raise Unusable("The database is not empty. Restore into an empty one, or replace all that this one holds with --force.")
    if tx.has_table("migrations"):
        tx.contents().drop(["migrations", *held])


def load(db: Database, tx: Transaction, reader: Reader, advance: Callable[[int], None]) -> None:
    """Make the tables as they were, and fill them."""
    header, contents = reader.header, tx.contents()
    build(db, tx, header.migration)
    bytes_at = {table.name: _bytes_at(contents, table) for table in header.tables}
    listed = [table.name for table in header.tables]
    try:
        with contents.at_rest(listed):
            for table, rows in reader.runs():
                contents.insert(table.name, table.columns, _decoded(rows, bytes_at[table.name]))
                advance(len(rows))
        _settle(tx, contents, header)
    except Unfit as unfit:
        raise Unusable(f"The backup does not hold together, and was not restored: {unfit}.") from unfit


def _bytes_at(contents: Contents, table: Table) -> list[int]:
    """Which columns hold bytes. Every name comes from the tables that were made here, whatever the file says."""
    columns = contents.columns(table.name) if table.name in tables() else {}
    if not columns or set(columns) != set(table.columns):
        raise Unusable(f"The backup does not fit: the table {table.name} has other columns.")
    return [at for at, name in enumerate(table.columns) if columns[name]]


def _decoded(rows: list[list[Any]], bytes_at: list[int]) -> list[list[Any]]:
    try:
        for at in bytes_at:
            for row in rows:
                row[at] = None if row[at] is None else b64decode(row[at])
    except (IndexError, TypeError, ValueError):
        raise Unfit("there is a row with no bytes where some should be") from None
    return rows


def _settle(tx: Transaction, contents: Contents, header: Header) -> None:
    for table in header.tables:
        if table.last_id:
            contents.go_on_after(table.name, table.last_id)
        if tx.value(f"SELECT count(*) FROM {table.name}") != table.rows:
            raise Unfit(f"{table.name} has not as many rows as it should")
    contents.settle([table.name for table in header.tables])
