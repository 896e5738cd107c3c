"""Running the load generator `wrk`, and reading what it says."""

import json
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

from msgspec import Struct

from bench.servers import CLIENT_CORE

CONNECTIONS = 16
TIMEOUT = 30
MILLISECONDS = {"us": 0.001, "ms": 1, "s": 1000, "m": 60_000}


class Request(Struct, frozen=True):
    """What is asked: a GET or, with fields, a POST."""

    path: str
    fields: dict[str, str | int] = {}


class Figures(Struct, frozen=True):
    """Requests a second, milliseconds within which half and 99 of 100 were answered, and the cores that wrk itself took."""

    rate: float
    p50: float
    p99: float
    cores: float


def require() -> None:
    """Stop with one clear line where wrk is missing."""
    if shutil.which("wrk") is None:
        sys.exit("The load generator wrk is missing. On Debian and Ubuntu it is installed with: apt-get install wrk")


def measured(
    port: int,
    asked: Request,
    token: str,
    seconds: int,
    *,
    connections: int = CONNECTIONS,
    cores: str = CLIENT_CORE,
    may_fail: bool = False,
) -> Figures:
    """Ask for so long, on so many connections, from these cores. Of a server that may fail, the good answers count."""
    command = ["taskset", "-c", cores, "wrk", "-t1", f"-c{connections}", f"-d{seconds}s", f"--timeout={TIMEOUT}s", "--latency"]
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        if asked.fields:
            body = json.dumps(asked.fields)
            script.write(f"wrk.method='POST'; wrk.headers['Content-Type']='application/json'; wrk.body='{body}'")
            script.flush()
            command += ["-s", script.name]
        command += ["-H", f"Authorization: Bearer {token}", f"http://127.0.0.1:{port}{asked.path}"]
        used = _used()
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    if not may_fail and ("Non-2xx" in said or "Socket errors" in said):
        sys.exit(f"{asked.path} was not answered well:\n{said}")
    return Figures(_rate(said), _milliseconds(said, "50%"), _milliseconds(said, "99%"), (_used() - used) / seconds)


def median(rounds: list[Figures]) -> Figures:
    """The median of each figure."""
    return Figures(*(statistics.median(getattr(each, name) for each in rounds) for name in Figures.__struct_fields__))


def _used() -> float:
    """The seconds of processor time that ended child processes took."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def _rate(said: str) -> float:
    """Good answers a second."""
    failed = re.search(r"Non-2xx or 3xx responses: (\d+)", said)
    share = int(failed[1]) / int(_found(r"(\d+) requests in", said)[1]) if failed else 0
    return float(_found(r"Requests/sec:\s+([\d.]+)", said)[1]) * (1 - share)


def _milliseconds(said: str, share: str) -> float:
    number, unit = _found(rf"{share}\s+([\d.]+)(us|ms|s|m)", said).groups()
    return float(number) * MILLISECONDS[unit]


def _found(pattern: str, said: str) -> re.Match[str]:
    found = re.search(pattern, said)
    assert found is not None, said
    return found
