"""A thousand clients that follow changes by server-sent events: their memory and threads, and how soon a change reaches all of them."""

import asyncio
import resource
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from msgspec import Struct

from bench import servers
from bench.databases import FEW, POSTGRES, SQLITE, Databases, Where
from bench.load import PASSWORD
from bench.report import Report, table
from bench.servers import BOTH_CORES, SERVER_CORE, Server
from bench.user import User
from bench.wrk import Request
from kalends.core import settings
from kalends.core.values import timestamps
from kalends.db import open_database
from kalends.features.calendars import store as calendars
from kalends.features.calendars.model import CalendarInput
from kalends.features.sessions import store as sessions
from kalends.features.users import store as users
from kalends.features.users.model import Registration
from kalends.http.context import Context

FOLLOWERS = 1_000
IDLE_SECONDS = 10
CHANGES = 5
# Connections that are opened at once.
OPENING = 20
MOST_MEMORY, MOST_DELAY = 30, 1_000
HOW = f"""{FEW:,} events, and a calendar that is shared with {FOLLOWERS:,} users. Each of them has a stream over all calendars, or one has
all streams: streams that are alike share the run of the request, as those of guests do; with others, it runs for each, with the
rights of its user. Each change concerns every stream. One process has one core, with PostgreSQL's own processes on the same; two have two.
The delay runs from the request that creates an event to the arrival at the last stream; the median of {CHANGES} changes.
The processor time is that of the server; idle: while nothing changes."""


class Setup(Struct, frozen=True):
    """The servers, and whether each stream has a user of its own."""

    kind: str
    has_own_users: bool = True
    workers: int = 1
    servers: int = 1

    @property
    def name(self) -> str:
        processes = f"{self.servers} servers" if self.servers > 1 else f"{self.workers} processes" if self.workers > 1 else "1 process"
        return f"{'each its own user' if self.has_own_users else 'alike'}, {processes}"


SETUPS = (
    *(Setup(kind, own, workers) for kind in (SQLITE, POSTGRES) for own, workers in ((False, 1), (True, 1), (True, 2))),
    Setup(POSTGRES, servers=2),
)


def measure(databases: Databases, report: Report, *, quick: bool) -> None:
    """Write the table."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 4 * FOLLOWERS)), hard))
    rows = []
    for setup in SETUPS:
        with databases.copy(setup.kind, FEW) as where, ExitStack() as stack:
            calendar_id, tokens = _share(where, 100 if quick else FOLLOWERS)
            cores = BOTH_CORES if setup.workers * setup.servers > 1 else SERVER_CORE
            started = [stack.enter_context(servers.kalends(where, cores=cores, workers=setup.workers)) for _ in range(setup.servers)]
            tokens = tokens if setup.has_own_users else [tokens[0]] * len(tokens)
            rows.append([setup.kind, setup.name, *asyncio.run(_follow(started, calendar_id, tokens))])
    costs = ["MiB for all", "threads for all", "idle processor time", "processor time of a change, ms"]
    head = ["database", "streams", *costs, "first, ms", "last, ms"]
    goals = ["goal", "", f"at most {MOST_MEMORY}", "0", "", "", "", f"at most {MOST_DELAY:,}"]
    report.write("followers", "Followers of changes", [table(head, [*rows, goals]), HOW])


def _share(where: Where, followers: int) -> tuple[int, list[str]]:
    """Share a new calendar with as many new users; its id, and the tokens of their sessions."""
    loaded = settings.load({"data": str(where.data), "database": where.database})
    db = open_database(loaded)
    ctx = Context(db, loaded, timestamps.now())
    tokens = []
    with ctx.write() as tx:
        owner_id = int(tx.value("SELECT id FROM users WHERE user_name = 'user0'"))
        calendar_id = calendars.insert(ctx, owner_id, CalendarInput(name="Followed", time_zone="UTC", public=False))
        for number in range(followers):
            name = f"follower{number}"
            registration = Registration(user_name=name, email_address=f"{name}@example.org", password=PASSWORD)
            user_id = users.insert(ctx, registration, "no hash: nobody signs in")
            tx.run(
                "INSERT INTO calendar_shares (calendar_id, user_id, role, created_at) VALUES (:calendar_id, :user_id, 'viewer', :now)",
                calendar_id=calendar_id,
                user_id=user_id,
                now=ctx.now,
            )
            tokens.append(sessions.insert(ctx, user_id, None)[1])
    db.close()
    return calendar_id, tokens


async def _follow(started: Sequence[Server], calendar_id: int, tokens: list[str]) -> list[str]:
    user = User(started[0].port)
    create = Request("/api/events", {**(user.requests["create"].fields or {}), "calendar_id": calendar_id})
    for _ in range(100):
        user.ask(user.requests["show"])
        user.ask(create)
    streams: list[Stream] = []
    memory, threads = 0.0, 0
    for i in range(0, len(tokens), OPENING):
        ports = [started[j % len(started)].port for j in range(OPENING)]
        streams += await asyncio.gather(*map(_connect, ports, tokens[i : i + OPENING]))
        if i == 0:
            memory, threads = _resident(started), _threads(started)
    await asyncio.sleep(1)
    more_threads = _threads(started) - threads
    ticks = _ticks(started)
    await asyncio.sleep(IDLE_SECONDS)
    idle = (_ticks(started) - ticks) / IDLE_SECONDS
    more_memory = _resident(started) - memory
    ticks = _ticks(started)
    delays = sorted([await _delays(streams, user, create) for _ in range(CHANGES)], key=lambda each: each[1])
    busy = (_ticks(started) - ticks) * 10 / CHANGES
    first, last = delays[len(delays) // 2]
    for _, writer in streams:
        writer.close()
    return [f"{more_memory:.1f}", str(more_threads), f"{idle:.1f} %", f"{busy:,.0f}", f"{first * 1000:,.0f}", f"{last * 1000:,.0f}"]


Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def _connect(port: int, token: str) -> Stream:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET /api/changes/stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
    await reader.readuntil(b"id: ")
    return reader, writer


async def _delays(streams: list[Stream], user: User, create: Request) -> tuple[float, float]:
    """The seconds until the first and the last stream have the new event."""
    began = time.perf_counter()
    arrivals = asyncio.gather(*(_arrival(reader) for reader, _ in streams))
    await asyncio.to_thread(user.ask, create)
    times = await arrivals
    return min(times) - began, max(times) - began


async def _arrival(reader: asyncio.StreamReader) -> float:
    await reader.readuntil(b"data: ")
    arrived = time.perf_counter()
    await reader.readuntil(b"id: ")
    return arrived


def _resident(started: Sequence[Server]) -> float:
    return sum(server.resident for server in started)


def _ticks(started: Sequence[Server]) -> int:
    return sum(server.ticks for server in started)


def _threads(started: Sequence[Server]) -> int:
    return sum(len(list(Path(f"/proc/{pid}/task").iterdir())) for server in started for pid in server.pids)
