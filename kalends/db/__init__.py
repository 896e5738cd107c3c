"""The database: SQLite by default, PostgreSQL where its address is set."""

from contextlib import suppress
from pathlib import Path

from kalends.core.settings import Settings
from kalends.db.database import Author, Database, Retry, Transaction, UniqueViolation, columns
from kalends.db.table_copy import TableCopy

__all__ = [
    "Author",
    "Database",
    "Retry",
    "TableCopy",
    "Transaction",
    "UniqueViolation",
    "columns",
    "open_contents",
    "open_database",
]


def open_database(settings: Settings) -> Database:
    """The database that the settings name."""
    if settings.database:
        # psycopg takes a tenth of a second to import, and most installations do without it.
        from kalends.db.postgres.database import Postgres

        return Postgres(
            settings.database,
            read_ms=settings.read_timeout * 1000,
            is_pooled=settings.pooler == "on",
            replicas=settings.replicas,
            max_lag=settings.replica_lag,
        )
    from kalends.db.sqlite.database import Sqlite

    settings.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = settings.folder / "kalends.sqlite3"
    _restrict_to_owner(path)
    return Sqlite(path, read_seconds=settings.read_timeout)


def open_contents(db: Database, tx: Transaction) -> TableCopy:
    """Every table of the database, to be copied within the transaction."""
    # Only backups need these, and SQLite does without psycopg.
    from kalends.db.sqlite.database import Sqlite
    from kalends.db.sqlite.table_copy import SqliteTableCopy

    if isinstance(db, Sqlite):
        return SqliteTableCopy(tx)
    from kalends.db.postgres.table_copy import PostgresTableCopy

    return PostgresTableCopy(tx)


def _restrict_to_owner(path: Path) -> None:
    """Let no other user of this machine read the database. SQLite creates its other files with the same mode."""
    path.touch(mode=0o600)
    for file in path.parent.glob(f"{path.name}*"):
        # Another process may delete its log, and `kalends doctor` reports files of another owner.
        with suppress(FileNotFoundError, PermissionError):
            if file.stat().st_mode & 0o077:
                file.chmod(0o600)
