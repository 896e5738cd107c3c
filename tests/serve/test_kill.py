"""A comment with a response, and its response, are written together or not at all, wherever the process is killed."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http.client import HTTPException

import pytest

from kalends.core.settings import Settings
from kalends.db import open_database
from tests.serve.conftest import Start
from tests.serve.running import Running, ask, bearer, eventually

WRITERS = 4


@pytest.mark.parametrize("kills", [1, pytest.param(3, marks=pytest.mark.soak)])
def test_a_kill_leaves_no_comment_without_its_response(start: Start, database: str, kills: int) -> None:
    acknowledged: set[str] = set()
    for kill in range(kills):
        service = start(database=database, rate_limits="off")
        event_id = _an_event(service, f"ana{kill}")
        with ThreadPoolExecutor(WRITERS) as pool:
            for writer in range(WRITERS):
                pool.submit(_write, service, event_id, f"{kill}.{writer}", acknowledged)
            eventually(partial(_is_longer, acknowledged, len(acknowledged) + 30))
            for pid in (service.process.pid, *service.servers):
                os.kill(pid, signal.SIGKILL)
        comments, responses = _stored_texts(service, database)
        assert comments == responses
        assert acknowledged <= comments


def _is_longer(texts: set[str], number: int) -> bool:
    return len(texts) > number


def _an_event(service: Running, owner: str) -> int:
    reply = service.post(
        "/api/events", {"title": "Gig", "start_time": "2026-06-01", "public": True}, headers=bearer(service.sign_up(owner))
    )
    return int(reply.json["id"])


def _write(service: Running, event_id: int, name: str, acknowledged: set[str]) -> None:
    """Comment until the service is killed, each time from another address."""
    connection = service.connection()
    try:
        for number in range(10_000):
            address = f"g{name}.{number}@example.org"
            fields = {"event_id": event_id, "email_address": address, "comment": address, "response": "YES"}
            if ask(connection, "POST", "/api/comments", fields).status == 201:
                acknowledged.add(address)
    except (HTTPException, OSError):
        connection.close()


def _stored_texts(service: Running, database: str) -> tuple[set[str], set[str]]:
    """The texts of the comments and of the responses that the database holds."""
    db = open_database(Settings(data=str(service.folder / "data"), database=database))
    with db.read() as tx:
        texts = [{text for (text,) in tx.rows(f"SELECT comment FROM {table}")} for table in ("comments", "responses")]
    db.close()
    return texts[0], texts[1]
