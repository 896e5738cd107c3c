"""Running the load generator `wrk`, and parsing its output."""

import json
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from uuid import uuid4

from msgspec import Struct

from bench.servers import CLIENT_CORE

CONNECTIONS = 16
TIMEOUT = 30
MILLISECONDS = {"us": 0.001, "ms": 1, "s": 1000, "m": 60_000}


# In the path, the fields and the body of a request: a text that each request has once.
NEW = "new-number"


class Request(Struct, frozen=True):
    """A GET; with fields, a POST of JSON; or another method with its body."""

    path: str
    fields: dict[str, str | int] = {}
    method: str = ""
    body: str = ""
    language: str = "en"


class Figures(Struct, frozen=True):
    """Requests a second, the 50th and 99th percentile of the latency in milliseconds, the cores that wrk itself used, and the number of
    requests."""

    rate: float
    p50: float
    p99: float
    cores: float
    requests: float


def require() -> None:
    """Stop with one clear line where wrk is missing."""
    if shutil.which("wrk") is None:
        sys.exit("The load generator wrk is missing. On Debian and Ubuntu it is installed with: apt-get install wrk")


def measured(
    port: int,
    request: Request,
    authorization: str,
    seconds: int,
    *,
    connections: int = CONNECTIONS,
    cores: str = CLIENT_CORE,
    may_fail: bool = False,
) -> Figures:
    """Send requests for these seconds, on these connections, from these cores, without authorization as a guest. Of a server that may
    fail, the good replies count."""
    script = _script(request) if request.fields or request.method else ""
    return _run(port, request.path, script, authorization, seconds, connections=connections, cores=cores, may_fail=may_fail)


def measured_varied(
    port: int,
    requests: Sequence[Request],
    authorization: str,
    seconds: int,
    *,
    connections: int = CONNECTIONS,
    cores: str = CLIENT_CORE,
    may_fail: bool = False,
) -> Figures:
    """Send these requests in turn, again from the first when all are sent; only those with fields are POSTs."""
    with tempfile.NamedTemporaryFile("w", suffix=".tsv") as file:
        for request in requests:
            print(request.language, request.path, json.dumps(request.fields) if request.fields else "", sep="\t", file=file)
        file.flush()
        script = _EACH % file.name
        return _run(port, requests[0].path, script, authorization, seconds, connections=connections, cores=cores, may_fail=may_fail)


_EACH = """
    local requests, number = {}, 0
    function init()
        for line in io.lines('%s') do
            local language, path, body = line:match('(.-)\\t(.-)\\t(.*)')
            wrk.headers['Accept-Language'] = language
            wrk.headers['Content-Type'] = body ~= '' and 'application/json' or nil
            table.insert(requests, wrk.format(body ~= '' and 'POST' or 'GET', path, nil, body ~= '' and body or nil))
        end
    end
    function request()
        number = number %% #requests + 1
        return requests[number]
    end
"""


def _run(
    port: int,
    path: str,
    script: str,
    authorization: str,
    seconds: int,
    *,
    connections: int = CONNECTIONS,
    cores: str = CLIENT_CORE,
    may_fail: bool = False,
) -> Figures:
    command = ["taskset", "-c", cores, "wrk", "-t1", f"-c{connections}", f"-d{seconds}s", f"--timeout={TIMEOUT}s", "--latency"]
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
        if script:
            file.write(script)
            file.flush()
            command += ["-s", file.name]
        command += ["-H", f"Authorization: {authorization}"] if authorization else []
        command.append(f"http://127.0.0.1:{port}{path}")
        used = _used()
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    if not may_fail and ("Non-2xx" in output or "Socket errors" in output):
        sys.exit(f"{path} had bad replies:\n{output}")
    requests = int(_search(r"(\d+) requests in", output)[1])
    return Figures(_rate(output), _milliseconds(output, "50%"), _milliseconds(output, "99%"), (_used() - used) / seconds, requests)


def _script(request: Request) -> str:
    """Lua; the escapes of JSON are Lua's too."""
    media_type, body = ("application/json", json.dumps(request.fields)) if request.fields else ("text/plain", request.body)
    set_up = f"wrk.method = '{request.method or 'POST'}'; wrk.headers['Content-Type'] = '{media_type}'; wrk.body = {json.dumps(body)}"
    if NEW not in request.path + body:
        return set_up
    pattern, prefix = NEW.replace("-", "%-"), uuid4().hex
    return f"""{set_up}
        local number = 0
        function request()
            number = number + 1
            local new = '{prefix}-' .. number
            return wrk.format(nil, (wrk.path:gsub('{pattern}', new)), nil, (wrk.body:gsub('{pattern}', new)))
        end"""


def median(rounds: list[Figures]) -> Figures:
    """The median of each figure."""
    return Figures(*(statistics.median(getattr(each, name) for each in rounds) for name in Figures.__struct_fields__))


def _used() -> float:
    """The seconds of processor time that ended child processes took."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def _rate(output: str) -> float:
    """Good replies a second."""
    failed = re.search(r"Non-2xx or 3xx responses: (\d+)", output)
    share = int(failed[1]) / int(_search(r"(\d+) requests in", output)[1]) if failed else 0
    return float(_search(r"Requests/sec:\s+([\d.]+)", output)[1]) * (1 - share)


def _milliseconds(output: str, share: str) -> float:
    number, unit = _search(rf"{share}\s+([\d.]+)(us|ms|s|m)", output).groups()
    return float(number) * MILLISECONDS[unit]


def _search(pattern: str, output: str) -> re.Match[str]:
    match = re.search(pattern, output)
    assert match is not None, output
    return match
