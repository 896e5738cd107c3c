"""An undo of many records takes several transactions: others write in between, and what was interrupted is finished."""

from collections.abc import Callable
from typing import Any

import pytest

from kalends.app.worker import finish_undos
from kalends.core.settings import Settings
from kalends.db import Database
from kalends.features.changes import running_undo_store as running_undos
from kalends.features.changes.rules import undo_order
from kalends.http.context import Context
from tests.cast import Cast, Person, a_calendar, an_event, many_events, shared
from tests.conftest import Clock

COUNT = 6


class Interrupted(BaseException):
    """The process is stopped between two steps."""


@pytest.fixture
def calendar(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A calendar that alice has deleted, and that is restored in four steps or more."""
    monkeypatch.setattr(undo_order, "STEP_RECORDS", 4)
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.bob, "editor")
    for i in range(COUNT):
        an_event(cast.alice, calendar_id=calendar["id"], title=f"Concert {i}")
    assert cast.alice.delete(f"/api/calendars/{calendar['id']}").status == 200
    return calendar


@pytest.fixture
def between(db: Database, monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], None]:
    """Call a function once, after the first step."""

    def hook(function: Callable[[], object]) -> None:
        calls = iter([function])
        monkeypatch.setattr(type(db), "yield_to_other_writers", lambda self: next(calls, int)())

    return hook


def _seq(person: Person) -> int:
    seq: int = person.get("/api/trash").json["trash"][0]["seq"]
    return seq


def _titles(person: Person, calendar: dict[str, Any]) -> list[str]:
    reply = person.get(f"/api/events?calendar_id={calendar['id']}")
    return sorted(event["title"] for event in reply.json["events"]) if reply.status == 200 else []


def _interrupt() -> None:
    raise Interrupted


def test_others_write_between_the_steps_and_what_they_change_is_left(
    cast: Cast, calendar: dict[str, Any], between: Callable[[Callable[[], object]], None]
) -> None:
    assert cast.alice.post(f"/api/changes/{_seq(cast.alice)}/undo").status == 200
    seq = _last_seq(cast, calendar)

    def write() -> None:
        last = cast.bob.get(f"/api/events?calendar_id={calendar['id']}&text=5").json["events"][0]
        assert cast.bob.put(f"/api/events/{last['id']}", json={"title": "His concert"}).status == 200

    between(write)
    # Undoing the undo deletes the events again, and then the calendar; but for the event that bob has changed meanwhile.
    reply = cast.alice.post(f"/api/changes/{seq}/undo")
    assert reply.status == 409, reply
    assert "halfway" in reply.json["detail"]
    assert _titles(cast.alice, calendar) == ["His concert"]


def _last_seq(cast: Cast, calendar: dict[str, Any]) -> int:
    event = cast.alice.get(f"/api/events?calendar_id={calendar['id']}").json["events"][0]
    seq: int = cast.alice.get(f"/api/events/{event['id']}/changes").json["changes"][0]["seq"]
    return seq


def test_an_event_that_someone_changes_meanwhile_keeps_its_new_content(
    cast: Cast, between: Callable[[Callable[[], object]], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(undo_order, "STEP_RECORDS", 2)
    ids = many_events(cast.alice, COUNT)
    assert cast.alice.put(f"/api/events/{ids[0]}", json={"ids": ids, "title": "Moved"}).status == 200
    seq = cast.alice.get(f"/api/events/{ids[0]}/changes").json["changes"][0]["seq"]
    between(lambda: cast.alice.put(f"/api/events/{ids[-1]}", json={"title": "Later"}))
    undone = cast.alice.post(f"/api/changes/{seq}/undo").json
    assert [record["id"] for record in undone["left"]] == [ids[-1]]
    assert sorted(record["id"] for record in undone["undone"]) == sorted(ids[:-1])
    titles = {event_id: cast.alice.get(f"/api/events/{event_id}").json["title"] for event_id in ids}
    assert titles == dict.fromkeys(ids[:-1], "Concert") | {ids[-1]: "Later"}


def test_the_worker_finishes_an_interrupted_undo_which_is_one_change(
    cast: Cast, calendar: dict[str, Any], between: Callable[[Callable[[], object]], None], db: Database, settings: Settings, clock: Clock
) -> None:
    seq, ahead = _seq(cast.alice), running_undos.MAX_STEP_SECONDS + 1
    between(_interrupt)
    with pytest.raises(Interrupted):
        cast.alice.post(f"/api/changes/{seq}/undo")
    assert len(_titles(cast.alice, calendar)) < COUNT
    assert cast.carol.post(f"/api/changes/{seq}/undo").status == 404
    finish_undos(Context(db, settings, clock()))
    assert len(_titles(cast.alice, calendar)) < COUNT, "it may still be running"
    finish_undos(Context(db, settings, clock() + ahead))
    assert _titles(cast.bob, calendar) == [f"Concert {i}" for i in range(COUNT)]
    assert cast.alice.get("/api/trash").json["trash"] == []
    assert cast.alice.post(f"/api/changes/{_last_seq(cast, calendar)}/undo").status == 200
    assert cast.alice.get(f"/api/calendars/{calendar['id']}").status == 404


def test_an_interrupted_undo_goes_on_when_its_author_sends_it_again(
    cast: Cast, calendar: dict[str, Any], between: Callable[[Callable[[], object]], None]
) -> None:
    seq = _seq(cast.alice)
    between(_interrupt)
    with pytest.raises(Interrupted):
        cast.alice.post(f"/api/changes/{seq}/undo")
    undone = cast.alice.post(f"/api/changes/{seq}/undo")
    assert undone.status == 200, undone
    assert len([record for record in undone.json["undone"] if record["kind"] == "event"]) == COUNT
    assert _titles(cast.alice, calendar) == [f"Concert {i}" for i in range(COUNT)]


def test_what_no_step_could_restore_is_refused_before_the_first(cast: Cast, calendar: dict[str, Any]) -> None:
    seq = _seq(cast.alice)
    dry = cast.alice.post(f"/api/changes/{seq}/undo?dry_run=true")
    assert (dry.status, "several steps" in dry.json["detail"]) == (409, True), dry
    assert cast.carol.post(f"/api/changes/{seq}/undo?dry_run=true").status == 404
    assert cast.alice.get(f"/api/calendars/{calendar['id']}").status == 404
