"""Several processes at once: `kalends work` twice, and `kalends serve` with two server processes."""

import json
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

from kalends.core.settings import Settings
from kalends.db import Database, open_database
from tests.contacts.providers.stand import Request
from tests.serve.conftest import Start, database, start  # noqa: F401
from tests.serve.prepared import Forked
from tests.serve.running import TIMEOUT, Running, bearer, environment, eventually
from tests.sources.server import Elsewhere, a_feed, events_of_feed

HOSTS = ("127.0.0.1", "localhost")
ADDRESSES_OF_HOST = 4
# How long the server takes for a reply, so that two that ask at once meet.
REPLY_SECONDS = 0.2
MOST_ROUNDS = 5


class Counting:
    """What a server says, and how often it is asked: in all for each address, and at the same time for each host."""

    def __init__(self) -> None:
        self.asked = Counter[str]()
        self.at_once: dict[str, int] = dict.fromkeys((*HOSTS, "all"), 0)
        self._now = Counter[str]()
        self._lock = threading.Lock()

    def __call__(self, request: Request) -> None:
        host = next(host for host in HOSTS if f"Host: {host}" in request.head)
        with self._lock:
            self.asked[f"{host}{request.target}"] += 1
            for name in (host, "all"):
                self._now[name] += 1
                self.at_once[name] = max(self.at_once[name], self._now[name])
        threading.Event().wait(REPLY_SECONDS)
        with self._lock:
            self._now -= Counter((host, "all"))
        request.reply(200, a_feed(*events_of_feed(2)), Content_Type="text/calendar")


class Worker:
    """A process of `kalends work`."""

    def __init__(self, folder: Path, **settings: object):
        self.runs = 0
        self._process = Forked(_as_it_is, ["work"], folder, environment(**settings, log_format="json"))
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        for line in self._process.stderr:
            self.runs += json.loads(line)["event"] == "source_run"

    def stop(self) -> None:
        self._process.send_signal(15)
        self._process.wait(TIMEOUT)
        self._reader.join(TIMEOUT)


def _as_it_is() -> None:
    """Change nothing in the process."""


def _follow(service: Running, url: str, token: str) -> dict[str, Any]:
    reply = service.post("/api/sources", {"url": url}, headers=bearer(token))
    assert reply.status == 201, reply
    source: dict[str, Any] = reply.json
    return source


def _make_due(db: Database) -> None:
    with db.write() as tx:
        tx.run("UPDATE sources SET next_at = 0, checked_at = 0, etag = '', digest = ''")


def _count_due(db: Database) -> int:
    with db.read() as tx:
        return int(tx.value("SELECT count(*) FROM sources WHERE next_at = 0"))


def test_two_workers_fetch_each_source_once_and_one_of_each_host_at_a_time(
    start: Start,  # noqa: F811
    database: str,  # noqa: F811
    tmp_path: Path,
) -> None:
    service = start(database=database, rate_limits="off", sources="any")
    token = service.sign_up("alice")
    settings = {"data": tmp_path / "data", "database": database, "sources": "any"}
    with Elsewhere(a_feed(*events_of_feed(2))) as elsewhere, closing(_open(settings)) as db:
        for host in HOSTS:
            for number in range(ADDRESSES_OF_HOST):
                _follow(service, f"{elsewhere.url.replace('127.0.0.1', host)}?{number}", token)
        workers = [Worker(tmp_path, **settings) for _ in range(2)]
        try:
            for round_ in range(1, MOST_ROUNDS + 1):
                elsewhere.behaviour = counting = Counting()
                _make_due(db)
                eventually(lambda: not _count_due(db))
                assert set(counting.asked.values()) == {1}, counting.asked
                assert len(counting.asked) == len(HOSTS) * ADDRESSES_OF_HOST
                assert counting.at_once == {**dict.fromkeys(HOSTS, 1), "all": len(HOSTS)}
                eventually(lambda round_=round_: sum(each.runs for each in workers) == round_ * len(HOSTS) * ADDRESSES_OF_HOST)  # type: ignore[misc]
                if all(each.runs for each in workers):
                    break
            assert all(each.runs for each in workers), "one of them did nothing"
        finally:
            for worker in workers:
                worker.stop()


def test_two_server_processes_and_a_worker_fetch_a_source_once(
    start: Start,  # noqa: F811
    database: str,  # noqa: F811
    tmp_path: Path,
) -> None:
    service = start("--workers", "2", database=database, rate_limits="off", sources="any")
    token = service.sign_up("alice")
    settings = {"data": tmp_path / "data", "database": database, "sources": "any"}
    with Elsewhere(a_feed(*events_of_feed(2))) as elsewhere, closing(_open(settings)) as db, ThreadPoolExecutor(8) as threads:
        source = _follow(service, elsewhere.url, token)
        worker = Worker(tmp_path, **settings)
        try:
            elsewhere.behaviour = counting = Counting()
            _make_due(db)
            path = f"/api/sources/{source['id']}/runs"
            replies = list(threads.map(lambda _: service.post(path, {}, headers=bearer(token)).status, range(8)))
            eventually(lambda: not _count_due(db))
        finally:
            worker.stop()
    assert counting.asked.total() == 1
    assert Counter(replies)[201] == 1 - bool(worker.runs), replies
    # As many uploads and fetches at once as one process takes; the others come later.
    assert set(replies) <= {201, 429, 503}, replies


def _open(settings: dict[str, Any]) -> Database:
    return open_database(Settings(data=str(settings["data"]), database=settings["database"]))
