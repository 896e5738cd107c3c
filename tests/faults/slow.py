"""A thousand slow clients beside a few fast ones."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from bench import load as events
from bench.user import User
from bench.wrk import Request
from kalends.core import settings
from tests.faults.load import allow_files, encode_request, offer
from tests.faults.row import Row
from tests.serve.running import Running

ROOT = Path(__file__).parent.parent.parent
FAST_CLIENTS = 4
EVENTS = 10_000
GOAL = "fast clients' p99 at most twice the baseline"


def show(
    folder: Path, number: int, rounds: int, seconds: float, after: Callable[[], object] = lambda: None, event_count: int = EVENTS
) -> Row:
    """Fast clients alone and beside slow ones, alternately, so that a busy machine slows both."""
    allow_files(number + 500)
    events.fill(settings.load({"data": str(folder / "data"), "database": ""}), event_count)
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    service = Running(folder, "--no-work", rate_limits="off", access_log="off").ready()
    os.sched_setaffinity(0, cores - {min(cores)} or cores)
    alone, beside, held, memory = [], [], [], []
    try:
        user = User(service.port)
        request = encode_request("GET", user.requests["show"].path, user.token)
        (server,) = service.servers
        offer(service.port, request, 1, FAST_CLIENTS)
        before = _resident(server)
        for _ in range(rounds):
            alone.append(offer(service.port, request, seconds, FAST_CLIENTS).milliseconds(200, 0.99))
            with _slow(service.port, number, _large(user)):
                beside.append(offer(service.port, request, seconds, FAST_CLIENTS).milliseconds(200, 0.99))
                held.append(_connections(server))
                memory.append(_resident(server) - before)
            after()
    finally:
        service.stop()
        os.sched_setaffinity(0, cores)
    ratio = median(beside) / median(alone)
    figures = (
        f"{number:,} slow connections (headers, bodies, reading), {min(held):,} open at the end of each round or more; fast clients' p99 "
        f"{median(alone):.2f} ms alone and {median(beside):.2f} ms beside them, {ratio:.2f} times (medians of {rounds}); "
        f"{max(memory):.0f} MiB more memory"
    )
    return Row("1,000 slow connections", "SQLite", figures, GOAL, min(held) >= number * 0.9, ratio <= 2)


def _large(user: User) -> str:
    """The path of a public reply of hundreds of kilobytes."""
    calendars = user.json(Request("/api/calendars"))["calendars"]
    calendar = next(each for each in calendars if each["public"])
    return f"/api/calendars/{calendar['id']}.ics"


@contextmanager
def _slow(port: int, number: int, path: str) -> Iterator[None]:
    command = [sys.executable, "-m", "tests.faults.trickle", str(port), str(number), path]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        yield
    finally:
        process.kill()
        process.wait()


def _connections(pid: int) -> int:
    folder = Path(f"/proc/{pid}/fd")
    return sum(_is_socket(link) for link in folder.iterdir())


def _is_socket(link: Path) -> bool:
    try:
        return str(link.readlink()).startswith("socket:")
    except OSError:
        return False


def _resident(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS"))
