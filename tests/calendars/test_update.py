"""PUT /api/calendars/<id>."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest

from kalends.core.values import timestamps
from tests.calendars.test_create import JAZZ
from tests.cast import Cast, a_calendar, an_event
from tests.conftest import NOON, Clock

pytestmark = pytest.mark.on_one_database


def _path(calendar: dict[str, Any]) -> str:
    return f"/api/calendars/{calendar['id']}"


@pytest.mark.parametrize("field", JAZZ)
def test_update_changes_only_the_fields_in_the_request(cast: Cast, clock: Clock, field: str) -> None:
    calendar = a_calendar(cast.alice, name="Rock")
    clock.ahead(60)
    changed = cast.alice.put(_path(calendar), json={field: JAZZ[field]})
    # The URL of a public calendar's feed has no secret in it.
    feed_url = changed.json["feed_url"] if field == "public" else calendar["feed_url"]
    expected = calendar | {field: JAZZ[field], "updated_at": timestamps.format_utc(NOON + 60), "feed_url": feed_url}
    assert (changed.status, changed.json) == (200, expected)
    assert cast.alice.get(_path(calendar)).json == changed.json


@pytest.mark.parametrize("empty", ["", None])
def test_an_empty_value_clears_an_optional_field(cast: Cast, empty: str | None) -> None:
    cast.alice.put(f"/api/users/{cast.alice.id}", json={"time_zone": "Asia/Tokyo"})
    calendar = a_calendar(cast.alice, **JAZZ)
    optional = dict.fromkeys(("description", "color", "time_zone", "public", "moderation"), empty)
    cleared = cast.alice.put(_path(calendar), json=optional).json
    assert [cleared[field] for field in ("name", *optional)] == ["Jazz", None, "#2f6fde", "Asia/Tokyo", False, "guests"]


@pytest.mark.parametrize(
    ("field", "value"), [("name", ""), ("name", None), ("color", "red"), ("time_zone", "Mars"), ("moderation", "some")]
)
def test_an_invalid_value_names_its_field_and_changes_nothing(cast: Cast, field: str, value: Any) -> None:
    calendar = a_calendar(cast.alice)
    response = cast.alice.put(_path(calendar), json={"description": "New."} | {field: value})
    assert (response.status, response.broken) == (422, [field])
    assert cast.alice.get(_path(calendar)).json == calendar


def test_an_empty_update_changes_nothing(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, **JAZZ)
    assert cast.alice.put(_path(calendar), json={}).json == calendar


def test_the_primary_calendar_may_be_renamed_and_stays_primary(cast: Cast) -> None:
    changed = cast.alice.put(f"/api/calendars/{cast.alice.primary_calendar_id}", json={"name": "Mine", "primary": False}).json
    assert (changed["name"], changed["primary"]) == ("Mine", True)


def test_concurrent_updates_of_different_fields_are_all_stored(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    start = Barrier(3)

    def change(fields: dict[str, str]) -> int:
        start.wait(10)
        return cast.alice.put(_path(calendar), json=fields).status

    for number in range(10):
        changes = {"name": f"Jazz {number}", "description": f"Part {number}.", "color": f"#00000{number}"}
        with ThreadPoolExecutor(3) as threads:
            assert list(threads.map(change, [{field: value} for field, value in changes.items()], timeout=30)) == [200, 200, 200]
        assert cast.alice.get(_path(calendar)).json.items() >= changes.items()


def test_another_version_of_the_calendar_is_neither_changed_nor_deleted(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    before = cast.alice.get(_path(calendar)).headers["ETag"]
    changed = cast.alice.put(_path(calendar), json={"name": "Jazz"}, headers={"If-Match": before})
    current = cast.alice.get(_path(calendar))
    assert (changed.status, changed.headers["ETag"]) == (200, current.headers["ETag"])
    an_event(cast.alice, calendar_id=calendar["id"])
    for stale in (before, current.headers["ETag"]):
        assert cast.alice.put(_path(calendar), json={"name": "Blues"}, headers={"If-Match": stale}).status == 412
        assert cast.alice.delete(_path(calendar), headers={"If-Match": stale}).status == 412
    now = cast.alice.get(_path(calendar))
    assert (now.json["name"], len(cast.alice.get(f"/api/events?calendar_id={calendar['id']}").json["events"])) == ("Jazz", 1)
    assert cast.alice.delete(_path(calendar), headers={"If-Match": now.headers["ETag"]}).status == 200
