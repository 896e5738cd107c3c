"""Taking a backup: one snapshot of every table, read while others write, and restored on trial before it gets its name."""

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from kalends import __version__, tokens
from kalends.backup.file import Header, Table, Unusable, write
from kalends.backup.restore import Step, restore
from kalends.db import Database, Transaction, open_database
from kalends.db.contents import Contents
from kalends.db.migrate import newest, tables
from kalends.errors import Unavailable
from kalends.settings import Settings
from kalends.values import timestamps


def take(db: Database, settings: Settings, path: Path, step: Step) -> Header:
    """Back the database up into the file, which appears once it was tried, or not at all."""
    try:
        # Named, so that whoever finds it after a crash knows what it was.
        with TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent, ignore_cleanup_errors=True) as aside:
            draft = Path(aside) / path.name
            header = _write(db, settings, draft, step)
            _try(draft, Path(aside) / "trial", step)
            draft.replace(path)
        _sync(path.parent)
    except OSError as error:
        raise Unusable(f"{path} cannot be written: {error.strerror}.") from None
    return header


def _write(db: Database, settings: Settings, draft: Path, step: Step) -> Header:
    with os.fdopen(os.open(draft, os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o600), "wb") as file:
        with db.read() as tx:
            tx.without_statement_timeout()
            header = _header(tx, tx.contents(), settings)
            write(file, header, _runs(tx.contents(), header, step))
        file.flush()
        os.fsync(file.fileno())
    return header


def _header(tx: Transaction, contents: Contents, settings: Settings) -> Header:
    migration = newest(tx)
    if migration is None:
        raise Unusable("There is nothing to back up: the database has no tables yet.")
    return Header(
        format="kalends backup 1",
        version=__version__,
        migration=migration,
        taken_at=timestamps.format_utc(timestamps.now()),
        secret=tokens.secret_fingerprint(settings),
        tables=[
            Table(name, list(contents.columns(name)), tx.value(f"SELECT count(*) FROM {name}"), contents.last_id(name))
            for name in tables()
            if tx.has_table(name)
        ],
    )


def _runs(contents: Contents, header: Header, step: Step) -> Iterator[list[tuple[Any, ...]]]:
    advance = step("Reading", header.rows)
    for table in header.tables:
        for rows in contents.rows(table.name, table.columns):
            yield rows
            advance(len(rows))


def _try(draft: Path, folder: Path, step: Step) -> None:
    """Restore it into a database of its own, as anybody would."""
    db = open_database(Settings(data=str(folder)))
    try:
        restore(db, draft, lambda words, rows: step(f"{words} on trial", rows))
    except Unavailable as away:
        raise Unusable(f"The backup could not be tried: {away.__cause__ or away.detail}.") from away
    finally:
        db.close()


def _sync(folder: Path) -> None:
    """Let the name last, too."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
