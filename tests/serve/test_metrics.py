"""Figures for Prometheus, gathered over all server processes."""

from tests.serve.conftest import Start
from tests.serve.running import bearer


def test_the_figures_count_the_requests_of_every_process(start: Start) -> None:
    service = start("--workers", "2", metrics_token="figures-please")
    for _ in range(40):
        assert service.get("/healthz").status == 200
    found = service.get("/metrics", headers=bearer("figures-please"))
    assert found.status == 200
    assert 'kalends_requests_total{endpoint="GET /healthz",status="200"} 40.0' in found.text
    counted = {file.stem.rpartition("_")[2] for file in (service.folder / "data" / "metrics").glob("counter_*.db")}
    assert counted == {str(pid) for pid in service.servers}
    assert len(counted) == 2


def test_the_figures_are_for_those_who_know_the_token(start: Start) -> None:
    service = start(metrics_token="figures-please")
    for headers in ({}, bearer("wrong"), {"Authorization": "figures-please"}):
        refused = service.get("/metrics", headers=headers)
        assert (refused.status, refused.headers["WWW-Authenticate"]) == (401, "Bearer")


def test_without_the_setting_there_are_no_figures(start: Start) -> None:
    service = start()
    assert service.get("/metrics").status == 404
    assert service.get("/metrics", headers=bearer("")).status in (401, 404)
