"""The service as its users start it: a real process, real sockets, the real figures of Argon2."""

import json as jsonlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, chdir, suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Self
from unittest.mock import patch

from click.testing import CliRunner

from kalends.cli import main
from kalends.core import log, tokens
from kalends.http.serving import granian
from tests.cast import PASSWORD
from tests.client import Reply

TIMEOUT = 180


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-P", "-m", "kalends.cli", *arguments]


def environment(**settings: object) -> dict[str, str]:
    """The environment of a command: this one's, with these settings and no others."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("KALENDS_")}
    return clean | {f"KALENDS_{name.upper()}": str(value) for name, value in settings.items()}


def run(*arguments: str, folder: Path, stdin: str | bytes = "", **settings: object) -> "subprocess.CompletedProcess[str]":
    """Run a command that ends by itself, in this process: to start another one takes longer than most commands do."""
    handler = signal.getsignal(signal.SIGTERM)
    with ExitStack() as undo:
        undo.enter_context(patch.dict(os.environ, environment(**settings), clear=True))
        undo.enter_context(patch.object(sys, "argv", ["kalends", *arguments]))
        undo.enter_context(chdir(folder))
        # A server that should have refused to start must not serve here, nor take this process's log over.
        undo.enter_context(patch.object(granian, "serve", side_effect=AssertionError("the server started")))
        undo.enter_context(patch.object(log, "configure"))
        undo.callback(signal.signal, signal.SIGTERM, handler)
        # It is known by the name of its folder, which is another one in each test.
        tokens._stored_secret.cache_clear()
        undo.callback(tokens._stored_secret.cache_clear)
        stdout, stderr, _ = undo.enter_context(CliRunner().isolation(input=stdin))
        status = _run_main()
        return subprocess.CompletedProcess(list(arguments), status, stdout.getvalue().decode(), stderr.getvalue().decode())


def _run_main() -> int:
    try:
        main()
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def run_process(*arguments: str, folder: Path, stdin: str | bytes = "", **settings: object) -> "subprocess.CompletedProcess[str]":
    """Run a command that ends by itself, as its users do."""
    octets = stdin.encode() if isinstance(stdin, str) else stdin
    done = subprocess.run(
        command(*arguments), cwd=folder, env=environment(**settings), input=octets, capture_output=True, timeout=TIMEOUT, check=False
    )
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def eventually(condition: Callable[[], Any], within: float = TIMEOUT) -> Any:
    """Wait until another process meets the condition; return its value."""
    deadline = time.monotonic() + within
    while not (value := condition()):
        assert time.monotonic() < deadline, "it did not come to pass"
        time.sleep(0.02)
    return value


def processes() -> dict[int, tuple[int, str]]:
    """Every living process: its parent and its command line."""
    listed = subprocess.run(["ps", "-axww", "-o", "pid=,ppid=,stat=,args="], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 3) for line in listed.splitlines()]
    return {int(row[0]): (int(row[1]), row[3]) for row in rows if not row[2].startswith("Z")}


def living(pids: Iterable[int]) -> set[int]:
    return set(pids) & set(processes())


def _hear_hangups() -> None:
    """These tests may run under nohup, which their services must not inherit."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


class Running:
    """A started `kalends serve`, on a free port of the loopback."""

    def __init__(self, folder: Path, *options: str, **settings: object):
        defaults = {"port": 0, "data": folder / "data"}
        self.folder = folder
        self.process = self._start(["serve", *options], environment(**defaults | settings))
        self.lines: list[str] = []
        self._announced = threading.Event()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _start(self, arguments: Sequence[str], environment: dict[str, str]) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            command(*arguments),
            cwd=self.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            preexec_fn=_hear_hangups,
        )

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.lines.append(line.decode())
            if '"event":"serving"' in self.lines[-1]:
                self._announced.set()
        self._announced.set()

    def ready(self) -> Self:
        """Wait until it is."""
        self._announced.wait(TIMEOUT)
        assert self.get("/readyz").status == 200, self.lines
        return self

    @property
    def port(self) -> int:
        self._announced.wait(TIMEOUT)
        started = [line for line in self.log if line["event"] == "serving"]
        assert started, self.lines
        return int(started[0]["port"])

    @property
    def log(self) -> list[dict[str, Any]]:
        return [jsonlib.loads(line) for line in self.lines]

    @property
    def children(self) -> dict[int, str]:
        """The processes that it has started, and their command lines."""
        return {pid: line for pid, (parent, line) in processes().items() if parent == self.process.pid}

    @property
    def worker(self) -> int | None:
        """The background worker's process, if it runs."""
        return next((pid for pid, line in self.children.items() if " work " in line), None)

    @property
    def servers(self) -> list[int]:
        return [pid for pid, line in self.children.items() if " work " not in line]

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Stop it, and return its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            return self.process.wait(TIMEOUT)
        finally:
            self.process.kill()
            self._reader.join(TIMEOUT)

    def end(self) -> None:
        """End it at once, with the processes that it has started: a stop waits until its clients are quiet."""
        if self.process.poll() is None:
            for pid in [self.process.pid, *self.children]:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self.process.wait(TIMEOUT)
        self._reader.join(TIMEOUT)

    def connection(self) -> HTTPConnection:
        return HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)

    def request(self, method: str, path: str, json: Any = None, headers: dict[str, str] | None = None) -> Reply:
        """One request over a connection of its own."""
        connection = self.connection()
        try:
            return ask(connection, method, path, json, headers)
        finally:
            connection.close()

    def get(self, path: str, **more: Any) -> Reply:
        return self.request("GET", path, **more)

    def post(self, path: str, json: Any, **more: Any) -> Reply:
        return self.request("POST", path, json, **more)

    def sign_up_admin(self, name: str) -> str:
        """Sign the first admin up, with the code that the start printed."""
        return self.sign_up(name, invitation=self._code())

    def create_administrator(self) -> None:
        """Create the first account, if there is none: others register after it."""
        self.post("/api/users", self._registration("root") | {"invitation": self._code()})

    def _code(self) -> str:
        [link] = [line["first_admin"] for line in self.log if line["event"] == "serving"]
        return (link or "").rpartition("/")[2]

    def sign_up(self, name: str, **fields: str) -> str:
        """Register a user, sign them in, and return their token. The first one of a new service comes after its administrator."""
        if not fields and self._code():
            self.create_administrator()
        reply = self.post("/api/users", self._registration(name) | fields)
        assert reply.status == 201, reply
        return str(self.sign_in(name).json["token"])

    @staticmethod
    def _registration(name: str) -> dict[str, str]:
        return {"user_name": name, "email_address": f"{name}@example.org", "password": PASSWORD}

    def sign_in(self, name: str, **more: Any) -> Reply:
        return self.post("/api/session", {"user_name": name, "password": PASSWORD}, **more)


def ask(connection: HTTPConnection, method: str, path: str, json: Any = None, headers: dict[str, str] | None = None) -> Reply:
    """One request over the connection, which stays open for more."""
    body = None if json is None else jsonlib.dumps(json)
    connection.request(method, path, body, {"Content-Type": "application/json"} | (headers or {}))
    reply = connection.getresponse()
    return Reply(reply.status, reply.headers, reply.read())


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}
