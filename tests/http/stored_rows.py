"""A service on a database of its own, and what it has stored, before and after a request."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from msgspec import structs

from kalends.app.application import application
from kalends.core.settings import Settings
from kalends.db import Database, open_contents, open_database
from kalends.db.migrate import tables
from tests import migrated
from tests.cast import an_inhabitant
from tests.client import Client
from tests.conftest import POSTGRES_URL, Clock


@contextmanager
def fresh_service(settings: Settings, folder: Path, *, is_new: bool = False, **changes: Any) -> "Iterator[FreshService]":
    """A service on a database of its own, of the same kind, for the duration of the block; is_new: without any account."""
    with ExitStack() as stack:
        if not settings.database:
            migrated.put_sqlite(folder)
        folder.mkdir(exist_ok=True)
        url = stack.enter_context(migrated.postgres(os.environ[POSTGRES_URL])) if settings.database else ""
        changed = structs.replace(settings, data=str(folder), database=url, **changes)
        db = stack.enter_context(closing(open_database(changed)))
        if not is_new:
            an_inhabitant(db, changed)
        yield FreshService(db, changed)


class FreshService:
    """A service that shares its database with no other test, so that few rows have to be read."""

    def __init__(self, db: Database, settings: Settings):
        self.db = db
        self.settings = settings
        self.clock = Clock()
        self.guest = Client(application(db, settings, self.clock))

    def contents(self) -> dict[str, list[Any]]:
        """All rows of all tables."""
        with self.db.read() as tx:
            copy = open_contents(self.db, tx)
            return {table: [row for rows in copy.rows(table, columns) for row in rows] for table, columns in self._columns.items()}

    @cached_property
    def _columns(self) -> dict[str, list[str]]:
        """The columns of each table."""
        with self.db.read() as tx:
            copy = open_contents(self.db, tx)
            return {table: list(copy.columns(table)) for table in tables() if tx.has_table(table)}

    def queued(self, after: int = 0) -> list[tuple[str, str, str]]:
        """The kind, channel and address of each message after the one with this id, in the order in which they were queued."""
        with self.db.read() as tx:
            return tx.rows("SELECT kind, channel, address FROM deliveries WHERE id > :after ORDER BY id", after=after)
