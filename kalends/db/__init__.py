"""The database: SQLite inside by default, PostgreSQL for those who outgrow it."""

from contextlib import suppress
from pathlib import Path

from kalends.db.database import Database, Retry, TooSlowForEventLoop, Transaction, UniqueViolation, columns
from kalends.settings import Settings

__all__ = ["Database", "Retry", "TooSlowForEventLoop", "Transaction", "UniqueViolation", "columns", "open_database"]


def open_database(settings: Settings) -> Database:
    """The database that the settings name."""
    if settings.database:
        # psycopg takes a tenth of a second to import, and most installations do without it.
        from kalends.db.postgres.database import Postgres

        return Postgres(settings.database, read_ms=settings.read_timeout * 1000)
    from kalends.db.sqlite.database import Sqlite

    settings.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = settings.folder / "kalends.sqlite3"
    _close_to_others(path)
    return Sqlite(path, read_seconds=settings.read_timeout)


def _close_to_others(path: Path) -> None:
    """Let nobody else on this machine read the database, whatever the folder allows. SQLite gives its other files the same mode."""
    path.touch(mode=0o600)
    for file in path.parent.glob(f"{path.name}*"):
        # Another process may delete its log, and files of another owner are for doctor to find.
        with suppress(FileNotFoundError, PermissionError):
            if file.stat().st_mode & 0o077:
                file.chmod(0o600)
