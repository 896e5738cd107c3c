"""A thousand clients that follow changes by server-sent events: their memory and threads, and how soon a change reaches all of them."""

import asyncio
import resource
import time
from pathlib import Path

from bench import servers
from bench.databases import FEW, KINDS, Databases
from bench.report import Report, table
from bench.servers import Server
from bench.user import User

FOLLOWERS = 1_000
IDLE_SECONDS = 10
CHANGES = 5
# Connections that are opened at once.
OPENING = 20
MOST_MEMORY, MOST_DELAY = 30, 1_000
HOW = f"""One worker process, {FEW:,} events, {FOLLOWERS:,} streams of one user over all calendars: each change concerns every stream.
Streams that are alike share the run of the request, as those of guests of one calendar do; with others, the request runs for each.
The delay runs from the request that creates an event to the arrival at the last stream; the median of {CHANGES} changes.
The processor time is that of the server while nothing changes."""


def measure(databases: Databases, report: Report, *, quick: bool) -> None:
    """Write the table."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 4 * FOLLOWERS)), hard))
    rows = []
    for kind in KINDS:
        for streams in ("alike", "each its own"):
            with databases.copy(kind, FEW) as where, servers.kalends(where) as server:
                rows.append([kind, streams, *asyncio.run(_follow(server, 100 if quick else FOLLOWERS, alike=streams == "alike"))])
    costs = ["MiB for all", "threads for all", "idle processor time", "processor time of a change, ms"]
    head = ["database", "streams", *costs, "first, ms", "last, ms"]
    goals = ["goal", "", f"at most {MOST_MEMORY}", "0", "", "", "", f"at most {MOST_DELAY:,}"]
    report.write("followers", "Followers of changes", [table(head, [*rows, goals]), HOW])


async def _follow(server: Server, followers: int, *, alike: bool) -> list[str]:
    user = User(server.port)
    for _ in range(100):
        user.ask(user.requests["show"])
        user.ask(user.requests["create"])
    streams = await _open(server, user, [0] * OPENING)
    memory, threads = server.resident, _threads(server)
    while len(streams) < followers:
        streams += await _open(server, user, [0 if alike else len(streams) + i for i in range(OPENING)])
    await asyncio.sleep(1)
    more_threads = _threads(server) - threads
    ticks = server.ticks
    await asyncio.sleep(IDLE_SECONDS)
    idle = (server.ticks - ticks) / IDLE_SECONDS
    more_memory = server.resident - memory
    ticks = server.ticks
    delays = sorted([await _delays(streams, user) for _ in range(CHANGES)], key=lambda each: each[1])
    busy = (server.ticks - ticks) * 10 / CHANGES
    first, last = delays[len(delays) // 2]
    for _, writer in streams:
        writer.close()
    return [f"{more_memory:.1f}", str(more_threads), f"{idle:.1f} %", f"{busy:,.0f}", f"{first * 1000:,.0f}", f"{last * 1000:,.0f}"]


Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def _open(server: Server, user: User, numbers: list[int]) -> list[Stream]:
    return list(await asyncio.gather(*(_connect(server, user, number) for number in numbers)))


async def _connect(server: Server, user: User, number: int) -> Stream:
    """Streams with different limits are not alike."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    path = f"/api/changes/stream?limit={100 + number}"
    writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: {user.authorization}\r\n\r\n".encode())
    await reader.readuntil(b"id: ")
    return reader, writer


async def _delays(streams: list[Stream], user: User) -> tuple[float, float]:
    """The seconds until the first and the last stream have the new event."""
    began = time.perf_counter()
    arrivals = asyncio.gather(*(_arrival(reader) for reader, _ in streams))
    await asyncio.to_thread(user.ask, user.requests["create"])
    times = await arrivals
    return min(times) - began, max(times) - began


async def _arrival(reader: asyncio.StreamReader) -> float:
    await reader.readuntil(b"data: ")
    arrived = time.perf_counter()
    await reader.readuntil(b"id: ")
    return arrived


def _threads(server: Server) -> int:
    return sum(len(list(Path(f"/proc/{pid}/task").iterdir())) for pid in server.pids)
