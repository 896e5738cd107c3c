"""A real Prometheus with the file of `deploy/` scrapes a service, and runs every query of the dashboard."""

import json
import math
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.http.test_dashboard import panel_queries
from tests.serve.running import Running, eventually

CONFIGURATION = Path(__file__).parents[2] / "deploy" / "prometheus.yml"
TOKEN = "figures-please"
# Without replicas there is nothing to show of them.
OF_REPLICAS = ("kalends_database_reads_total", "kalends_replica_lag_seconds")

# The values of the result of a query.
Query = Callable[[str], list[float]]


@pytest.fixture
def query(tmp_path: Path) -> Iterator[Query]:
    """Queries to a Prometheus that has counted some requests of a service."""
    program = shutil.which("prometheus")
    if program is None:
        pytest.skip("prometheus is not installed (Debian: sudo apt-get install prometheus).")
    with ExitStack() as started:
        service = Running(tmp_path, metrics_token=TOKEN)
        started.callback(service.stop)
        port = _start_prometheus(started, program, tmp_path, service.ready().port)

        def find_values(expression: str) -> list[float]:
            result = _ask(port, "/api/v1/query", query=expression)["result"]
            return [value for value in (float(sample["value"][1]) for sample in result) if not math.isnan(value)]

        def is_counted() -> bool:
            assert service.get("/healthz").status == 200
            return any(value > 0 for value in find_values('rate(kalends_requests_total{endpoint="GET /healthz"}[1m])'))

        eventually(is_counted)
        yield find_values


def _start_prometheus(started: ExitStack, program: str, folder: Path, upstream: int) -> int:
    (folder / "token").write_text(TOKEN)
    text = CONFIGURATION.read_text()
    for theirs, ours in {
        "scrape_interval: 15s": "scrape_interval: 200ms",
        "/etc/prometheus/kalends_metrics_token": str(folder / "token"),
        '["10.0.0.11:8000", "10.0.0.12:8000"]': f'["127.0.0.1:{upstream}"]',
    }.items():
        assert text.count(theirs) == 1, theirs
        text = text.replace(theirs, ours)
    (folder / "prometheus.yml").write_text(text)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    options = [f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/figures", f"--web.listen-address=127.0.0.1:{port}"]
    log = started.enter_context((folder / "prometheus.log").open("w"))
    process = started.enter_context(subprocess.Popen([program, *options], stdout=log, stderr=log))
    started.callback(process.terminate)
    eventually(lambda: _is_ready(port))
    return port


def _is_ready(port: int) -> bool:
    try:
        return _get(port, "/-/ready")[0] == 200
    except OSError:
        return False


def _ask(port: int, path: str, **params: str) -> Any:
    status, content = _get(port, f"{path}?{urlencode(params)}")
    assert status == 200, (params, content)
    return json.loads(content)["data"]


def _get(port: int, path: str) -> tuple[int, bytes]:
    connection = HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request("GET", path)
        reply = connection.getresponse()
        return reply.status, reply.read()
    finally:
        connection.close()


@pytest.mark.soak
def test_every_query_of_the_dashboard_returns_data(query: Query) -> None:
    for expression in panel_queries():
        # Grafana replaces its variables: here by all servers and an interval with several scrapes.
        values = query(expression.replace("$instance", ".*").replace("$__rate_interval", "1m"))
        assert values or any(name in expression for name in OF_REPLICAS), expression
