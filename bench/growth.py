"""How requests slow down as the table grows: `python -m bench.growth SMALL LARGE` prints the medians side by side.

SMALL and LARGE are what `bench.load` filled: data folders, or PostgreSQL addresses. Both are served at once, as users serve
them, and asked in turns, so that whatever else the machine does falls on both."""

import http.client
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager

import click

from bench.load import PASSWORD

ROUNDS = 300
WARM = 30
NOON = "2026-12-01T12:00:00Z"


class Service:
    """A started service, and one user who is signed in to it."""

    def __init__(self, port: int):
        self._http = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        credentials = json.dumps({"user_name": "user0", "password": PASSWORD})
        self.token = json.loads(self._send("POST", "/api/session", credentials, {"Content-Type": "application/json"}))["token"]
        self.calendars = json.loads(self.get("/api/calendars", signed_in=True))["calendars"]
        events = json.loads(self.get(f"/api/events?calendar_id={self.calendars[2]['id']}&limit=1", signed_in=True))["events"]
        self.event_id = events[0]["id"]

    def get(self, path: str, *, signed_in: bool) -> bytes:
        return self._send("GET", path, None, {"Authorization": f"Bearer {self.token}"} if signed_in else {})

    def send(self, method: str, path: str, given: dict[str, str]) -> bytes:
        """A request of the user's with a JSON body."""
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        return self._send(method, path, json.dumps(given), headers)

    def _send(self, method: str, path: str, body: str | None, headers: dict[str, str]) -> bytes:
        self._http.request(method, path, body, headers)
        answer = self._http.getresponse()
        content = answer.read()
        if answer.status >= 300:
            sys.exit(f"{method} {path}: {answer.status} {content.decode()}")
        return content


def requests(service: Service) -> dict[str, tuple[str, bool]]:
    """What is measured: a path, and whether as the user or as a guest."""
    after = f"start_time={NOON}&limit=50"
    return {
        "show": (f"/api/events/{service.event_id}", True),
        "index, one calendar": (f"/api/events?calendar_id={service.calendars[2]['id']}&{after}", True),
        "index, a user's 20 calendars": (f"/api/events?{after}", True),
        "index, all public": (f"/api/events?{after}", False),
        "text, 10 hits": ("/api/events?text=zanzibar&limit=50", False),
        "text, one in five": ("/api/events?text=jazz&limit=50", False),
    }


@click.command()
@click.argument("small")
@click.argument("large")
def main(small: str, large: str) -> None:
    """Print the medians of both, and their ratio."""
    with serving(small) as few, serving(large) as many:
        print("| request | small, ms | large, ms | ratio |\n|---|---|---|---|")
        for name in requests(few):
            a, b = _medians([(few, *requests(few)[name]), (many, *requests(many)[name])])
            print(f"| {name} | {a:.2f} | {b:.2f} | {b / a:.2f} |", flush=True)


def _medians(asked: list[tuple[Service, str, bool]]) -> list[float]:
    taken: list[list[float]] = [[] for _ in asked]
    for i in range(WARM + ROUNDS):
        for times, (service, path, signed_in) in zip(taken, asked, strict=True):
            began = time.perf_counter()
            service.get(path, signed_in=signed_in)
            if i >= WARM:
                times.append((time.perf_counter() - began) * 1000)
    return [statistics.median(times) for times in taken]


@contextmanager
def serving(where: str) -> Iterator[Service]:
    """The service on this database, started as users start it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        chosen = ["--database", where, "--data", folder] if "://" in where else ["--data", where]
        quiet = {"KALENDS_ACCESS_LOG": "off", "KALENDS_RATE_LIMITS": "off"}
        command = [sys.executable, "-m", "kalends", "serve", "--no-work", "--port", str(port), *chosen]
        process = subprocess.Popen(command, env=os.environ | quiet, stderr=subprocess.DEVNULL)
        try:
            _wait(port)
            yield Service(port)
        finally:
            process.terminate()
            process.wait()


def _wait(port: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.02)
    sys.exit("The service did not start.")


if __name__ == "__main__":
    main()
