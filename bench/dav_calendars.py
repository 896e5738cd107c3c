"""Started servers with all events in one calendar: the service, Radicale and Xandikos."""

import base64
import http.client
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

import click
from msgspec import Struct

from bench import load, radicale, servers
from bench.databases import POSTGRES, Databases
from bench.user import User
from bench.wrk import NEW, Request

RADICALE, XANDIKOS = "radicale", "xandikos"
RADICALE_PATH, XANDIKOS_PATH = f"/{radicale.USER}/all/", "/user/calendars/all/"
# Of any one request: the first ones read all files.
TIMEOUT = 120
_COMMIT = ["-c", "user.name=bench", "-c", "user.email=bench@example.org", "-c", "gc.auto=0", "commit", "--quiet", "--message", "Events"]


class Calendar(Struct, frozen=True, eq=False):
    """The calendar of a started server, and the processes that work for it, with their children."""

    connection: http.client.HTTPConnection
    path: str
    pids: tuple[int, ...]
    authorization: str = ""

    @property
    def processor_time(self) -> float:
        return servers.processor_time(self.pids)

    def ask(self, request: Request) -> str:
        """The reply's body."""
        new = uuid4().hex
        content_type = "text/calendar" if request.method == "PUT" else "application/xml"
        headers = {"Depth": "0" if "getctag" in request.body else "1", "Content-Type": content_type}
        if self.authorization:
            headers["Authorization"] = self.authorization
        self.connection.request(request.method, request.path.replace(NEW, new), request.body.replace(NEW, new) or None, headers)
        reply = self.connection.getresponse()
        content = reply.read().decode()
        if reply.status >= 300:
            sys.exit(f"{request.method} {request.path} returned {reply.status}: {content}")
        return content


@contextmanager
def kalends(databases: Databases, kind: str, events: int) -> Iterator[Calendar]:
    """The service, and an app password."""
    databases.fill(kind, events, one_calendar=True)
    with databases.copy(kind, events, one_calendar=True) as where, servers.kalends(where) as server:
        user = User(server.port)
        user_id = user.json(Request("/api/users/current"))["id"]
        password = user.json(Request("/api/keys", {"name": "bench", "kind": "dav"}))["wkey"]
        authorization = "Basic " + base64.b64encode(f"user0:{password}".encode()).decode()
        pids = (server.pid, databases.postgres_pid) if kind == POSTGRES else (server.pid,)
        yield Calendar(_connect(server), f"/dav/users/{user_id}/calendars/{user.calendar_id}/", pids, authorization)


@contextmanager
def started_radicale(folder: Path) -> Iterator[Calendar]:
    """Radicale with its files in the folder."""
    config = folder / "config"
    config.write_text(radicale.CONFIG.format(folder=folder / RADICALE))
    with servers.radicale(config) as server:
        yield Calendar(_connect(server), RADICALE_PATH, (server.pid,), radicale.AUTHORIZATION)


@contextmanager
def started_xandikos(folder: Path) -> Iterator[Calendar]:
    """Xandikos with its repository in the folder."""
    with servers.xandikos(folder / XANDIKOS) as server:
        yield Calendar(_connect(server), XANDIKOS_PATH, (server.pid,))


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


def _connect(server: servers.Server) -> http.client.HTTPConnection:
    return http.client.HTTPConnection("127.0.0.1", server.port, timeout=TIMEOUT)
