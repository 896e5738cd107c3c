"""Starting the measured servers on cores of their own, and measuring their memory."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from bench.databases import FOLDER, Where

SERVER_CORE, CLIENT_CORE = "0", "1"
BOTH_CORES = "0,1"
QUIET = {"KALENDS_ACCESS_LOG": "off", "KALENDS_RATE_LIMITS": "off"}
# The usual stack is installed apart from the service.
USUAL_PYTHON = ".venv-bench/bin/python"
START_SECONDS = 60
LOG = FOLDER / "servers.log"


class Server(Struct, frozen=True):
    """A started server, and how many seconds it took to its first good reply."""

    port: int
    pid: int
    started_in: float

    @property
    def resident(self) -> float:
        """The MiB of the process that serves requests: the parent only supervises it."""
        return max(_resident(pid) for pid in (self.pid, *_children(self.pid)))


@contextmanager
def kalends(where: Where, *, cores: str = SERVER_CORE, workers: int = 1, work: bool = False) -> Iterator[Server]:
    """The service as users start it; by default without its background worker."""
    command = [sys.executable, "-m", "kalends", "serve", "--workers", str(workers), *where.options, *([] if work else ["--no-work"])]
    with _started(cores, command) as server:
        yield server


@contextmanager
def constant(*, cores: str = SERVER_CORE) -> Iterator[Server]:
    """The server of the constant reply."""
    with _started(cores, [sys.executable, "-m", "bench.constant"]) as server:
        yield server


@contextmanager
def usual(where: Where, *, cores: str = SERVER_CORE) -> Iterator[Server]:
    """The usual stack."""
    with _started(cores, [USUAL_PYTHON, "-m", "bench.usual", *where.options]) as server:
        yield server


@contextmanager
def _started(cores: str, command: list[str]) -> Iterator[Server]:
    port = _free_port()
    began = time.perf_counter()
    with LOG.open("ab") as log:
        environment = os.environ | QUIET | {"KALENDS_PORT": str(port)}
        process = subprocess.Popen(["taskset", "-c", cores, *command], env=environment, stdout=log, stderr=log)
    try:
        _wait(process, port)
        yield Server(port, process.pid, time.perf_counter() - began)
    finally:
        process.terminate()
        process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(process: "subprocess.Popen[bytes]", port: int) -> None:
    """Wait until it replies successfully."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
                connection.sendall(b"GET /readyz HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n")
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
