"""What a service has stored, before and after a request."""

from typing import Any

from kalends.app import application
from kalends.db import Database, open_contents
from kalends.db.migrate import tables
from kalends.settings import Settings
from tests.client import Client
from tests.conftest import Clock


class FreshService:
    """A service that shares its database with no other test, so that few rows have to be read."""

    def __init__(self, db: Database, settings: Settings):
        self.db = db
        self.settings = settings
        self.guest = Client(application(db, settings, Clock()))

    def contents(self) -> dict[str, list[Any]]:
        """All rows of all tables."""
        with self.db.read() as tx:
            copy = open_contents(self.db, tx)
            existing = [table for table in tables() if tx.has_table(table)]
            return {table: [row for rows in copy.rows(table, list(copy.columns(table))) for row in rows] for table in existing}

    def queued(self) -> list[tuple[str, str, str]]:
        """The kind, channel and address of each message, in the order in which they were queued."""
        with self.db.read() as tx:
            return tx.rows("SELECT kind, channel, address FROM deliveries ORDER BY id")
