"""The number of instructions of a request, which is the same on a busy machine: `python -m bench.instructions` (needs valgrind)."""

import ctypes
import gc
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click
import uvloop

from bench import databases
from bench.databases import FEW, KINDS, Where
from bench.user import User
from bench.wrk import Request
from kalends.app.application import application
from kalends.core import settings, tokens
from kalends.db import open_database
from kalends.db.sqlite.database import Sqlite
from kalends.http.origin import COOKIE
from kalends.http.serving.edge import Edge
from kalends.http.serving.large_responses import LargeResponses

WARM_UP, COUNTED = 16, 64
# Callgrind counts the instructions inside of the function by which ctypes calls others, and writes a profile whenever `getpgid` is called.
VALGRIND = ["valgrind", "--tool=callgrind", "--toggle-collect=ffi_call", "--dump-before=getpgid"]

T = TypeVar("T")

_call = ctypes.pythonapi.PyObject_CallNoArgs
_call.argtypes, _call.restype = [ctypes.py_object], ctypes.py_object


class Headers(list[tuple[str, str]]):
    """The header fields of a scope, as Granian passes them."""

    def items(self) -> list[tuple[str, str]]:
        return list(self)

    def __contains__(self, name: object) -> bool:
        return any(name == key for key, _ in self)


class Exchange:
    """A request and its reply: what Granian passes as the scope and as the protocol."""

    http_version, client, authority = "1.1", "127.0.0.1:4711", None

    def __init__(self, method: str, target: str, headers: list[tuple[str, str]], body: bytes):
        self.method = method
        self.path, _, self.query_string = target.partition("?")
        self.headers = Headers(headers)
        self.content = b""
        self._body = body

    async def __call__(self) -> bytes:
        return self._body

    def response_bytes(self, status: int, headers: list[tuple[str, str]], content: bytes) -> None:
        assert status < 300, content
        self.content = content


class SameThread:
    """Runs work on the event loop, since callgrind counts the instructions of one thread."""

    is_full = False

    async def run(self, *args: Any, **options: Any) -> Any:
        return next(arg for arg in args if callable(arg))()


class AtOnce(LargeResponses):
    """Large responses in one piece, without a pipe."""

    async def send(self, proto: Any, status: int, headers: Any, content: bytes, step_timeout: float = 0) -> None:
        proto.response_bytes(status, headers, content)


class LocalUser(User):
    """A user who calls the edge directly."""

    def __init__(self, edge: Any, known: User | None = None):
        edge._queue = SameThread()
        edge._large_responses = AtOnce()
        edge._pools = dict.fromkeys(edge._pools, SameThread())
        self.edge = edge
        self._loop = uvloop.new_event_loop()
        super().__init__(0, known)

    def ask(self, request: Request, *, method: str = "", guest: bool = False, cookie: bool = False, or_late: bool = False) -> bytes:
        return self.ask_often(request, 1, guest=guest, cookie=cookie)

    def ask_often(self, request: Request, times: int, *, guest: bool = False, cookie: bool = False) -> bytes:
        """The last reply's body."""
        return self._loop.run_until_complete(self._ask(request, times, guest=guest, cookie=cookie))

    async def _ask(self, request: Request, times: int, *, guest: bool, cookie: bool) -> bytes:
        body = json.dumps(request.fields).encode() if request.fields else b""
        headers = [("host", "127.0.0.1")]
        if not guest:
            headers.append(("cookie", f"{COOKIE}={self.token}") if cookie else ("authorization", f"Bearer {self.token}"))
        if body:
            headers += [("content-type", "application/json"), ("content-length", str(len(body)))]
        content = b""
        for _ in range(times):
            exchange: Any = Exchange("POST" if body else "GET", request.path, headers, body)
            await self.edge.__rsgi__(exchange, exchange)
            content = exchange.content
        return content


@click.command()
@click.option("--profiles", type=Path, help="Keep the profiles here, for callgrind_annotate.")
@click.option("--data", type=Path, hidden=True, help="Send the requests; valgrind runs this.")
@click.option("--database", default="", hidden=True)
def main(profiles: Path | None, data: Path | None, database: str) -> None:
    """Print the thousands of instructions of each request in the process of the service, on both databases."""
    if data:
        _send_requests(Where(data, database))
        return
    for kind, totals in count_on_each("bench.instructions", profiles):
        for name, number in totals.items():
            click.echo(f"{kind:12}{name:12}{number / COUNTED / 1000:8,.0f}")


def count_on_each(module: str, profiles: Path | None = None) -> Iterator[tuple[str, dict[str, int]]]:
    """For each database, the instructions of each name that the module prints."""
    with databases.opened(core=0) as opened, tempfile.TemporaryDirectory() as folder:
        for kind in KINDS:
            opened.fill(kind, FEW)
            with opened.copy(kind, FEW) as copy:
                yield kind, count(module, copy, (profiles or Path(folder)) / kind.lower())


def count(module: str, where: Where, profiles: Path) -> dict[str, int]:
    """The instructions that callgrind counted for each name that the module prints."""
    if shutil.which("valgrind") is None:
        sys.exit("valgrind is missing. On Debian and Ubuntu it is installed with: apt-get install valgrind")
    profiles.mkdir(parents=True, exist_ok=True)
    command = [*VALGRIND, f"--callgrind-out-file={profiles / 'profile'}", sys.executable, "-m", module, *where.options]
    result = subprocess.run(command, env=os.environ | {"PYTHONHASHSEED": "0"}, capture_output=True, text=True, check=True)
    totals = {}
    for number, name in enumerate(result.stdout.split(), 1):
        path = profiles / f"profile.{2 * number}"
        totals[name] = int(re.findall(r"^totals: (\d+)", path.read_text(), re.MULTILINE)[0])
        path.rename(profiles / name)
    return totals


def _send_requests(where: Where) -> None:
    user = local_user(where)
    for name, request in ({"healthz": Request("/healthz")} | user.requests).items():
        user.ask_often(request, WARM_UP)
        with profile(name):
            call(partial(user.ask_often, request, COUNTED))


def local_user(where: Where) -> LocalUser:
    """A user of the service in this process."""
    loaded = settings.load({"data": str(where.data), "database": where.database, "access_log": "off", "rate_limits": "off"})
    tokens.ensure_secret(loaded)
    db = open_database(loaded)
    if isinstance(db, Sqlite):
        # Or one request in hundreds would write the whole log to the database.
        db._write_connection().wal_autocheckpoint(0)
    user = LocalUser(Edge(application(db, loaded), loaded, db))
    gc.freeze()
    return user


def call(function: Callable[[], T]) -> T:
    """Call a function whose instructions are counted."""
    result: T = _call(function)
    return result


@contextmanager
def profile(name: str) -> Iterator[None]:
    """Write a profile of what is counted in the block."""
    os.getpgid(0)
    yield
    os.getpgid(0)
    click.echo(name)


if __name__ == "__main__":
    main()
