"""The URL of a deleted public event is 410 for 90 days, with its title and note; that of any other is 404."""

from typing import Any

import pytest

from kalends.app.worker import clean_up
from kalends.core.settings import Settings
from kalends.db import Database
from kalends.http.context import Caller, Context
from tests.cast import PASSWORD, Cast, Person, a_calendar, an_event
from tests.client import Client
from tests.conftest import Clock
from tests.events.series import five_mondays, repeat
from tests.stored_data import values

pytestmark = pytest.mark.on_one_database

DAY = 86_400


def _paths(event_id: int) -> list[str]:
    return [f"/api/events/{event_id}", f"/api/events/{event_id}.ics", f"/events/{event_id}", f"/embed/events/{event_id}"]


def _statuses(reader: Client, event_id: int) -> set[int]:
    return {reader.get(path).status for path in _paths(event_id)}


def _deleted(owner: Person, **fields: Any) -> int:
    event: int = an_event(owner, **fields)["id"]
    assert owner.delete(f"/api/events/{event}").status == 200
    return event


def test_a_deleted_public_event_is_gone_with_its_title_and_note(cast: Cast) -> None:
    event = _deleted(cast.alice, public=True, title="Moonrise", status="cancelled", status_note="The hall is flooded.")
    for reader in (cast.anonymous, cast.carol, cast.alice):
        assert _statuses(reader, event) == {410}
    problem = cast.anonymous.get(f"/api/events/{event}").json
    assert (problem["type"], problem["detail"]) == ("/docs/errors#gone", "“Moonrise” was deleted. The hall is flooded.")
    page = cast.anonymous.get(f"/events/{event}", headers={"Accept": "text/html"})
    assert page.status == 410
    assert "“Moonrise” was deleted. The hall is flooded." in page.text


def test_a_deleted_private_event_is_not_found_and_leaves_no_title(cast: Cast, db: Database) -> None:
    never = _deleted(cast.alice, public=False, title="Secret supper")
    no_longer = an_event(cast.alice, public=True, title="Secret supper")["id"]
    cast.alice.put(f"/api/events/{no_longer}", json={"public": False})
    cast.alice.delete(f"/api/events/{no_longer}")
    for event in (never, no_longer):
        assert _statuses(cast.anonymous, event) == _statuses(cast.alice, event) == {404}
    assert "Secret supper" not in values(db)


def test_after_90_days_it_is_not_found_and_the_worker_forgets_it(cast: Cast, clock: Clock, db: Database, settings: Settings) -> None:
    event = _deleted(cast.alice, public=True, title="Perigee")
    clock.ahead(90 * DAY - 60)
    assert _statuses(cast.anonymous, event) == {410}
    clean_up(Context(db, settings, clock.now, Caller()))
    assert "Perigee" in values(db)
    clock.ahead(60)
    assert _statuses(cast.anonymous, event) == {404}
    clean_up(Context(db, settings, clock.now, Caller()))
    assert "Perigee" not in values(db)


@pytest.mark.parametrize(("scope", "gone"), [("this", [1]), ("following", [1, 2, 3, 4]), ("all", [0, 1, 2, 3, 4])])
def test_deleted_dates_of_a_series_are_gone(cast: Cast, scope: str, gone: list[int]) -> None:
    ids = five_mondays(cast.alice, public=True)
    cast.alice.delete(f"/api/events/{ids[1]}", json={"scope": scope})
    assert [n for n, event in enumerate(ids) if cast.anonymous.get(f"/api/events/{event}").status == 410] == gone


def test_dates_that_a_new_rule_removes_and_events_of_a_deleted_calendar_are_gone(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, public=True)["id"]
    ids = five_mondays(cast.alice, calendar_id=calendar)
    repeat(cast.alice, ids[0], frequency="WEEKLY", start_date="2027-03-01", end_date="2027-03-22")
    assert [cast.anonymous.get(f"/api/events/{event}").status for event in ids] == [200, 200, 200, 200, 410]
    assert cast.alice.delete(f"/api/calendars/{calendar}").status == 200
    assert [cast.anonymous.get(f"/api/events/{event}").status for event in ids] == [410] * 5


def test_a_deleted_account_leaves_no_titles(cast: Cast, db: Database) -> None:
    event = _deleted(cast.alice, public=True, title="Apogee")
    an_event(cast.alice, public=True, title="Apogee")
    assert cast.alice.delete(f"/api/users/{cast.alice.id}", json={"current_password": PASSWORD}).status == 200
    assert _statuses(cast.anonymous, event) == {404}
    assert "Apogee" not in values(db)
