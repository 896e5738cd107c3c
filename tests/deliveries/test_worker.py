"""The worker loses no messages when it is killed or the mail server fails."""

import asyncio
import email
import random
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from kalends.core.settings import Settings
from kalends.db import Database, open_database
from tests.deliveries.fast_worker import prepare_worker
from tests.deliveries.servers import real_server
from tests.serve.conftest import Start, database, start  # noqa: F401
from tests.serve.prepared import Forked
from tests.serve.running import TIMEOUT, Running, ask, bearer, environment, eventually

WORKERS = 2
REFUSED = "550 no such mailbox"


class UnreliableServer:
    """A mail server that accepts, defers, refuses, hangs, and disconnects after it has accepted a message."""

    def __init__(self) -> None:
        self.received: list[tuple[str, str]] = []
        self.unconfirmed = 0
        self._tried: Counter[str] = Counter()

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        address = envelope.rcpt_tos[0]
        number = int(address.partition("@")[0].removeprefix("guest"))
        self._tried[address] += 1
        mood = number % 10 if self._tried[address] == 1 else 9
        if number % 50 == 3:
            return REFUSED
        if mood == 0:
            return "451 come again"
        if mood == 1:
            self.unconfirmed += 1
            await asyncio.sleep(5)
        self.received.append((address, str(email.message_from_bytes(envelope.content)["Message-ID"])))
        if mood == 2:
            self.unconfirmed += 1
            server.transport.abort()
        return "250 taken"


@pytest.fixture
def unreliable_server() -> Iterator[tuple[UnreliableServer, int]]:
    with real_server(handler := UnreliableServer()) as port:
        yield handler, port


class Worker:
    """A worker process with short pauses and leases."""

    def __init__(self, folder: Path, **settings: object):
        self.lines: list[bytes] = []
        self._folder, self._environment = folder, environment(**settings)
        self.start()

    def start(self) -> None:
        self.process = Forked(prepare_worker, ["work"], self._folder, self._environment)
        self._reader = threading.Thread(target=self.lines.extend, args=[self.process.stderr])
        self._reader.start()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(TIMEOUT)
        self._reader.join(TIMEOUT)


def queue_messages(service: Running, token: str, number: int) -> None:
    event = service.post("/api/events", {"title": "Jazz", "start_time": "2027-05-11T20:00"}, headers=bearer(token)).json
    connection = service.connection()
    for guest in range(number):
        address = {"email": f"guest{guest}@example.org"}
        assert ask(connection, "PUT", f"/api/events/{event['id']}/send_to_me", address, bearer(token)).status == 202
    connection.close()


def delete_verification(db: Database) -> None:
    """Send no mail to the one who has signed up: the server knows guests alone."""
    with db.write() as tx:
        tx.run("DELETE FROM deliveries WHERE kind = 'verify'")


@pytest.mark.parametrize("database", ["postgres", pytest.param("sqlite", marks=pytest.mark.soak)], indirect=True)
@pytest.mark.parametrize(("messages", "kills"), [(30, 2), pytest.param(1_000, 20, marks=pytest.mark.soak)])
def test_killed_workers_and_an_unreliable_server_lose_no_messages(
    start: Start,  # noqa: F811
    database: str,  # noqa: F811
    tmp_path: Path,
    unreliable_server: tuple[UnreliableServer, int],
    messages: int,
    kills: int,
) -> None:
    server, port = unreliable_server
    service = start(database=database, rate_limits="off")
    queue_messages(service, service.sign_up("alice"), messages)
    settings = {"data": tmp_path / "data", "database": database, "email": f"smtp://127.0.0.1:{port}", "log_format": "json"}
    unknown = 0
    with closing(open_database(Settings(data=str(tmp_path / "data"), database=database))) as db:
        delete_verification(db)
        workers = [Worker(tmp_path, **settings) for _ in range(WORKERS)]

        def states() -> Counter[str]:
            with db.read() as tx:
                return Counter(dict(tx.rows("SELECT state, count(*) FROM deliveries GROUP BY state")))

        try:
            chance = random.Random(7)
            for kill in range(kills):
                count = len(server.received)
                eventually(lambda count=count: len(server.received) > count or not states()["queued"], within=60)  # type: ignore[misc]
                threading.Event().wait(chance.uniform(0, 0.3))
                unknown += states()["sending"]
                workers[kill % WORKERS].kill()
                workers[kill % WORKERS].start()
            eventually(lambda: states()["sent"] + states()["failed"] == messages, within=120)
        finally:
            for worker in workers:
                worker.kill()
        with db.read() as tx:
            ends = dict(tx.rows("SELECT address, state FROM deliveries"))
            errors = {error for (error,) in tx.rows("SELECT error FROM deliveries WHERE state = 'failed'")}
    refused = {f"guest{number}@example.org" for number in range(messages) if number % 50 == 3}
    assert {address for address, state in ends.items() if state == "failed"} == refused
    assert all("550" in error for error in errors), errors
    received = Counter(server.received)
    assert {address for address, _ in received} == set(ends) - refused
    assert len({message_id for _, message_id in received}) == len(received), "an address got two Message-IDs"
    duplicates = received.total() - len(received)
    assert duplicates <= unknown + server.unconfirmed, (duplicates, unknown, server.unconfirmed)
    log = b"".join(line for worker in workers for line in worker.lines)
    assert b"alice" not in log


def test_requests_do_not_wait_for_a_mail_server_that_hangs(start: Start) -> None:  # noqa: F811
    """It hangs until the test ends, and a request that waited for it would hang as well."""
    hangs = threading.Event()

    class Hanging:
        async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
            hangs.set()
            await asyncio.Event().wait()
            return "250 taken"

    with real_server(Hanging()) as port:
        service = start(work=True, rate_limits="off", email=f"smtp://127.0.0.1:{port}")
        headers = bearer(service.sign_up("alice"))
        event = service.post("/api/events", {"title": "Jazz", "start_time": "2027-05-11"}, headers=headers).json
        connection, path = service.connection(), f"/api/events/{event['id']}/send_to_me"
        for number in range(20):
            assert ask(connection, "PUT", path, {"email": "gus@example.org"}, headers).status == 202
            assert number or hangs.wait(TIMEOUT)
