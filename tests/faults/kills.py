"""kill -9 in the middle of writes, a restart, and a check of every acknowledged write."""

import os
import random
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from http.client import HTTPException
from math import inf
from pathlib import Path
from typing import Any

import psycopg

from tests.faults.guests import Guests, an_event
from tests.faults.row import Row, kind, spread
from tests.serve.running import Running, eventually

CLIENTS = 4
# A kill comes within this time after the first write.
SECONDS = 0.06
GOAL = "0 lost, 0 corrupt, ready in 1 s"
# The number of kills in one place alone.
ALONE = 20
# The service restarts its server process, unless that dies twice within seconds.
SERVERS = 1
# A check of the whole database takes longer as it grows.
THOROUGH = 100


def show(
    places: Sequence[tuple[Path, str]],
    kills: int,
    after: Callable[[], object] = lambda: None,
    seconds: float = inf,
    start: type[Running] = Running,
) -> Row:
    """Kill services in several places (folder and database) at once, this number of times in all, for at most this long.

    `after` is called after each kill. The first kills are in one place alone, since services that start together slow each other down.
    """
    lanes = [_Lane(folder, database, after, time.monotonic() + seconds, start) for folder, database in places]
    lanes[0].run(min(ALONE, kills), servers=0)
    alone = list(lanes[0].starts)
    shares = [(kills - min(ALONE, kills)) // len(lanes)] * len(lanes)
    shares[0] += kills - min(ALONE, kills) - sum(shares)
    with ThreadPoolExecutor(len(lanes)) as pool:
        runs = [pool.submit(lane.run, share) for lane, share in zip(lanes, shares, strict=True) if share]
    for run in runs:
        run.result()
    checker = [lane.checker for lane in lanes]
    lost, half, corrupt = (sum(getattr(each, name) for each in checker) for name in ("lost", "half", "corrupt"))
    figures = (
        f"{sum(lane.kills for lane in lanes):,} kills, {sum(lane.whole for lane in lanes):,} of the whole service and the rest of the "
        f"process that serves, {sum(len(each.acknowledged) for each in checker):,} writes acknowledged: {lost} lost, {half} half-written, "
        f"{corrupt} faults in the file; the whole service ready again: {spread(alone)}"
    )
    return Row("kill -9 amid writes", kind(places[0][1]), figures, GOAL, not (lost or half or corrupt), max(alone) < 1)


class _Lane:
    """A service that is started and killed, again and again, in one place."""

    def __init__(self, folder: Path, database: str, after: Callable[[], object], until: float, start: type[Running]):
        self._start = start
        self._folder = folder
        self._database = database
        self._after = after
        self._until = until
        self._chance = random.Random(11)
        self._event_id = 0
        self.kills = self.whole = 0
        self.checker = _Checker(folder, database)
        self.starts: list[float] = []

    def run(self, kills: int, servers: int = SERVERS) -> None:
        """Kill this number of times, start once more, and check everything.

        For each kill of the whole service, its server process is killed `servers` times.
        """
        goal = self.kills + kills
        while self.kills < goal and time.monotonic() < self._until:
            with self._started() as service:
                self.checker.check(thorough=self.kills % THOROUGH == 0)
                self._event_id = self._event_id or an_event(service, "ana")
                for _ in range(min(servers, goal - self.kills - 1)):
                    self._kill(service, service.servers)
                    eventually(lambda: _is_ready(service))
                    self.checker.check(thorough=False)
                self._kill(service, [service.process.pid, *service.servers])
                self.whole += 1
        with self._started():
            self.checker.check(thorough=True)

    def _kill(self, service: Running, processes: list[int]) -> None:
        """In the middle of writes."""
        with Guests(service, self._event_id, str(self.kills), CLIENTS) as guests:
            eventually(lambda: guests.acknowledged)
            time.sleep(self._chance.uniform(0, SECONDS))
            for pid in processes:
                os.kill(pid, signal.SIGKILL)
            guests.stop()
        self.checker.newest = guests.acknowledged
        self.kills += 1
        self._after()

    @contextmanager
    def _started(self) -> Iterator[Running]:
        """A service that is ready; the time is recorded if it starts after a kill."""
        began = time.monotonic()
        service = self._start(self._folder, "--no-work", database=self._database, rate_limits="off", access_log="off")
        try:
            service.ready()
            if self.whole:
                self.starts.append(time.monotonic() - began)
            yield service
        finally:
            service.stop()


class _Checker:
    """Compares the database with the acknowledged writes, beside the restarted service."""

    def __init__(self, folder: Path, database: str):
        self._folder = folder
        self._database = database
        self._last = {"comments": 0, "responses": 0}
        self.newest: set[str] = set()
        self.acknowledged: set[str] = set()
        self.lost = self.half = self.corrupt = 0

    @property
    def is_sound(self) -> bool:
        return not (self.lost or self.half or self.corrupt)

    def check(self, *, thorough: bool) -> None:
        """Compare the rows since the last check with the writes acknowledged since; if thorough, all of them."""
        self.acknowledged |= self.newest
        if thorough:
            self._last = dict.fromkeys(self._last, 0)
            self.corrupt += self._errors()
        comments, responses = self._since("comments"), self._since("responses")
        self.half += len(comments ^ responses)
        self.lost += len((self.acknowledged if thorough else self.newest) - responses)
        self.newest = set()

    def _since(self, table: str) -> set[str]:
        rows = self._rows(f"SELECT id, comment FROM {table} WHERE id > {self._last[table]}")
        self._last[table] = max((number for number, _ in rows), default=self._last[table])
        return {text for _, text in rows}

    def _errors(self) -> int:
        """The number of errors that the database finds in itself."""
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


def _is_ready(service: Running) -> bool:
    try:
        return service.get("/readyz").status == 200
    except (HTTPException, OSError):
        return False
