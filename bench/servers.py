"""Starting the measured servers on cores of their own, and measuring their memory."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec import Struct

from bench.databases import FOLDER, Where

SERVER_CORE, CLIENT_CORE = "0", "1"
BOTH_CORES = "0,1"
QUIET = {"KALENDS_ACCESS_LOG": "off", "KALENDS_RATE_LIMITS": "off", "KALENDS_QUOTA_EVENTS": "0", "KALENDS_SOURCES": "any"}
# What the service is compared with is installed apart from it.
OTHERS = Path(".venv-bench/bin")
START_SECONDS = 60
STOP_SECONDS = 10
# In the command of a server that does not read its port from the environment.
PORT = "{port}"
# A server is idle if it used no processor time for this long.
IDLE_SECONDS = 0.1
SETTLE_SECONDS = 20
TICK_MILLISECONDS = 10
LOG = FOLDER / "servers.log"


class Server(Struct, frozen=True):
    """A started server, and how many seconds it took to its first good reply."""

    port: int
    pid: int
    started_in: float

    @property
    def resident(self) -> float:
        """The MiB of the process that serves requests: the parent only supervises it."""
        return max(_resident(pid) for pid in self.pids)

    def settle(self) -> None:
        """Wait until it is idle: it may still work on requests whose client has gone, and the next server needs the core."""
        deadline = time.monotonic() + SETTLE_SECONDS
        used = -1
        while used != (used := self.ticks) and time.monotonic() < deadline:
            time.sleep(IDLE_SECONDS)

    @property
    def pids(self) -> tuple[int, ...]:
        return (self.pid, *_children(self.pid))

    @property
    def ticks(self) -> int:
        """The processor time that it has used, in the kernel's ticks of 10 ms."""
        return ticks(self.pids)


def processor_time(pids: Iterable[int]) -> float:
    """The processor time that the processes and their children have used, in milliseconds, also in threads and children that have ended."""
    return sum(_own_time(each) for pid in pids for each in (pid, *_children(pid)))


def _own_time(pid: int) -> float:
    """What clock_getcpuclockid(3) returns for the process is the clock of all its threads."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ended_children = (int(stat[13]) + int(stat[14])) * TICK_MILLISECONDS
        return time.clock_gettime_ns((~pid << 3) | 2) / 1_000_000 + ended_children
    except OSError:
        # It has ended.
        return 0


def ticks(pids: Iterable[int]) -> int:
    """The processor time that the processes have used, in the kernel's ticks of 10 ms."""
    stats = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in pids]
    return sum(int(stat[11]) + int(stat[12]) for stat in stats)


@contextmanager
def kalends(where: Where, *, cores: str = SERVER_CORE, workers: int = 1, work: bool = False) -> Iterator[Server]:
    """The service as users start it; by default without its background worker."""
    serve = [sys.executable, "-c", "from kalends.cli import main; main()", "serve", "--workers", str(workers), *where.options]
    with _started(cores, [*serve, *([] if work else ["--no-work"])]) as server:
        yield server


@contextmanager
def constant(*, cores: str = SERVER_CORE) -> Iterator[Server]:
    """The server of the constant reply."""
    with _started(cores, [sys.executable, "-m", "bench.constant"]) as server:
        yield server


@contextmanager
def usual(where: Where, *, cores: str = SERVER_CORE) -> Iterator[Server]:
    """The usual stack."""
    with _started(cores, [str(OTHERS / "python"), "-m", "bench.usual", *where.options]) as server:
        yield server


@contextmanager
def strong(where: Where, *, cores: str = SERVER_CORE) -> Iterator[Server]:
    """The same requests with SQL by hand."""
    with _started(cores, [str(OTHERS / "python"), "-m", "bench.strong", *where.options]) as server:
        yield server


@contextmanager
def radicale(config: Path, *, cores: str = SERVER_CORE) -> Iterator[Server]:
    """Radicale behind Granian, which is twice as fast as its own server, and with as many threads as the service."""
    options = "--interface wsgi --blocking-threads 8 --log-level error".split()
    command = [str(OTHERS / "granian"), *options, "radicale:application"]
    with _started(cores, command, ready="/.web/", RADICALE_CONFIG=str(config)) as server:
        yield server


@contextmanager
def xandikos(folder: Path, *, cores: str = SERVER_CORE) -> Iterator[Server]:
    """Xandikos with its own server and its indexes loaded."""
    command = [str(OTHERS / "xandikos"), "serve", "--eager", "--no-detect-systemd", "-l", "127.0.0.1", "-p", PORT]
    with _started(cores, [*command, "-d", str(folder)], ready="/") as server:
        yield server


@contextmanager
def _started(cores: str, command: list[str], *, ready: str = "/readyz", **environment: str) -> Iterator[Server]:
    port = _free_port()
    environment |= {"KALENDS_PORT": str(port), "GRANIAN_PORT": str(port)}
    began = time.perf_counter()
    command = [str(port) if argument == PORT else argument for argument in command]
    with LOG.open("ab") as log:
        process = subprocess.Popen(["taskset", "-c", cores, *command], env=os.environ | QUIET | environment, stdout=log, stderr=log)
    try:
        _wait(process, port, ready)
        yield Server(port, process.pid, time.perf_counter() - began)
    finally:
        _stop(process)


def _stop(process: "subprocess.Popen[bytes]") -> None:
    """A server that still works on a request, and would end after it, is killed with its children."""
    pids = [] if process.poll() is not None else [process.pid, *_children(process.pid)]
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(process: "subprocess.Popen[bytes]", port: int, path: str) -> None:
    """Wait until it replies successfully."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
                connection.sendall(f"GET {path} HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n".encode())
                if connection.recv(12) == b"HTTP/1.1 200":
                    return
        except OSError:
            pass
        time.sleep(0.005)
    sys.exit(f"A server did not start. {LOG} says why.")


def _resident(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
