"""The database: SQLite inside by default, PostgreSQL for those who outgrow it."""

from kalends.db.database import Database, Retry, Slow, Taken, Transaction, columns
from kalends.settings import Settings

__all__ = ["Database", "Retry", "Slow", "Taken", "Transaction", "columns", "open_database"]


def open_database(settings: Settings) -> Database:
    """The database that the settings name."""
    if settings.database:
        # psycopg takes a tenth of a second to import, and most installations do without it.
        from kalends.db.postgres import Postgres

        return Postgres(settings.database, read_ms=settings.read_timeout * 1000)
    from kalends.db.sqlite import Sqlite

    settings.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return Sqlite(settings.folder / "kalends.sqlite3", read_seconds=settings.read_timeout)
