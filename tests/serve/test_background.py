"""The background worker beside the server: restarted when it dies, and stopped with the server."""

import ctypes
import os
import signal
import socket
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from kalends.core.settings import Settings
from kalends.db import Database, last_runs, open_database
from tests.serve.conftest import Start
from tests.serve.running import command, environment, eventually, living, run
from tests.serve.test_stop import Load


def test_a_worker_that_dies_is_started_again(start: Start) -> None:
    service = start(work=True)
    first = eventually(lambda: service.worker)
    os.kill(first, signal.SIGKILL)
    second = eventually(lambda: service.worker if service.worker != first else None)
    assert living([first, second]) == {second}
    assert [line["status"] for line in service.log if line["event"] == "worker_died"] == [-signal.SIGKILL]
    assert service.stop() == 0
    assert living([second]) == set()


def test_a_server_process_that_dies_is_started_again(start: Start) -> None:
    service = start()
    (first,) = service.servers
    os.kill(first, signal.SIGKILL)
    assert service.get("/readyz").status == 200
    assert living([first]) == set()


def test_everything_ends_when_the_parent_is_killed(start: Start) -> None:
    service = start("--workers", "2", work=True)
    family = list(service.children)
    assert len(family) == 3
    service.process.kill()
    eventually(lambda: not living(family))


@pytest.mark.soak
def test_when_the_parent_is_killed_under_load_its_port_is_free_at_once(start: Start) -> None:
    service = start("--workers", "2", access_log="off")
    port, family = service.port, service.servers
    assert len(family) == 2
    with Load(service):
        service.process.kill()
        eventually(lambda: _is_refused(port), within=3)
        again = start("--workers", "2", access_log="off", port=port)
        eventually(lambda: not living(family), within=5)
        assert again.stop() == 0


def _is_refused(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except ConnectionRefusedError:
        return True
    return False


def test_everything_ends_when_the_parent_is_killed_while_it_starts(start: Start) -> None:
    service = start(work=True, ready=False)
    family = eventually(lambda: service.servers and list(service.children))
    service.process.kill()
    eventually(lambda: not living(family))


def test_the_server_runs_without_a_worker_if_so_configured(start: Start) -> None:
    service = start()
    assert service.worker is None
    assert len(service.children) == 1


@pytest.mark.on_one_database
def test_the_worker_runs_alone_until_sigterm(tmp_path: Path, empty_database: str) -> None:
    """It migrates too, since either may be started first."""
    worker = subprocess.Popen(
        command("work"),
        cwd=tmp_path,
        env=environment(data=tmp_path, database=empty_database),
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    eventually(lambda: "ok   database\n" in run("doctor", folder=tmp_path, data=tmp_path, database=empty_database).stdout)
    with closing(open_database(Settings(data=str(tmp_path), database=empty_database))) as db:
        eventually(lambda: _has_run(db))
    assert worker.poll() is None
    worker.terminate()
    _, errors = worker.communicate(timeout=10)
    assert (worker.returncode, errors) == (0, b"")


def _has_run(db: Database) -> bool:
    """Whether the worker has begun to work: before, a signal ends it as any process."""
    with db.read() as tx:
        return last_runs.find(tx, "worker") is not None


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no thread can be singled out from outside")
def test_the_worker_stops_when_another_thread_receives_the_signal(start: Start) -> None:
    """Which thread of a process gets a signal is up to the system, and the main thread goes on sleeping when it is another."""
    service = start(work=True)
    worker = eventually(lambda: service.worker)
    threads = eventually(lambda: [int(task.name) for task in Path(f"/proc/{worker}/task").iterdir() if task.name != str(worker)])
    assert ctypes.CDLL(None).tgkill(worker, threads[0], signal.SIGTERM) == 0
    eventually(lambda: not living([worker]), within=10)
