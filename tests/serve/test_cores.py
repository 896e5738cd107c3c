"""Where and how server processes run: each on a core of its own, if there are as many of one as of the other, and in batches."""

import multiprocessing
import os
import signal
import socket
from collections.abc import Iterator

import pytest
from granian.server.mp import MPServer

from kalends.http.serving import granian
from tests.serve.conftest import Start
from tests.serve.running import eventually

pytestmark = pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) < 2, reason="needs Linux and two cores"
)


@pytest.fixture
def cores() -> Iterator[list[int]]:
    """The two that the service may use."""
    every = os.sched_getaffinity(0)
    two = sorted(every)[:2]
    os.sched_setaffinity(0, two)
    yield two
    os.sched_setaffinity(0, every)


def test_with_one_process_for_each_core_each_is_pinned(start: Start, cores: list[int]) -> None:
    service = start("--workers", "2", work=True)
    by_core = {tuple(os.sched_getaffinity(pid)): pid for pid in service.servers}
    assert sorted(by_core) == [(core,) for core in cores]
    # The other processes are not pinned.
    assert [os.sched_getaffinity(pid) for pid in (service.process.pid, eventually(lambda: service.worker))] == [set(cores)] * 2
    killed = by_core[cores[0],]
    os.kill(killed, signal.SIGKILL)
    after = eventually(lambda: killed not in service.servers and len(service.servers) == 2 and service.servers)
    eventually(lambda: sorted(tuple(os.sched_getaffinity(pid)) for pid in after) == [(core,) for core in cores])


@pytest.mark.parametrize("workers", ["3", pytest.param("1", marks=pytest.mark.soak)])
def test_any_other_number_of_processes_is_not_pinned(start: Start, cores: list[int], workers: str) -> None:
    service = start("--workers", workers)
    assert [os.sched_getaffinity(pid) for pid in service.servers] == [set(cores)] * int(workers)


def test_only_the_server_processes_are_scheduled_in_batches(start: Start) -> None:
    service = start(work=True)
    (server,) = service.servers
    threads = [int(thread) for thread in os.listdir(f"/proc/{server}/task")]
    assert len(threads) > 2
    assert {os.sched_getscheduler(thread) for thread in threads} == {os.SCHED_BATCH}
    others = service.process.pid, eventually(lambda: service.worker)
    assert [os.sched_getscheduler(pid) for pid in others] == [os.SCHED_OTHER] * 2


def test_a_process_that_cannot_be_pinned_still_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    served: list[object] = []
    monkeypatch.setattr(MPServer, "_spawn_rsgi_worker", lambda *arguments: served.extend(arguments))
    monkeypatch.setattr(os, "setpgrp", lambda: None)
    monkeypatch.setattr(signal, "signal", lambda *arguments: None)
    monkeypatch.setattr(granian, "_end_with_parent", lambda *arguments: None)

    def forbid(*arguments: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "sched_setscheduler", forbid)
    no_core = 9_999
    with socket.socket() as listener:
        granian._run_worker(no_core, multiprocessing.Pipe(duplex=False), listener, "target")
    assert served == ["target"]
