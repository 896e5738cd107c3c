"""A worker that dies at any step of a notice: nobody is told twice, and nobody is forgotten."""

from pathlib import Path
from typing import Any

import pytest

from kalends.context import Context
from kalends.db import Database
from kalends.deliveries import claims
from kalends.events import change_notices
from kalends.outbound import outbox_files, sender
from kalends.settings import Settings
from kalends.values import timestamps
from tests.cast import Cast, a_response, an_event
from tests.conftest import Clock
from tests.deliveries.samples import empty_queue

GUESTS = ("gus", "hal", "ida")


class Killed(BaseException):
    """The process ends here."""


def _kill(*_: Any, **__: Any) -> None:
    raise Killed


@pytest.mark.parametrize("step", ["before_claim", "while_fixing", "after_claim", "before_send", "after_send", "while_recording"])
def test_a_worker_that_dies_tells_nobody_twice_and_forgets_nobody(
    cast: Cast, db: Database, settings: Settings, clock: Clock, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    monkeypatch.setattr(timestamps, "now", clock)
    event = an_event(cast.alice, public=True, start_time="2027-06-01T20:00")
    for name in GUESTS:
        a_response(cast.anonymous, event, email_address=f"{name}-{event['id']}@example.org")
    empty_queue(db)
    assert cast.alice.put(f"/api/events/{event['id']}", json={"start_time": "2027-06-02T20:00"}).json["told"]["email"] == len(GUESTS)
    clock.ahead(600)
    die_at(step, db, settings, clock, monkeypatch)
    clock.ahead(sender.LEASE + 1)
    run_worker(db, settings, clock)
    with db.read() as tx:
        rows = tx.rows("SELECT id, address, state FROM deliveries WHERE event_id = :id AND kind = 'change' ORDER BY id", id=event["id"])
    assert [(address.partition("-")[0], state) for _, address, state in rows] == [(name, "sent") for name in GUESTS]
    # A message that is sent again has the same name, and the same Message-ID.
    assert all((settings.folder / "outbox" / f"{number}.eml").exists() for number, _, _ in rows)


def die_at(step: str, db: Database, settings: Settings, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a worker that ends at this step."""
    real_write = outbox_files.write

    def write_and_die(settings: Settings, name: str, content: bytes) -> Path:
        real_write(settings, name, content)
        raise Killed

    deaths: dict[str, tuple[Any, str, Any]] = {
        "before_claim": (claims, "claim", _kill),
        "while_fixing": (change_notices, "_fix_new_facts", _kill),
        "after_claim": (sender, "attempt", _kill),
        "before_send": (outbox_files, "write", _kill),
        "after_send": (outbox_files, "write", write_and_die),
        "while_recording": (claims, "finish", _kill),
    }
    with monkeypatch.context() as patch:
        patch.setattr(*deaths[step])
        with pytest.raises(Killed):
            run_worker(db, settings, clock)


def run_worker(db: Database, settings: Settings, clock: Clock) -> None:
    while due := sender._due(Context(db, settings, clock()), "email", 50):
        for delivery in due:
            sender.attempt(db, settings, delivery)
