"""Messages through a mail server that hangs, rejects and drops connections, sent by workers that are killed."""

import random
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from kalends.core.settings import Settings
from kalends.db import Database, open_database
from tests.deliveries.servers import real_server
from tests.deliveries.test_worker import WORKERS, UnreliableServer, Worker, delete_verification, queue_messages
from tests.faults.row import Row, kind
from tests.serve.running import Running, eventually

GOAL = "0 lost; duplicates only where the outcome was unknown, with the same Message-ID"


def show(folder: Path, database: str, messages: int, kills: int, after: Callable[[], object] = lambda: None) -> Row:
    """Send this number of messages and kill a worker this number of times; `after` is called after each."""
    service = Running(folder, "--no-work", database=database, rate_limits="off", access_log="off").ready()
    try:
        queue_messages(service, service.sign_up("alice"), messages)
    finally:
        service.stop()
    settings = Settings(data=str(folder / "data"), database=database)
    unreliable_server = UnreliableServer()
    with real_server(unreliable_server) as port, closing(open_database(settings)) as db:
        delete_verification(db)
        unknown = _send(folder, db, settings, unreliable_server, port, messages, kills, after)
        with db.read() as tx:
            ends = dict(tx.rows("SELECT address, state FROM deliveries"))
    rejected = {f"guest{number}@example.org" for number in range(messages) if number % 50 == 3}
    received = Counter(unreliable_server.received)
    lost = len(set(ends) - rejected - {address for address, _ in received})
    wrong = len({address for address, state in ends.items() if state == "failed"} ^ rejected)
    duplicates = received.total() - len(received)
    twice_named = len(received) - len({address for address, _ in received})
    figures = (
        f"{messages:,} messages, {kills} workers killed, {unreliable_server.unconfirmed} hangs and drops after DATA: {lost} lost, "
        f"{len(rejected)} permanently rejected and marked as failed, {duplicates} sent twice, "
        f"where {unknown + unreliable_server.unconfirmed:,} were being sent "
        f"when a worker was killed or got no reply, {twice_named} under another Message-ID"
    )
    is_sound = not (lost or wrong or twice_named) and duplicates <= unknown + unreliable_server.unconfirmed
    return Row("a mail server that misbehaves, workers killed", kind(database), figures, GOAL, is_sound)


def _send(
    folder: Path,
    db: Database,
    settings: Settings,
    unreliable_server: UnreliableServer,
    port: int,
    messages: int,
    kills: int,
    after: Callable[[], object],
) -> int:
    """Returns how many messages were being sent when a worker was killed."""

    def states() -> Counter[str]:
        with db.read() as tx:
            return Counter(dict(tx.rows("SELECT state, count(*) FROM deliveries GROUP BY state")))

    environment = {"data": settings.data, "database": settings.database, "email": f"smtp://127.0.0.1:{port}", "log_format": "json"}
    workers = [Worker(folder, **environment) for _ in range(WORKERS)]
    chance = random.Random(7)
    unknown = 0
    try:
        for kill in range(kills):
            received_before = len(unreliable_server.received)
            eventually(lambda: len(unreliable_server.received) > received_before or not states()["queued"], within=60)  # noqa: B023 - called within the iteration
            threading.Event().wait(chance.uniform(0, 0.3))
            unknown += states()["sending"]
            workers[kill % WORKERS].kill()
            workers[kill % WORKERS].start()
            after()
        eventually(lambda: states()["sent"] + states()["failed"] == messages, within=120)
    finally:
        for worker in workers:
            worker.kill()
    return unknown
