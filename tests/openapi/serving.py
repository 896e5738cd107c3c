"""A started service, for programs that know its OpenAPI document only."""

import json
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from tests.serve.prepared import Forked, Prepared
from tests.serve.running import environment

TIMEOUT = 60
# A provider of contacts: nothing listens there, and no request leaves this machine.
NOBODY = "http://127.0.0.1:9"


class Service:
    """`kalends serve` on a free port of the loopback: its URL and its log."""

    def __init__(self, folder: Path, database: str, provider: str, **more: str):
        settings = {
            "DATA": str(folder),
            "DATABASE": database,
            "PORT": "0",
            "RATE_LIMITS": "off",
            "ACCESS_LOG": "off",
            "LOG_FORMAT": "json",
            "SOURCES": "any",
        }
        settings |= dict.fromkeys(["GOOGLE_CARDDAV_URL", "YAHOO_CARDDAV_URL", "GRAPH_URL", "GRAPH_LOGIN_URL"], provider)
        self.process = Forked(Prepared.prepare, ["serve", "--no-work"], Path.cwd(), environment(**settings | more))
        stderr = TextIOWrapper(self.process.stderr)
        serving = json.loads(stderr.readline())
        self.url: str = serving["url"]
        self._first_admin: str | None = serving["first_admin"]
        self.log: list[str] = []
        self._reader = threading.Thread(target=self.log.extend, args=[stderr])
        self._reader.start()

    def create_administrator(self) -> None:
        """Create the first account of a new site: others register after it."""
        if self._first_admin:
            account = {"user_name": "root", "email_address": "root@example.org", "password": "correct horse battery"}
            self.post("/api/users", account | {"invitation": self._first_admin.rpartition("/")[2]})

    def post(self, path: str, values: dict[str, Any], token: str = "") -> dict[str, Any]:
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
        with urlopen(Request(self.url + path, json.dumps(values).encode(), headers), timeout=TIMEOUT) as reply:  # noqa: S310
            body: dict[str, Any] = json.load(reply)
            return body

    def get(self, path: str, token: str) -> dict[str, Any]:
        with urlopen(Request(self.url + path, headers={"Authorization": f"Bearer {token}"}), timeout=TIMEOUT) as reply:  # noqa: S310
            body: dict[str, Any] = json.load(reply)
            return body

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(TIMEOUT)
        self._reader.join(TIMEOUT)


@contextmanager
def serving(folder: Path, database: str = "", provider: str = NOBODY, *, is_new: bool = False, **more: str) -> Iterator[Service]:
    """A started service with an administrator; is_new: without any account; more: settings."""
    service = Service(folder, database, provider, **more)
    try:
        if not is_new:
            service.create_administrator()
        yield service
    finally:
        service.stop()
