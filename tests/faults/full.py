"""A full disk: a small file system in memory, which only root may mount."""

import random
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from kalends.core.settings import Settings
from kalends.db import open_database
from tests.client import Reply
from tests.faults.postgres import Postgres
from tests.faults.row import Row, kind, spread
from tests.serve.running import Running, ask, bearer, eventually

MIB = 1024 * 1024
# Deleted to free space.
BALLAST = 3 * MIB
# The rest of the disk, where PostgreSQL puts its own tables, too.
REST, POSTGRES_REST = 8 * MIB, 24 * MIB
REJECTIONS = 20
MAX_WRITES = 10_000
GOAL = "reads work, writes 503, recovers without a restart, nothing half-written"


class CannotMount(Exception):
    """This user may not mount a file system."""


def show(folder: Path, postgres: Postgres | None, times: int, after: Callable[[], object] = lambda: None) -> Row:
    """Fill the disk of the data folder, or that of PostgreSQL's tables, this number of times."""
    with _disk(folder / "disk", times * BALLAST + (POSTGRES_REST if postgres else REST)) as disk:
        for number in range(times):
            (disk / f"ballast{number}").write_bytes(bytes(BALLAST))
        database = _in_tables(postgres, disk) if postgres else ""
        data = folder / "data" if postgres else disk / "data"
        service = Running(folder, "--no-work", data=data, database=database, rate_limits="off", access_log="off").ready()
        try:
            writer = _Writer(service)
            for number in range(times):
                writer.fill()
                writer.free(disk / f"ballast{number}")
                after()
            writer.compare(data, database)
        finally:
            service.stop()
        if postgres:
            postgres.execute(f"DROP DATABASE {urlsplit(database).path[1:]} WITH (FORCE)")
            postgres.execute("DROP TABLESPACE small")
    return Row("disk full", kind(database), writer.figures, GOAL, writer.is_sound)


@contextmanager
def _disk(folder: Path, size: int) -> Iterator[Path]:
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], capture_output=True, text=True)
    if mounted.returncode:
        raise CannotMount(mounted.stderr.strip())
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def _in_tables(postgres: Postgres, disk: Path) -> str:
    """A database whose tables are on this disk; the write-ahead log is not."""
    (disk / "tables").mkdir()
    if postgres.user:
        shutil.chown(disk / "tables", postgres.user)
    postgres.execute(f"CREATE TABLESPACE small LOCATION '{disk}/tables'")
    return postgres.new("TABLESPACE small")


class _Writer:
    """Writes large events until the disk is full, and records the outcomes."""

    def __init__(self, service: Running):
        self._connection = service.connection()
        self._bearer = bearer(service.sign_up("ana"))
        self._chance = random.Random(11)
        self._attempts = 0
        self._acknowledged: dict[str, int] = {}
        self._rejected: set[str] = set()
        self._wrong: list[int] = []
        self._reads = 0
        self._recovery_seconds: list[float] = []
        self._lost = self._half = self._complaints = 0

    def fill(self) -> None:
        """Write until REJECTIONS writes in a row fail: after a checkpoint of the log, some more fit."""
        in_a_row = 0
        for _ in range(MAX_WRITES):
            in_a_row = 0 if self._write().status == 201 else in_a_row + 1
            if in_a_row == REJECTIONS:
                break
        newest = list(self._acknowledged.values())[-20:]
        self._read("/readyz", "/api/calendars", "/api/events?limit=50", *(f"/api/events/{event_id}" for event_id in newest))

    def free(self, ballast: Path) -> None:
        """Free space, and wait until a write succeeds."""
        ballast.unlink()
        began = time.monotonic()
        eventually(lambda: self._write().status == 201)
        self._recovery_seconds.append(time.monotonic() - began)

    def _write(self) -> Reply:
        self._attempts += 1
        title = f"Gig {self._attempts}"
        # Random, so that it cannot be compressed.
        body = {"title": title, "start_time": "2026-06-01", "description": self._chance.randbytes(9_900).hex()}
        reply = ask(self._connection, "POST", "/api/events", body, self._bearer)
        if reply.status == 201:
            self._acknowledged[title] = reply.json["id"]
        elif reply.status == 503 and int(reply.headers["Retry-After"]) > 0:
            self._rejected.add(title)
        else:
            self._wrong.append(reply.status)
        return reply

    def _read(self, *paths: str) -> None:
        for path in paths:
            status = ask(self._connection, "GET", path, headers=self._bearer).status
            self._reads += 1
            if status != 200:
                self._wrong.append(status)

    def compare(self, data: Path, database: str) -> None:
        with closing(open_database(Settings(data=str(data), database=database))) as db, db.read() as tx:
            stored = {title for (title,) in tx.rows("SELECT title FROM events")}
            placed = tx.value("SELECT count(*) FROM placements")
            checks = [] if database else [*tx.rows("PRAGMA integrity_check"), *tx.rows("PRAGMA foreign_key_check")]
        self._lost = len(set(self._acknowledged) - stored)
        self._half = len(self._rejected & stored) + abs(placed - len(stored))
        self._complaints = len([row for row in checks if row != ("ok",)])

    @property
    def is_sound(self) -> bool:
        return bool(self._rejected) and not (self._wrong or self._lost or self._half or self._complaints)

    @property
    def figures(self) -> str:
        return (
            f"full {len(self._recovery_seconds)} times: {len(self._acknowledged):,} writes acknowledged, {self._lost} of them lost; "
            f"{len(self._rejected):,} rejected with 503 and Retry-After, {self._half} of them half-written; {self._reads} reads meanwhile; "
            f"{len(self._wrong)} other replies; {self._complaints} faults in the file; the first write after space was freed: "
            f"{spread(self._recovery_seconds)}"
        )
