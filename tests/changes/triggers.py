"""The database without one of its triggers, to see that tests notice."""

from collections.abc import Iterator
from contextlib import contextmanager

from kalends.db import Database
from kalends.db.postgres.database import Postgres


@contextmanager
def without_trigger(db: Database, table: str, trigger: str) -> Iterator[None]:
    """The other tests of the process use the same database."""
    with db.write() as tx:
        if isinstance(db, Postgres):
            restore = f"ALTER TABLE {table} ENABLE TRIGGER {trigger}"
            tx.script(f"ALTER TABLE {table} DISABLE TRIGGER {trigger}")
        else:
            restore = tx.value("SELECT sql FROM sqlite_master WHERE name = :name", name=trigger)
            tx.script(f"DROP TRIGGER {trigger}")
    try:
        yield
    finally:
        with db.write() as tx:
            tx.script(restore)
