"""How users read: their language, 12 or 24 hours, and the first day of the week."""

import re
from datetime import date

import pytest

from tests.cast import Cast, an_event

pytestmark = pytest.mark.on_one_database


def test_the_settings_of_an_account_are_set_and_cleared(cast: Cast) -> None:
    path = f"/api/users/{cast.alice.id}"
    values = {"language": "de", "hour_cycle": "h12", "week_start": "sunday"}
    assert values.items() <= cast.alice.put(path, json=values).json.items()
    assert values.items() <= cast.alice.get(path).json.items()
    cleared = cast.alice.post("/account/profile", data=cast.alice.get(f"{path}/edit").json | dict.fromkeys(values, ""))
    assert cleared.status == 303
    assert cast.alice.get(path).json.items() >= dict.fromkeys(values).items()


@pytest.mark.parametrize(("field", "value"), [("language", "tlh"), ("hour_cycle", "h11"), ("week_start", "friday")])
def test_other_values_are_refused(cast: Cast, field: str, value: str) -> None:
    reply = cast.alice.put(f"/api/users/{cast.alice.id}", json={field: value})
    assert (reply.status, reply.json["errors"][0]["field"]) == (422, field)


@pytest.mark.on_one_database
def test_times_are_written_with_12_hours(cast: Cast) -> None:
    event = an_event(cast.alice, start_time="2040-06-01T20:00", end_time="2040-06-01T21:30")
    cast.alice.put(f"/api/users/{cast.alice.id}", json={"hour_cycle": "h12"})
    page = cast.alice.get(f"/events/{event['id']}")
    assert "8:00 pm–9:30 pm" in page.text
    assert 'data-hours="h12"' in page.text
    assert "<li>12:00 am</li><li>1:00 am</li>" in cast.alice.get("/calendar?view=week").text


@pytest.mark.on_one_database
@pytest.mark.parametrize(("week_start", "weekday"), [(None, 0), ("saturday", 5), ("sunday", 6)])
def test_the_week_begins_on_the_chosen_day(cast: Cast, week_start: str | None, weekday: int) -> None:
    cast.alice.put(f"/api/users/{cast.alice.id}", json={"week_start": week_start})
    month = cast.alice.get("/calendar?date=2040-06-01").text
    first_days = [date.fromisoformat(day) for day in re.findall(r'<tr>\s*<td class="cell[^"]*" data-day="([^"]+)"', month)]
    assert {day.weekday() for day in first_days} == {weekday}
    assert len(first_days) in (5, 6)


@pytest.mark.on_one_database
def test_the_switch_changes_the_language_of_the_account(cast: Cast) -> None:
    cast.alice.put(f"/api/users/{cast.alice.id}", json={"language": "de"})
    assert cast.alice.post("/language?next=/account", data={"language": "fr"}).status == 303
    assert cast.alice.get("/api/users/current").json["language"] == "fr"


@pytest.mark.parametrize(
    ("accepted", "clock"),
    [("en-US,en;q=0.9", "8:00 pm"), ("en-GB,en-US;q=0.9", "20:00"), ("en", "20:00"), ("de-DE,en-US;q=0.5", "20:00"), ("en-AU", "8:00 pm")],
)
def test_english_has_the_clock_of_the_region_unless_the_user_chose_one(cast: Cast, accepted: str, clock: str) -> None:
    event = an_event(cast.alice, public=True, start_time="2040-06-01T20:00", end_time="2040-06-01T21:30")
    headers = {"Accept-Language": accepted}
    assert clock in cast.anonymous.get(f"/events/{event['id']}", headers=headers).text.replace("\u202f", " ")
    cast.bob.put(f"/api/users/{cast.bob.id}", json={"hour_cycle": "h23"})
    assert "20:00" in cast.bob.get(f"/events/{event['id']}", headers=headers).text
