"""The sitemap of 100,000 events: the size of its index and parts, and the processor time and memory that they cost."""

import gzip
import statistics

from msgspec import Struct

from bench import servers
from bench.databases import KINDS, Databases
from bench.report import Report, table
from bench.servers import TICK_MILLISECONDS, Server
from bench.user import User
from bench.wrk import Request
from kalends.features.discovery.sitemap_store import PART

EVENTS = 100_000
HOW = f"""{EVENTS:,} events, of which every other one is public, and one worker process. `/sitemap.xml` is an index; each of its parts
has the public events of {PART:,} ids. The processor time is that of the service alone, without PostgreSQL's processes: the median of the
parts. The memory is that of the worker process before the first part and after all of them. Proxies and search engines may keep a part
for an hour."""
HEAD = [
    "database",
    "parts",
    "URLs",
    "index, KiB",
    "all parts, KiB",
    "largest part, KiB",
    "compressed, KiB",
    "processor time of a part, ms",
    "resident before, MiB",
    "after, MiB",
]


class Part(Struct, frozen=True):
    """What a part of the sitemap has and costs."""

    urls: int
    size: int
    zipped: int
    milliseconds: float


def measure(databases: Databases, report: Report, *, quick: bool) -> None:
    """Write the table."""
    rows = []
    for kind in KINDS:
        databases.fill(kind, EVENTS)
        with databases.copy(kind, EVENTS) as where, servers.kalends(where) as server:
            rows.append([kind, *_measure_parts(server, rounds=2 if quick else 10)])
    report.write("sitemap", "Sitemap", [table(HEAD, rows), HOW])


def _measure_parts(server: Server, rounds: int) -> list[str]:
    user = User(server.port)
    index = user.ask(Request("/sitemap.xml"), guest=True)
    before = server.resident
    parts = [_measure_part(server, user, part, rounds) for part in range(index.count(b"<loc>"))]
    largest = max(parts, key=lambda part: part.size)
    sizes = [len(index), sum(part.size for part in parts), largest.size, largest.zipped]
    milliseconds = statistics.median(part.milliseconds for part in parts)
    return [
        f"{len(parts)}",
        f"{sum(part.urls for part in parts):,}",
        *[f"{size / 1024:,.1f}" for size in sizes],
        f"{milliseconds:.0f}",
        f"{before:.0f}",
        f"{server.resident:.0f}",
    ]


def _measure_part(server: Server, user: User, part: int, rounds: int) -> Part:
    request = Request(f"/sitemap.xml?part={part}")
    content = user.ask(request, guest=True)
    used = server.ticks
    for _ in range(rounds):
        user.ask(request, guest=True)
    milliseconds = (server.ticks - used) * TICK_MILLISECONDS / rounds
    return Part(content.count(b"<loc>"), len(content), len(gzip.compress(content)), milliseconds)
