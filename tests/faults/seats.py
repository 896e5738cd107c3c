"""kill -9 while guests respond to a full event, change their parties and withdraw: no seat is lost or given twice."""

import os
import random
import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPException
from pathlib import Path

from kalends.core.settings import Settings
from kalends.db import Transaction, open_database
from tests.faults.row import Row, kind
from tests.serve.running import Running, ask, bearer

CLIENTS = 8
GUESTS = 60
CAPACITY = 25
SECONDS = 0.4
GOAL = "0 lost, 0 wrong seats"


def show(folder: Path, database: str, kills: int, after: Callable[[], object] = lambda: None) -> Row:
    """Kill the service this number of times in the middle of responses, and check the seats after each start."""
    chance = random.Random(7)
    event_id = requests = lost = wrong = 0
    for number in range(kills + 1):
        service = Running(folder, "--no-work", database=database, rate_limits="off", access_log="off").ready()
        try:
            event_id = event_id or _hall(service)
            if number < kills:
                acknowledged = _kill(service, event_id, number, time.monotonic() + chance.uniform(0.1, SECONDS))
        finally:
            service.stop()
        with closing(open_database(Settings(data=str(folder / "data"), database=database))) as db, db.read() as tx:
            wrong += _wrong_seats(tx, event_id)
            if number < kills:
                stored = {address for (address,) in tx.rows("SELECT email_key FROM responses WHERE event_id = :id", id=event_id)}
                lost += len(acknowledged - stored)
                requests += len(acknowledged)
        after()
    figures = f"{kills} kills, {requests:,} responses acknowledged: {lost} lost, {wrong} times seats and counts did not agree"
    return Row("kill -9 amid a waiting list", kind(database), figures, GOAL, requests > 0 and not (lost or wrong))


def _hall(service: Running) -> int:
    fields = {"title": "Gig", "start_time": "2027-06-01T20:00", "public": True, "capacity": CAPACITY, "waiting_list": "auto"}
    reply = service.post("/api/events", fields, headers=bearer(service.sign_up("ana")))
    assert reply.status == 201, reply
    return int(reply.json["id"])


def _kill(service: Running, event_id: int, number: int, until: float) -> set[str]:
    """Let guests respond until then, kill every process, and return the addresses of the acknowledged responses."""

    def respond(client: int) -> set[str]:
        chance, acknowledged = random.Random(client + CLIENTS * number), set()
        connection = service.connection()
        try:
            while True:
                address = f"g{chance.randrange(GUESTS)}@example.org"
                response = chance.choice(["YES", "YES", "YES", "NO"])
                fields = {"event_id": event_id, "email_address": address, "response": response, "number": chance.randint(1, 5)}
                if ask(connection, "POST", "/api/responses", fields).status == 201:
                    acknowledged.add(address)
        except (HTTPException, OSError):
            return acknowledged

    with ThreadPoolExecutor(CLIENTS) as pool:
        clients = [pool.submit(respond, client) for client in range(CLIENTS)]
        time.sleep(max(0, until - time.monotonic()))
        for pid in [service.process.pid, *service.servers]:
            os.kill(pid, signal.SIGKILL)
        return set().union(*(client.result() for client in clients))


def _wrong_seats(tx: Transaction, event_id: int) -> int:
    """1 if the counts are not the sums of the responses, more seats are taken than there are, or someone waits who fits."""
    [(taken, waiting)] = tx.rows("SELECT taken, waiting FROM response_settings WHERE event_id = :id", id=event_id)
    rows = tx.rows("SELECT held, queued_at, queued_for, response FROM responses WHERE event_id = :id", id=event_id)
    held = sum(row[0] for row in rows)
    missing = [queued_for - held for held, queued_at, queued_for, _ in rows if queued_at is not None and held < queued_for]
    [(yes,)] = tx.rows("SELECT yes FROM response_tallies WHERE event_id = :id", id=event_id) or [(0,)]
    agrees = (taken, waiting, yes) == (held, sum(missing), sum(row[3] == "YES" for row in rows))
    return int(not agrees or taken > CAPACITY or any(seats <= CAPACITY - taken for seats in missing))
