"""The limit on guests' writes is that of all processes of all servers together."""

import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.serve.running import Running, ask, bearer

SECRET = "the secret of all three servers of the test"
MOST = 30
WRITES = 120


@pytest.mark.soak
@pytest.mark.parametrize("database", ["postgres"], indirect=True)
def test_30_guest_writes_stay_30_on_three_servers_with_two_processes_each(database: str, tmp_path: Path) -> None:
    with ExitStack() as running:
        servers = []
        for number in range(3):
            (tmp_path / str(number)).mkdir()
            settings = {"database": database, "secret": SECRET, "guest_writes_per_minute": MOST}
            server = Running(tmp_path / str(number), "--no-work", "--workers", "2", **settings)
            running.callback(server.stop)
            servers.append(server.ready())
        assert [len(server.servers) for server in servers] == [2, 2, 2]
        event_id = _create_event(servers[0])

        def write(address: str, number: int) -> int:
            """One response over a new connection, which any process of the server may accept."""
            connection = HTTPConnection("127.0.0.1", servers[number % 3].port, timeout=60, source_address=(address, 0))
            fields = {"event_id": event_id, "email_address": f"guest{number}@example.org", "response": "YES"}
            status = ask(connection, "POST", "/api/responses", fields).status
            connection.close()
            return status

        assert _count_within_a_minute(write) == {201: MOST, 429: WRITES - MOST}


def _create_event(server: Running) -> int:
    headers = bearer(server.sign_up("alice"))
    calendar_id = server.post("/api/calendars", {"name": "Concerts", "confirmations": "off"}, headers=headers).json["id"]
    fields = {"title": "Jazz", "start_time": "2030-06-01T20:00", "calendar_id": calendar_id, "public": True}
    return int(server.post("/api/events", fields, headers=headers).json["id"])


def _count_within_a_minute(write: Callable[[str, int], int]) -> Counter[int]:
    """The statuses of many concurrent writes from one address. In the next minute, some more would be accepted: then another address
    tries again."""
    for last in range(2, 6):
        minute = time.time() // 60
        with ThreadPoolExecutor(12) as threads:
            statuses = Counter(threads.map(lambda number: write(f"127.0.0.{last}", number), range(WRITES)))  # noqa: B023
        if time.time() // 60 == minute:
            return statuses
    raise AssertionError("The writes took longer than a minute.")
