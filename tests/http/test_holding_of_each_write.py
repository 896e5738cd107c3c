"""How long each write of the API makes other people's writes wait, with the largest input that it takes."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from threading import current_thread, main_thread
from time import thread_time

import pytest

from kalends.app.application import ENDPOINTS
from kalends.core.settings import Settings
from kalends.db import Database, Transaction
from tests import writer_limit
from tests.cast import a_contact, an_event
from tests.client import Reply
from tests.conftest import Clock
from tests.http.large_writes import LARGE, Bulk, Request
from tests.http.small_writes import SMALL
from tests.test_policy import name_of

CASES = [pytest.param(name, prepare, id=f"{name} {number}") for name, all_of in LARGE.items() for number, prepare in enumerate(all_of)]
# In short, the first of each method on each resource. All of them run in `make soak`, and on PostgreSQL, where the inputs are small.
FIRST = {(name.split()[0], name.split("/")[2]): f"{name} 0" for name in reversed(LARGE)}.values()
IN_SHORT = [case if case.id in FIRST else pytest.param(*case.values, id=case.id, marks=pytest.mark.soak) for case in CASES]
# The numbers of events and of contacts: more than one step of each, or as many as a file may have.
COUNTS, LONG_COUNTS = (1_100, 1_100), (9_900, 20_000)
# What waits at all on PostgreSQL waits for a lock, until the large write ends.
LOCK_SECONDS = 20


def test_every_write_has_its_largest_input_or_a_reason_why_it_is_small() -> None:
    writes = {name_of(endpoint) for endpoint in ENDPOINTS if endpoint.writes and endpoint.in_api}
    assert (writes - LARGE.keys() - SMALL.keys(), (LARGE.keys() | SMALL.keys()) - writes, LARGE.keys() & SMALL.keys()) == (
        set(),
        set(),
        set(),
    )


@pytest.mark.on_sqlite
@pytest.mark.parametrize(("name", "prepare"), IN_SHORT)
def test_no_write_holds_the_writer_of_sqlite_for_long(
    db: Database,
    settings: Settings,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
    soak: bool,
    name: str,
    prepare: Callable[[Bulk], Request],
) -> None:
    """Neither the write nor a dry run of it, which is refused if it would take long."""
    counts = LONG_COUNTS if soak else COUNTS
    seconds: list[float] = []
    while len(seconds) < writer_limit.ATTEMPTS and (not seconds or seconds[-1] >= writer_limit.SECONDS):
        with ExitStack() as stack, monkeypatch.context() as patch:
            seconds.append(_measure(name, prepare(Bulk(db, settings, clock, stack, *counts)), db, patch))
    assert min(seconds) < writer_limit.max_seconds(), seconds


def _measure(name: str, request: Request, db: Database, patch: pytest.MonkeyPatch) -> float:
    """The processor time of the longest transaction of the write, or of its dry run."""
    write, held = type(db).write, []

    @contextmanager
    def timed(self: Database, *, alone: bool = False) -> Iterator[Transaction]:
        began = None
        try:
            with write(self, alone=alone) as tx:
                began = thread_time()
                yield tx
        finally:
            held.append(thread_time() - began if began else 0)

    patch.setattr(type(db), "write", timed)
    dry = _send(name, request, "?dry_run=true")
    assert dry.status < 300 or (dry.status == 409 and "several steps" in dry.json["detail"]), dry
    real = _send(name, request)
    assert real.status < 300, real
    return max(held)


@pytest.mark.on_postgres
@pytest.mark.parametrize(("name", "prepare"), CASES)
def test_others_write_while_the_transactions_of_a_write_are_open(
    db: Database, settings: Settings, clock: Clock, monkeypatch: pytest.MonkeyPatch, name: str, prepare: Callable[[Bulk], Request]
) -> None:
    """With all locks that it takes. They do not depend on its size."""
    write, probes = type(db).write, 0
    with ExitStack() as stack:
        others = stack.enter_context(ThreadPoolExecutor(1))
        bulk = Bulk(db, settings, clock, stack, 20, 20)
        request, carol = prepare(bulk), bulk.cast.carol

        def write_more() -> None:
            an_event(carol, public=True)
            a_contact(carol)

        @contextmanager
        def interrupted(self: Database, *, alone: bool = False) -> Iterator[Transaction]:
            nonlocal probes
            with write(self, alone=alone) as tx:
                try:
                    yield tx
                finally:
                    if current_thread() is main_thread():
                        others.submit(write_more).result(LOCK_SECONDS)
                        probes += 1

        monkeypatch.setattr(type(db), "write", interrupted)
        for reply in (_send(name, request, "?dry_run=true"), _send(name, request)):
            assert reply.status < 300, reply
    assert probes > 1


def _send(name: str, request: Request, query: str = "") -> Reply:
    return request.sender.request(name.partition(" ")[0], request.path + query, **request.content)
