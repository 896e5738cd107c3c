"""Started servers with all events in one calendar: the service, Radicale and Xandikos; and one that replies the same to every request."""

import base64
import http.client
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

import click

from bench import load, radicale, servers
from bench.databases import POSTGRES, Databases
from bench.user import User
from bench.wrk import NEW, Request

RADICALE, XANDIKOS = "radicale", "xandikos"
RADICALE_PATH, XANDIKOS_PATH = f"/{radicale.USER}/all/", "/user/calendars/all/"
# Of any one request, in seconds; and of the first ones, which read all files.
TIMEOUT, FIRST_TIMEOUT = 120, 300
_COMMIT = ["-c", "user.name=bench", "-c", "user.email=bench@example.org", "-c", "gc.auto=0", "commit", "--quiet", "--message", "Events"]


class Calendar:
    """The calendar of a server that runs during the block, and the processes that work for it, with their children."""

    def __init__(
        self,
        start: Callable[[], AbstractContextManager[servers.Server]],
        path: str = "",
        authorization: str = "",
        database_pids: tuple[int, ...] = (),
    ):
        self.path, self.authorization = path, authorization
        self._start, self._database_pids = start, database_pids
        self._running = ExitStack()

    def __enter__(self) -> "Calendar":
        server = self._running.enter_context(self._start())
        self.port, self._pids = server.port, (server.pid, *self._database_pids)
        self._connection = http.client.HTTPConnection("127.0.0.1", self.port)
        return self

    def __exit__(self, *error: object) -> None:
        self._connection.close()
        self._running.close()

    def restart(self) -> None:
        """After a request that took too long: the server would still be working on it."""
        self.__exit__()
        self.__enter__()

    @property
    def processor_time(self) -> float:
        return servers.processor_time(self._pids)

    def ask(self, request: Request, seconds: int = TIMEOUT) -> str:
        """The reply's body. Raises TimeoutError if the server is silent for so long."""
        try:
            return self._ask(request, seconds)
        except ConnectionError:
            # While others had their turns, the server has closed the connection.
            self._connection.close()
            return self._ask(request, seconds)

    def _ask(self, request: Request, seconds: int) -> str:
        self._connection.timeout = seconds
        if self._connection.sock:
            self._connection.sock.settimeout(seconds)
        new = uuid4().hex
        content_type = "text/calendar" if request.method == "PUT" else "application/xml"
        headers = {"Depth": "0" if "getctag" in request.body else "1", "Content-Type": content_type}
        if self.authorization:
            headers["Authorization"] = self.authorization
        self._connection.request(request.method, request.path.replace(NEW, new), request.body.replace(NEW, new) or None, headers)
        reply = self._connection.getresponse()
        content = reply.read().decode()
        if reply.status >= 300:
            sys.exit(f"{request.method} {request.path} returned {reply.status}: {content}")
        return content


@contextmanager
def kalends(databases: Databases, kind: str, events: int) -> Iterator[Calendar]:
    """The service, and an app password."""
    databases.fill(kind, events, one_calendar=True)
    pids = (databases.postgres_pid,) if kind == POSTGRES else ()
    with (
        databases.copy(kind, events, one_calendar=True) as where,
        Calendar(partial(servers.kalends, where), database_pids=pids) as calendar,
    ):
        user = User(calendar.port)
        user_id = user.json(Request("/api/users/current"))["id"]
        password = user.json(Request("/api/keys", {"name": "bench", "kind": "dav"}))["wkey"]
        calendar.authorization = "Basic " + base64.b64encode(f"user0:{password}".encode()).decode()
        calendar.path = f"/dav/users/{user_id}/calendars/{user.calendar_id}/"
        yield calendar


def constant(calendar: Calendar) -> Calendar:
    """The server of the constant reply, which is sent the path and the password of the calendar."""
    return Calendar(servers.constant, calendar.path, calendar.authorization)


def radicale_calendar(folder: Path) -> Calendar:
    """Radicale with its files in the folder."""
    config = folder / "config"
    config.write_text(radicale.CONFIG.format(folder=folder / RADICALE))
    return Calendar(partial(servers.radicale, config), RADICALE_PATH, radicale.AUTHORIZATION)


def xandikos_calendar(folder: Path) -> Calendar:
    """Xandikos with its repository in the folder."""
    return Calendar(partial(servers.xandikos, folder / XANDIKOS), XANDIKOS_PATH)


@contextmanager
def files(events: int) -> Iterator[Path]:
    """A folder with the files of both, for the duration of the block: in memory, since a disk may take minutes for them."""
    with TemporaryDirectory(dir="/dev/shm") as folder:
        _write(Path(folder), events)
        yield Path(folder)


def _write(folder: Path, events: int) -> None:
    collection = folder / RADICALE / "collection-root" / RADICALE_PATH.strip("/")
    repository = folder / XANDIKOS / XANDIKOS_PATH.strip("/")
    collection.mkdir(parents=True)
    (collection / ".Radicale.props").write_text(json.dumps({"tag": "VCALENDAR"}))
    radicale.write_password(folder / RADICALE)
    _git(["init", "--quiet", str(repository)], folder)
    (repository / ".xandikos").write_text("[DEFAULT]\ntype = calendar\n")
    rows = load.event_rows(load.START, [(1, 1, False)], events)
    with click.progressbar(rows, length=events, label="Files of other servers") as bar:
        for row in bar:
            radicale.write_event(collection, row)
            radicale.write_event(repository, row)
    _git(["add", "."], repository)
    _git(_COMMIT, repository)


def _git(arguments: list[str], folder: Path) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True)
