"""The daily backup that a worker takes and verifies, and how many are kept (`KALENDS_BACKUP=daily:7`)."""

import re
import threading
from contextlib import suppress
from pathlib import Path

from kalends.core.errors import Unavailable
from kalends.core.log import get_logger
from kalends.core.settings import BACKUP, Settings
from kalends.core.values import timestamps
from kalends.db.backup.file import BackupError
from kalends.db.backup.take import take
from kalends.db.database import Database, Transaction

log = get_logger(__name__)

DAY, HOUR = 86_400, 3_600
INTERVAL_SECONDS = 60
_FILE = re.compile(r"kalends-\d{4}-\d{2}-\d{2}\.backup")


class _Stopped(Exception):
    """The worker stops: the backup is given up."""


class DailyBackup:
    """Takes the backup of each day in the folder `backups`, if no other worker has."""

    def __init__(self, db: Database, settings: Settings):
        self._db, self._settings = db, settings
        match = re.fullmatch(BACKUP, settings.backup)
        self._keep = int(match[1]) if match else 0

    def run(self, stopping: threading.Event) -> None:
        while self._keep and not stopping.is_set():
            self.take_if_due(timestamps.now(), stopping)
            stopping.wait(INTERVAL_SECONDS)

    def take_if_due(self, now: int, stopping: threading.Event) -> Path | None:
        """The file of the backup, if one was due and could be taken. One that fails is tried again after an hour."""
        try:
            with self._db.write() as tx:
                is_due = _claim(tx, now)
        except Unavailable:
            return None
        if not is_due:
            return None
        try:
            return self._take(now, stopping)
        except _Stopped:
            # Another worker takes it, or this one after its next start.
            self._record("UPDATE daily_backups SET began_at = 0")
        except Exception as error:
            log.error("backup_failed", exc_info=not isinstance(error, BackupError), reason=str(error))
            reason = str(error) if isinstance(error, BackupError) else "See the log of the worker."
            self._record("UPDATE daily_backups SET failed_at = :now, error = :reason", now=now, reason=reason)
        return None

    def _take(self, now: int, stopping: threading.Event) -> Path:
        folder = self._settings.folder / "backups"
        folder.mkdir(mode=0o700, exist_ok=True)
        path = folder / f"kalends-{timestamps.to_utc(now):%Y-%m-%d}.backup"

        def advance(_: int) -> None:
            if stopping.is_set():
                raise _Stopped

        take(self._db, self._settings, path, lambda words, rows: advance)
        with self._db.write() as tx:
            tx.run("UPDATE daily_backups SET failed_at = NULL, error = NULL")
        _prune(folder, self._keep)
        log.info("backup_taken", file=path.name, size=path.stat().st_size)
        return path

    def _record(self, sql: str, **params: int | str) -> None:
        """Record what became of a backup that was not taken, if the database can be written."""
        with suppress(Unavailable), self._db.write() as tx:
            tx.run(sql, **params)


def find_failure(tx: Transaction) -> tuple[int, str] | None:
    """When the last daily backup failed, and why; None if it did not."""
    rows = tx.rows("SELECT failed_at, error FROM daily_backups WHERE failed_at IS NOT NULL")
    return (rows[0][0], rows[0][1]) if rows else None


def _claim(tx: Transaction, now: int) -> bool:
    """Whether this worker takes the backup of the day: one statement, so that only one does."""
    rows = tx.rows(
        """INSERT INTO daily_backups (id, began_at) VALUES (1, :now)
           ON CONFLICT (id) DO UPDATE SET began_at = excluded.began_at
           WHERE daily_backups.began_at < :midnight OR daily_backups.failed_at <= :earlier AND daily_backups.began_at <= :earlier
           RETURNING began_at""",
        now=now,
        midnight=now - now % DAY,
        earlier=now - HOUR,
    )
    return bool(rows)


def _prune(folder: Path, keep: int) -> None:
    """Delete the oldest daily backups. Other files in the folder are not touched."""
    daily = sorted(file for file in folder.iterdir() if _FILE.fullmatch(file.name))
    for file in daily[:-keep]:
        file.unlink()
