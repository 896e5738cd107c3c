"""A followed calendar of 10,000 events: its first run, and runs in which nothing has changed."""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import click

from bench import servers
from bench.databases import FEW, KINDS, POSTGRES, Databases, Where
from bench.report import Report, table
from bench.user import User
from bench.wrk import Request

EVENTS = 10_000
# Of the first event: all are to come.
START = int(time.time()) + 7 * 86_400
HOW = f"""A calendar of {EVENTS:,} single events, as a file of {{size:.1f}} MiB, and all runs in one process, as a worker
makes them. The processor time includes PostgreSQL's; the share is that of the first run. A file that differs in its times (DTSTAMP) alone
is hashed, and not read; one in another order is read, and all of its events are compared. The memory is the most that the process has had
so far, without PostgreSQL's; it has {{before:.0f}} MiB before the first run."""
EMPTY = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nX-WR-CALNAME:Town\r\nEND:VCALENDAR\r\n"


class Feed:
    """A calendar elsewhere. `content` is what it has now, and `etag` by what it is known."""

    def __init__(self) -> None:
        self.content, self.etag = EMPTY.encode(), '"0"'

    @contextmanager
    def served(self) -> Iterator[str]:
        feed = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                is_same = self.headers.get("If-None-Match") == feed.etag
                self.send_response(304 if is_same else 200)
                self.send_header("ETag", feed.etag)
                self.send_header("Content-Type", "text/calendar")
                self.send_header("Content-Length", str(0 if is_same else len(feed.content)))
                self.end_headers()
                self.wfile.write(b"" if is_same else feed.content)

            def log_message(self, format: str, *args: Any) -> None:
                """Say nothing."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/town.ics"
        finally:
            server.shutdown()
            server.server_close()


def _content(stamp: str, numbers: Iterator[int]) -> bytes:
    events = []
    for i in numbers:
        moment = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(START + i * 3600))
        lines = [
            f"UID:{i:05}@town.example",
            f"DTSTAMP:{stamp}",
            f"DTSTART:{moment}",
            "DURATION:PT2H",
            f"SUMMARY:Evening {i} at the town hall",
            f"DESCRIPTION:Everybody is welcome to evening {i}. Bring a chair and something to eat.",
            "LOCATION:Town Hall\\, 1 High Street\\, Town",
            f"URL:https://town.example/events/{i}",
        ]
        events.append("\r\n".join(["BEGIN:VEVENT", *lines, "END:VEVENT", ""]))
    return EMPTY.replace("END:VCALENDAR\r\n", "".join(events) + "END:VCALENDAR\r\n").encode()


def measure(databases: Databases, report: Report, *, quick: bool) -> None:
    """Write the table."""
    rows, size = [], 0
    for kind in KINDS:
        feed = Feed()
        with databases.copy(kind, FEW) as where, feed.served() as address:
            with servers.kalends(where) as server:
                User(server.port).ask(Request("/api/sources", {"url": address, "name": "Town"}))
            postgres_pid = databases.postgres_pid if kind == POSTGRES else 0
            now = int(time.time())
            results = []
            with _worker(where, postgres_pid) as run, click.progressbar(_steps(), label=f"Sources, {kind}") as steps:
                for name, content, etag in steps:
                    feed.content, feed.etag, size = content, etag, max(size, len(content))
                    # Later than any interval, within the month.
                    now += 7 * 3600
                    results.append((name, run(now)))
        # What the first run of a process takes is none of the calendar's.
        _, warm_up = results.pop(0)
        first = results[0][1]["seconds"]
        rows += [[kind, name, f"{each['seconds']:.3f}", f"{each['seconds'] / first:.2%}", f"{each['peak']:.0f}"] for name, each in results]
    head = ["database", "run", "processor time, s", "share", "memory, MiB"]
    report.write("sources", "Sources", [table(head, rows), HOW.format(size=size / 2**20, before=warm_up["peak"])])


def _steps() -> list[tuple[str, bytes, str]]:
    """Name, content and ETag of each run."""
    first = _content("20260101T000000Z", iter(range(EVENTS)))
    return [
        ("empty", EMPTY.encode(), '"0"'),
        ("first", first, '"1"'),
        ("unchanged (304)", first, '"1"'),
        ("unchanged (200)", first, '"2"'),
        ("other times (200)", _content("20260102T000000Z", iter(range(EVENTS))), '"3"'),
        ("other order (200)", _content("20260102T000000Z", iter(range(EVENTS - 1, -1, -1))), '"4"'),
    ]


@contextmanager
def _worker(where: Where, postgres_pid: int) -> Iterator[Callable[[int], dict[str, float]]]:
    """A process that makes runs, and what makes one in it at a time."""
    command = [sys.executable, "-m", "bench.source_run", str(where.data), where.database, str(postgres_pid)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin
        assert process.stdout
        sent, results = process.stdin, process.stdout

        def run(now: int) -> dict[str, float]:
            print(now, file=sent, flush=True)
            result: dict[str, float] = json.loads(results.readline())
            return result

        yield run
        sent.close()
