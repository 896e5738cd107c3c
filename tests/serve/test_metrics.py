"""Figures for Prometheus, gathered over all server processes."""

import os
import re
import signal
import sqlite3
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest

from kalends.core.version import __version__
from tests.cast import PASSWORD
from tests.faults.postgres import Proxy
from tests.serve.conftest import Start
from tests.serve.prepared import Prepared
from tests.serve.running import Running, bearer, eventually, run

TOKEN = "figures-please"

# The value of each series, by its name with its labels.
Figures = dict[str, float]


def read_metrics(service: Running) -> Figures:
    reply = service.get("/metrics", headers=bearer(TOKEN))
    assert reply.status == 200, reply
    return {name: float(value) for name, value in re.findall(r"^(\w.*) (\S+)$", reply.text, re.MULTILINE)}


def find_pids(figures: Figures, name: str) -> set[int]:
    return {int(pid) for series in figures for pid in re.findall(rf'^{name}{{pid="(\d+)"}}$', series)}


@contextmanager
def locked_sessions(service: Running, database: str) -> Iterator[None]:
    """Nobody else can write sessions meanwhile."""
    if database:
        with psycopg.connect(database) as holder:
            holder.execute("LOCK TABLE sessions IN EXCLUSIVE MODE")
            yield
    else:
        with closing(sqlite3.connect(service.folder / "data" / "kalends.sqlite3", isolation_level=None)) as holder:
            holder.execute("BEGIN IMMEDIATE")
            yield


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    running = Prepared(tmp_path_factory.mktemp("metrics"), "--no-work", metrics_token=TOKEN)
    yield running.ready()
    running.end()


@pytest.mark.on_one_database
def test_the_metrics_count_the_requests_of_every_process(start: Start, database: str) -> None:
    """prometheus_client chooses when it is imported whether they are."""
    service = start("--workers", "2", metrics_token=TOKEN, database=database, real=True)
    for _ in range(40):
        assert service.get("/healthz").status == 200
    reply = service.get("/metrics", headers=bearer(TOKEN))
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
    metrics = service.get("/metrics", headers=bearer(TOKEN)).text
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
    metrics = service.get("/metrics", headers=bearer(TOKEN)).text
    for channel in ("email", "sms"):
        for state in ("queued", "sending"):
            assert f'kalends_deliveries_waiting{{channel="{channel}",state="{state}"}} 0.0' in metrics
            assert f'kalends_deliveries_oldest_seconds{{channel="{channel}",state="{state}"}} 0.0' in metrics
        for state in ("sent", "failed"):
            assert f'kalends_deliveries_last_hour{{channel="{channel}",state="{state}"}} 0.0' in metrics
    assert f'kalends_build_info{{version="{__version__}"}} 1.0' in metrics


def test_every_metric_is_documented(service: Running) -> None:
    page = (Path(__file__).parents[2] / "docs" / "self-hosting.md").read_text()
    exported = re.findall(r"^# TYPE (\w+)", service.get("/metrics", headers=bearer(TOKEN)).text, re.MULTILINE)
    assert "process_open_fds" in exported
    assert [name for name in exported if f"`{name}`" not in page] == []


def test_without_the_setting_there_are_no_metrics(plain: Running) -> None:
    assert plain.get("/metrics").status == 404
    assert plain.get("/metrics", headers=bearer("")).status in (401, 404)


@pytest.mark.parametrize("database", ["sqlite", pytest.param("postgres", marks=pytest.mark.soak)], indirect=True)
def test_logins_that_wait_and_that_are_refused_are_counted(start: Start, database: str, tmp_path: Path) -> None:
    """Two threads hash passwords, and six logins of one network wait for them."""
    names = [f"alice{number}" for number in range(9)]
    for name in names:
        account = ("users", "create", name, f"{name}@example.org", "--password", PASSWORD)
        assert run(*account, folder=tmp_path, data=tmp_path / "data", database=database).returncode == 0
    service = start(metrics_token=TOKEN, database=database)
    with ThreadPoolExecutor(9) as clients:
        with locked_sessions(service, database):
            logins = [clients.submit(service.sign_in, name) for name in names]

            def is_overloaded() -> bool:
                figures = read_metrics(service)
                return (
                    figures['kalends_threads_busy{pool="hash"}'] == 2
                    and figures['kalends_requests_queued{pool="hash"}'] == 6
                    and figures['kalends_requests_in_flight{kind="request"}'] >= 8
                    and figures['kalends_requests_refused_total{resource="hash"}'] == 1
                    and (figures['kalends_database_waiting_writers{server="primary"}'] == 1 or bool(database))
                    and (figures['kalends_database_connections{server="primary",state="in_use"}'] >= 2 or not database)
                )

            eventually(is_overloaded)
        assert [login.result().status for login in logins].count(503) >= 1
    eventually(lambda: read_metrics(service)['kalends_threads_busy{pool="hash"}'] == 0)
    assert read_metrics(service)['kalends_requests_refused_total{resource="request"}'] == 0


def test_streams_are_counted_apart_from_requests(service: Running) -> None:
    stream = service.connection()
    stream.request("GET", "/api/changes/stream", headers=bearer(service.sign_up("alice")))
    assert stream.getresponse().status == 200
    eventually(lambda: read_metrics(service)['kalends_requests_in_flight{kind="follower"}'] == 1)
    stream.close()
    eventually(lambda: read_metrics(service)['kalends_requests_in_flight{kind="follower"}'] == 0)


def test_each_server_process_has_its_figures_until_it_dies(start: Start) -> None:
    service = start("--workers", "2", metrics_token=TOKEN)
    names = ("process_cpu_seconds_total", "process_resident_memory_bytes", "process_open_fds", "process_start_time_seconds")
    eventually(lambda: all(find_pids(read_metrics(service), name) == set(service.servers) for name in names))
    first, *_ = service.servers
    figures = read_metrics(service)
    assert figures[f'process_resident_memory_bytes{{pid="{first}"}}'] > 1_000_000
    assert time.time() - 3600 < figures[f'process_start_time_seconds{{pid="{first}"}}'] < time.time() + 60
    os.kill(first, signal.SIGKILL)
    eventually(lambda: first not in service.servers and len(service.servers) == 2)
    eventually(lambda: find_pids(read_metrics(service), "process_open_fds") == set(service.servers))
    assert not list((service.folder / "data" / "metrics").glob(f"gauge_live*_{first}.db"))


def test_the_metrics_say_when_the_worker_last_ran(start: Start) -> None:
    service = start(work=True, metrics_token=TOKEN)
    began = time.time()
    ran_at = eventually(lambda: read_metrics(service).get('kalends_last_run_timestamp_seconds{task="worker"}'))
    assert began - 60 < ran_at < time.time() + 1
    assert 'kalends_last_run_timestamp_seconds{task="backup"}' not in read_metrics(service)


@pytest.mark.parametrize("database", ["postgres"], indirect=True)
def test_the_metrics_of_the_server_are_there_while_the_database_is_down(start: Start, database: str) -> None:
    proxy = Proxy(database)
    service = start(metrics_token=TOKEN, database=proxy.database)
    waiting = 'kalends_deliveries_waiting{channel="email",state="queued"}'
    assert waiting in read_metrics(service)
    proxy.close()
    eventually(lambda: waiting not in read_metrics(service))
    figures = read_metrics(service)
    assert figures[f'kalends_build_info{{version="{__version__}"}}'] == 1
    assert 'kalends_requests_in_flight{kind="request"}' in figures
