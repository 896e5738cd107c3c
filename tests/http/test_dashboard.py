"""The dashboard for Grafana and the alerts in `deploy/` name metrics that the service exports, by labels that they have."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from prometheus_client import REGISTRY

from kalends.db import Database, last_runs
from kalends.db.postgres import replicas
from kalends.http.serving.load_meter import LoadMeter
from kalends.http.serving.request_queue import RequestQueue
from tests.cast import Cast
from tests.conftest import NOON

DEPLOY = Path(__file__).parents[2] / "deploy"
DASHBOARD = DEPLOY / "grafana.json"
# Those that Prometheus adds, and the bound of a histogram's bucket.
ADDED = {"instance", "le"}


def _expressions() -> Iterator[str]:
    dashboard = json.loads(DASHBOARD.read_text())
    yield from (variable["query"]["query"] for variable in dashboard["templating"]["list"] if variable["type"] == "query")
    yield from panel_queries()


def panel_queries() -> Iterator[str]:
    """The queries of all panels, with Grafana's variables."""
    for panel in json.loads(DASHBOARD.read_text())["panels"]:
        yield from (target["expr"] for target in panel["targets"])


def _alerts() -> list[str]:
    return re.findall(r"^ +expr: (.*kalends_.*)$", (DEPLOY / "alerts.yml").read_text(), re.MULTILINE)


@pytest.fixture
def exported(cast: Cast, db: Database) -> str:
    # A request that is counted before the metrics are read.
    cast.anonymous.get("/healthz")
    replicas.reads.labels("primary", "behind").inc(0)
    LoadMeter(lambda: 0, lambda: 0, {"request": RequestQueue(db, threads=1, queue=1)}, db).measure()
    with db.write() as tx:
        last_runs.record(tx, "worker", NOON)
    reply = cast.anonymous.get("/metrics", headers={"Authorization": "Bearer figures-please"})
    assert reply.status == 200
    return reply.text


def test_each_metric_of_the_dashboard_and_the_alerts_is_exported(exported: str) -> None:
    samples = set(re.findall(r"^(\w+)[{ ]", exported, re.MULTILINE)) | set(re.findall(r"^# TYPE (\w+)", exported, re.MULTILINE))
    assert _alerts()
    for expression in [*_expressions(), *_alerts()]:
        named = set(re.findall(r"\b(?:kalends|process)_\w+", expression))
        assert named, expression
        assert named <= samples, expression


def test_each_metric_of_the_service_is_on_the_dashboard() -> None:
    expressions = " ".join(_expressions())
    for family in REGISTRY.collect():
        assert not family.name.startswith("kalends_") or family.name in expressions, family.name


def test_the_dashboard_and_the_alerts_group_by_labels_that_are_there(exported: str) -> None:
    labels = set(re.findall(r'[{,](\w+)="', exported)) | ADDED
    for expression in [*_expressions(), *_alerts()]:
        for group in re.findall(r" by \(([^)]+)\)", expression):
            assert set(group.split(", ")) <= labels, expression
