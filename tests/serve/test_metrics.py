"""Figures for Prometheus, gathered over all server processes."""

from collections.abc import Iterator

import pytest

from kalends import __version__
from tests.serve.conftest import Start
from tests.serve.running import Running, bearer


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    running = Running(tmp_path_factory.mktemp("metrics"), "--no-work", metrics_token="figures-please")
    yield running.ready()
    running.stop()


@pytest.mark.on_one_database
def test_the_metrics_count_the_requests_of_every_process(start: Start, database: str) -> None:
    service = start("--workers", "2", metrics_token="figures-please", database=database)
    for _ in range(40):
        assert service.get("/healthz").status == 200
    reply = service.get("/metrics", headers=bearer("figures-please"))
    assert reply.status == 200
    assert 'kalends_requests_total{endpoint="GET /healthz",status="200"} 40.0' in reply.text
    counted = {file.stem.rpartition("_")[2] for file in (service.folder / "data" / "metrics").glob("counter_*.db")}
    assert counted == {str(pid) for pid in service.servers}
    assert len(counted) == 2


@pytest.mark.soak
def test_invented_methods_create_no_metrics(service: Running) -> None:
    for number in range(5):
        assert service.request(f"FETCH{number}", "/healthz").status == 405
        assert service.request(f"FETCH{number}", "/healthz", headers={"Content-Length": "99999999"}).status == 413
    metrics = service.get("/metrics", headers=bearer("figures-please")).text
    assert 'kalends_requests_total{endpoint="OTHER /healthz",status="405"} 5.0' in metrics
    assert 'kalends_requests_total{endpoint="OTHER -",status="413"} 5.0' in metrics
    assert "FETCH" not in metrics + "".join(service.lines)


def test_the_folder_that_the_first_start_with_metrics_creates_is_private(service: Running) -> None:
    assert (service.folder / "data").stat().st_mode & 0o777 == 0o700


def test_the_metrics_require_the_token(service: Running) -> None:
    for headers in ({}, bearer("wrong"), {"Authorization": "figures-please"}):
        refused = service.get("/metrics", headers=headers)
        assert (refused.status, refused.headers["WWW-Authenticate"]) == (401, "Bearer")


def test_every_delivery_metric_has_a_sample_and_the_version_is_exported(service: Running) -> None:
    metrics = service.get("/metrics", headers=bearer("figures-please")).text
    for channel in ("email", "sms"):
        for state in ("queued", "sending"):
            assert f'kalends_deliveries_waiting{{channel="{channel}",state="{state}"}} 0.0' in metrics
            assert f'kalends_deliveries_oldest_seconds{{channel="{channel}",state="{state}"}} 0.0' in metrics
        for state in ("sent", "failed"):
            assert f'kalends_deliveries_last_hour{{channel="{channel}",state="{state}"}} 0.0' in metrics
    assert f'kalends_build_info{{version="{__version__}"}} 1.0' in metrics


def test_without_the_setting_there_are_no_metrics(plain: Running) -> None:
    assert plain.get("/metrics").status == 404
    assert plain.get("/metrics", headers=bearer("")).status in (401, 404)
