"""A started service, for programs that know its OpenAPI document only."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

TIMEOUT = 60
# A provider of contacts: nothing listens there, and no request leaves this machine.
NOBODY = "http://127.0.0.1:9"

# Hundreds of passwords are hashed in these tests, so it happens with small figures, as in the application that other tests call.
QUICKLY = """
from argon2 import PasswordHasher
from kalends.features.users.rules import passwords
from tests import compiled_templates
compiled_templates.share()
passwords._hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
from kalends.cli import main
main()
"""


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
        environment = {name: value for name, value in os.environ.items() if not name.startswith("KALENDS_")}
        self.process = subprocess.Popen(
            [sys.executable, "-c", QUICKLY, "serve", "--no-work"],
            env=environment | {f"KALENDS_{name}": value for name, value in (settings | more).items()},
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stderr is not None
        serving = json.loads(self.process.stderr.readline())
        self.url: str = serving["url"]
        self._first_admin: str | None = serving["first_admin"]
        self.log: list[str] = []
        self._reader = threading.Thread(target=self.log.extend, args=[self.process.stderr])
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
        self.process.terminate()
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
