"""A real Prometheus with the files of `deploy/` scrapes a service, runs every query of the dashboard, and fires the alerts."""

import json
import math
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.http.test_dashboard import panel_queries
from tests.serve.running import Running, eventually

DEPLOY = Path(__file__).parents[2] / "deploy"
TOKEN = "figures-please"
# Without replicas there is nothing to show of them.
OF_REPLICAS = ("kalends_database_reads_total", "kalends_replica_lag_seconds")
# Samples of each minute of half an hour, as promtool writes them. The first of the two servers in KALENDS_REPLICAS is the primary.
HEALTHY = {
    'up{job="kalends", instance="one"}': "1x30",
    'kalends_requests_total{instance="one", endpoint="GET /", status="200"}': "0+600x30",
    'kalends_requests_total{instance="one", endpoint="GET /", status="500"}': "0+1x30",
    'kalends_deliveries_oldest_seconds{instance="one", channel="email", state="queued"}': "600x30",
    'kalends_deliveries_waiting{instance="one", channel="email", state="queued"}': "2x30",
    'kalends_deliveries_last_hour{instance="one", channel="email", state="sent"}': "3x30",
    'kalends_deliveries_last_hour{instance="one", channel="email", state="failed"}': "0x30",
    'kalends_replica_lag_seconds{instance="one", server="db1"}': "+Inf " * 31,
    'kalends_replica_lag_seconds{instance="one", server="db2"}': "0.1x30",
}
FAULTS = {
    "KalendsDown": {'up{job="kalends", instance="one"}': "0x30"},
    "KalendsErrors": {'kalends_requests_total{instance="one", endpoint="GET /", status="500"}': "0+20x30"},
    "KalendsMessagesWait": {'kalends_deliveries_oldest_seconds{instance="one", channel="email", state="queued"}': "4000+60x30"},
    "KalendsSendsNothing": {'kalends_deliveries_last_hour{instance="one", channel="email", state="sent"}': "0x30"},
    "KalendsReplicasLag": {'kalends_replica_lag_seconds{instance="one", server="db2"}': "6x30"},
}


@pytest.fixture
def prometheus(tmp_path: Path) -> Iterator[int]:
    """The port of a Prometheus that has counted some requests of a service."""
    program = shutil.which("prometheus")
    if program is None:
        pytest.skip("prometheus is not installed (Debian: sudo apt-get install prometheus).")
    with ExitStack() as started:
        service = Running(tmp_path, metrics_token=TOKEN)
        started.callback(service.stop)
        port = _start_prometheus(started, program, tmp_path, service.ready().port)

        def is_counted() -> bool:
            assert service.get("/healthz").status == 200
            return any(value > 0 for value in _query(port, 'rate(kalends_requests_total{endpoint="GET /healthz"}[1m])'))

        eventually(is_counted)
        yield port


def _start_prometheus(started: ExitStack, program: str, folder: Path, upstream: int) -> int:
    (folder / "token").write_text(TOKEN)
    text = (DEPLOY / "prometheus.yml").read_text()
    for theirs, ours in {
        "scrape_interval: 15s": "scrape_interval: 200ms",
        "/etc/prometheus/kalends_metrics_token": str(folder / "token"),
        '["10.0.0.11:8000", "10.0.0.12:8000"]': f'["127.0.0.1:{upstream}"]',
    }.items():
        assert text.count(theirs) == 1, theirs
        text = text.replace(theirs, ours)
    (folder / "prometheus.yml").write_text(text)
    shutil.copy(DEPLOY / "alerts.yml", folder)
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


def _query(port: int, expression: str) -> list[float]:
    """The values of the result of a query."""
    result = _ask(port, "/api/v1/query", query=expression)["result"]
    return [value for value in (float(sample["value"][1]) for sample in result) if not math.isnan(value)]


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
def test_every_query_of_the_dashboard_returns_data(prometheus: int) -> None:
    for expression in panel_queries():
        # Grafana replaces its variables: here by all servers and an interval with several scrapes.
        values = _query(prometheus, expression.replace("$instance", ".*").replace("$__rate_interval", "1m"))
        assert values or any(name in expression for name in OF_REPLICAS), expression


@pytest.mark.soak
def test_prometheus_loads_the_alerts_and_none_fires_for_a_service_that_runs(prometheus: int) -> None:
    [group] = _ask(prometheus, "/api/v1/rules")["groups"]
    assert {rule["name"]: rule["state"] for rule in group["rules"]} == dict.fromkeys(FAULTS, "inactive")


def _promtool(*arguments: str | Path) -> str:
    program = shutil.which("promtool")
    if program is None:
        pytest.skip("promtool is not installed (Debian: sudo apt-get install prometheus).")
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_promtool_finds_no_mistake_in_the_alerts() -> None:
    assert f"SUCCESS: {len(FAULTS)} rules found" in _promtool("check", "rules", DEPLOY / "alerts.yml")


@pytest.mark.parametrize("alert", [*FAULTS, None])
def test_each_alert_fires_for_its_fault_alone(alert: str | None, tmp_path: Path) -> None:
    series = HEALTHY | (FAULTS[alert] if alert else {})
    firing = {
        "expr": 'count by (alertname) (ALERTS{alertstate="firing"})',
        "eval_time": "25m",
        "exp_samples": [{"labels": f'{{alertname="{alert}"}}', "value": 1}] if alert else [],
    }
    test = {
        "interval": "1m",
        "input_series": [{"series": name, "values": values} for name, values in series.items()],
        "promql_expr_test": [firing],
    }
    # JSON is YAML too.
    file = tmp_path / "test.json"
    file.write_text(json.dumps({"rule_files": [str(DEPLOY / "alerts.yml")], "evaluation_interval": "1m", "tests": [test]}))
    _promtool("test", "rules", file)
