"""kill -9 in the middle of writes, a new start, and a look at every write that was acknowledged."""

import os
import random
import signal
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import psycopg

from tests.faults.guests import Guests, an_event
from tests.faults.row import Row, kind, percentile, spread
from tests.serve.running import Running, eventually

CLIENTS = 4
# A kill comes somewhere within this long of the first write.
SECONDS = 0.06
GOAL = "0 lost, 0 corrupt, ready in 1 s"
# A look through the whole database takes longer as it grows.
THOROUGH = 100


def show(folder: Path, database: str, kills: int, after: Callable[[], object] = lambda: None) -> Row:
    """Kill the service so often; `after` is called after each time."""
    chance = random.Random(11)
    seen = _Seen(folder, database)
    starts: list[float] = []
    event_id = 0
    for kill in range(kills + 1):
        service, seconds = _started(folder, database)
        starts.append(seconds)
        event_id = event_id or an_event(service, "ana")
        seen.look(thorough=kill % THOROUGH == 0 or kill == kills)
        if kill < kills:
            with Guests(service, event_id, str(kill), CLIENTS) as guests:
                eventually(lambda: guests.acknowledged)
                time.sleep(chance.uniform(0, SECONDS))
                _kill(service)
                guests.stop()
            seen.newest = guests.acknowledged
            after()
        service.stop()
    figures = (
        f"{kills:,} kills, {len(seen.acknowledged):,} writes acknowledged: {seen.lost} lost, {seen.half} half-written, "
        f"{seen.corrupt} faults in the file; ready again: {spread(starts[1:])}, 99 % in {percentile(starts[1:], 0.99):.2f} s"
    )
    return Row("kill -9 amid writes", kind(database), figures, GOAL, seen.is_well, percentile(starts[1:], 0.99) < 1)


class _Seen:
    """What a reader finds beside the service that was started again: it has recovered by itself."""

    def __init__(self, folder: Path, database: str):
        self._folder = folder
        self._database = database
        self._last = {"comments": 0, "responses": 0}
        self.newest: set[str] = set()
        self.acknowledged: set[str] = set()
        self.lost = self.half = self.corrupt = 0

    @property
    def is_well(self) -> bool:
        return not (self.lost or self.half or self.corrupt)

    def look(self, *, thorough: bool) -> None:
        """Compare what came since the last look with what was acknowledged since; thoroughly, everything."""
        self.acknowledged |= self.newest
        if thorough:
            self._last = dict.fromkeys(self._last, 0)
            self.corrupt += self._complaints()
        comments, responses = self._since("comments"), self._since("responses")
        self.half += len(comments ^ responses)
        self.lost += len((self.acknowledged if thorough else self.newest) - responses)
        self.newest = set()

    def _since(self, table: str) -> set[str]:
        found = self._rows(f"SELECT id, comment FROM {table} WHERE id > {self._last[table]}")
        self._last[table] = max((number for number, _ in found), default=self._last[table])
        return {text for _, text in found}

    def _complaints(self) -> int:
        """How many the database has about itself."""
        if self._database:
            return len(self._rows("SELECT indexrelid FROM pg_index WHERE NOT indisvalid"))
        broken = [row for row in self._rows("PRAGMA integrity_check") if row != ("ok",)]
        return len(broken) + len(self._rows("PRAGMA foreign_key_check"))

    def _rows(self, sql: str) -> list[tuple[Any, ...]]:
        if self._database:
            with psycopg.connect(self._database) as postgres:
                return postgres.execute(sql.encode()).fetchall()
        with closing(sqlite3.connect(f"file:{self._folder}/data/kalends.sqlite3?mode=ro", uri=True)) as sqlite:
            return sqlite.execute(sql).fetchall()


def _started(folder: Path, database: str) -> tuple[Running, float]:
    """A service, and how long it took from its start until it answered that it is ready."""
    began = time.monotonic()
    service = Running(folder, "--no-work", database=database, rate_limits="off", access_log="off").ready()
    return service, time.monotonic() - began


def _kill(service: Running) -> None:
    parent = service.process.pid
    for pid in (parent, *(int(child) for child in Path(f"/proc/{parent}/task/{parent}/children").read_text().split())):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
