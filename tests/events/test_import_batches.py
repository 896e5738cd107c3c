"""A large calendar file is stored in batches: others write in between, and an interrupted import is completed by importing it again."""

from typing import Any

import pytest
from msgspec import structs

from kalends.app.application import application
from kalends.core.settings import Settings
from kalends.db import Database
from tests.cast import Cast, an_event
from tests.client import Client
from tests.conftest import Clock
from tests.events.importing import a_file, an_entry, counts, imported, starts, uploaded

pytestmark = pytest.mark.on_one_database

BATCH_EVENTS = "kalends.features.events.imports.steps.plan.BATCH_EVENTS"
SINGLE = [an_entry(f"single{n}", f"DTSTART:202607{n:02}T180000Z") for n in range(1, 6)]
# A second date of a day is an event of its own, under a UID that begins with the series'.
SERIES = an_entry("series", "DTSTART:20260601T180000Z", "RRULE:FREQ=DAILY;COUNT=2", "RDATE:20260601T200000Z,20260602T200000Z")
FILE = a_file(*SINGLE[:3], SERIES, *SINGLE[3:])


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch, db: Database) -> list[None]:
    """Batches of two events; the list has an item for each time that others may write."""
    pauses: list[None] = []
    monkeypatch.setattr(BATCH_EVENTS, 2)
    monkeypatch.setattr(type(db), "yield_to_other_writers", lambda self: pauses.append(None))
    return pauses


def test_others_write_between_the_batches_of_an_import(cast: Cast, db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BATCH_EVENTS, 2)
    carol = cast.carol
    created: list[Any] = []
    monkeypatch.setattr(type(db), "yield_to_other_writers", lambda self: created.append(an_event(carol)))
    assert counts(imported(cast.alice, FILE)) == (8, 0, 0, 0)
    assert len(created) == 4


def test_a_file_in_batches_is_known_again_as_a_whole(cast: Cast, small_batches: list[None]) -> None:
    came = imported(cast.alice, FILE)
    assert [event["uid"] for event in came["events"]][:4] == ["single1", "single2", "single3", "series"]
    before = starts(cast.alice)
    assert len(before) == 9
    assert counts(imported(cast.alice, FILE)) == (0, 0, 8, 0)
    assert counts(imported(cast.alice, FILE.replace("Concert", "Recital"))) == (0, 8, 0, 0)
    assert starts(cast.alice) == before
    assert len(small_batches) == 12


def test_an_import_that_was_cut_short_is_completed_by_importing_again(cast: Cast, db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    alice = cast.alice
    with monkeypatch.context() as patch:
        patch.setattr(BATCH_EVENTS, 2)
        patch.setattr(type(db), "yield_to_other_writers", lambda self: 1 / 0)
        assert uploaded(alice, FILE).status == 500
    assert len(starts(alice)) == 2
    assert counts(imported(alice, FILE)) == (6, 0, 2, 0)
    assert len(starts(alice)) == 9


def test_a_file_in_batches_that_is_more_than_the_quota_changes_nothing(
    db: Database, settings: Settings, clock: Clock, small_batches: list[None]
) -> None:
    alice = Cast(Client(application(db, structs.replace(settings, quota_events=9), clock))).alice
    an_event(alice)
    assert uploaded(alice, FILE).status == 409
    assert len(starts(alice)) == 1
    assert counts(imported(alice, a_file(*SINGLE))) == (5, 0, 0, 0)
    # Events that exist already do not count.
    assert counts(imported(alice, a_file(*SINGLE, an_entry("more")))) == (1, 0, 5, 0)
    assert len(small_batches) == 4


def test_a_series_with_too_much_text_is_refused_with_what_fits(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kalends.features.events.store.MAX_TEXT", 1_000)
    entry = an_entry("long", "DTSTART:20260601T180000Z", "RRULE:FREQ=DAILY;COUNT=5", f"DESCRIPTION:{'x' * 200}")
    refused = uploaded(cast.alice, a_file(*SINGLE, entry))
    assert (refused.status, refused.broken) == (422, ["file"])
    assert "the limit is 1,000" in refused.json["errors"][0]["message"]
    assert starts(cast.alice) == []
