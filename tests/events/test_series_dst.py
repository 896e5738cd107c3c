"""Changes of a series whose occurrences meet DST changes."""

from typing import Any

import pytest

from kalends.core.settings import Settings
from kalends.db import Database
from kalends.features.events.series.steps import occurrences
from kalends.http.context import Context
from tests.cast import Cast, an_event
from tests.conftest import Clock
from tests.events.series import assert_rule_agrees, events_of_series, five_mondays, ids_of_series, load_times, repeat

pytestmark = pytest.mark.on_one_database


def test_a_time_that_clocks_skipped_once_comes_back(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    event = an_event(cast.alice, start_time="2026-03-26T02:30", time_zone="Europe/Paris")
    repeat(cast.alice, event["id"], frequency="YEARLY")
    assert [e["start_time"][:16] for e in events_of_series(cast.alice, event["id"])][2] == "2028-03-26T03:30"
    series_id = cast.alice.get(f"/api/events/{event['id']}").json["series_id"]
    ctx = Context(db, settings, clock.now + 400 * 86_400)
    with ctx.write():
        occurrences.extend(ctx, series_id)
    assert events_of_series(cast.alice, event["id"])[3]["start_time"][:16] == "2029-03-26T02:30"
    weekly = an_event(cast.alice, start_time="2027-03-21T02:30", time_zone="Europe/Paris")
    repeat(cast.alice, weekly["id"], frequency="WEEKLY", end_date="2027-03-28")
    second = ids_of_series(cast.alice, weekly["id"])[1]
    repeat(cast.alice, second, frequency="WEEKLY", start_date="2027-03-21", end_date="2027-04-04")
    assert [e["start_time"][11:16] for e in events_of_series(cast.alice, weekly["id"])] == ["02:30", "03:30", "02:30"]


def test_a_series_moves_into_a_skipped_hour(cast: Cast) -> None:
    event = an_event(cast.alice, start_time="2027-03-21T00:30", end_time="2027-03-21T01:15", time_zone="Europe/Paris")
    repeat(cast.alice, event["id"], frequency="WEEKLY", end_date="2027-04-04")
    later = {"start_time": "2027-03-21T02:30", "end_time": "2027-03-21T03:15", "scope": "all"}
    assert cast.alice.put(f"/api/events/{event['id']}", json=later).status == 200
    times = [(start[11:16], (end or "")[11:16]) for start, end in load_times(cast.alice, ids_of_series(cast.alice, event["id"]))]
    assert times == [("02:30", "03:15"), ("03:30", "04:15"), ("02:30", "03:15")]


@pytest.mark.parametrize(
    ("fields", "alone", "together"),
    [
        ({"start_time": "2027-03-01", "end_time": "2027-03-03"}, {"end_time": "2027-03-08"}, {"end_time": "2027-03-01"}),
        ({"start_time": "2027-03-01", "end_time": "2027-03-03"}, {"end_time": "2027-03-08"}, {"start_time": "2027-03-02"}),
        ({}, {"start_time": "2027-03-08T10:30", "end_time": "2027-03-08T10:45"}, {"all_day": True}),
        ({"end_time": None}, {}, {"end_time": "2027-03-01T10:30"}),
        ({}, {"end_time": "2027-03-08T10:10"}, {"end_time": "2027-03-01T10:30"}),
    ],
)
def test_no_occurrence_ends_before_it_starts(cast: Cast, fields: Any, alone: Any, together: Any) -> None:
    ids = five_mondays(cast.alice, **fields)
    assert cast.alice.put(f"/api/events/{ids[1]}", json=alone).status == 200
    assert cast.alice.put(f"/api/events/{ids[0]}", json=together | {"scope": "all"}).status == 200
    assert all(end is None or start <= end for start, end in load_times(cast.alice, ids))
    assert cast.alice.put(f"/api/events/{ids[0]}", json={"title": "Still there", "scope": "all"}).status == 200


def test_an_end_that_meets_a_skipped_hour_stays_behind_its_start(cast: Cast) -> None:
    event = an_event(cast.alice, start_time="2027-03-21T01:00", time_zone="Europe/Paris")
    repeat(cast.alice, event["id"], frequency="WEEKLY", end_date="2027-04-04")
    later = {"start_time": "2027-03-21T02:30", "end_time": "2027-03-21T03:15", "scope": "all"}
    assert cast.alice.put(f"/api/events/{event['id']}", json=later).status == 200
    assert [start[11:16] for start, _ in load_times(cast.alice, ids_of_series(cast.alice, event["id"]))] == ["02:30", "03:30", "02:30"]


def test_a_series_that_moves_out_of_a_skipped_hour_keeps_the_clock(cast: Cast) -> None:
    event = an_event(cast.alice, start_time="2027-10-01T02:10", time_zone="Australia/Lord_Howe")
    repeat(cast.alice, event["id"], frequency="DAILY", end_date="2027-10-05")
    cast.alice.put(f"/api/events/{event['id']}", json={"start_time": "2027-10-01T04:10", "scope": "all"})
    assert {start[11:16] for start, _ in load_times(cast.alice, ids_of_series(cast.alice, event["id"]))} == {"04:10"}


def test_an_occurrence_that_has_the_new_kind_or_zone_already_is_not_moved_again(cast: Cast) -> None:
    ids = five_mondays(cast.alice)
    cast.alice.put(f"/api/events/{ids[1]}", json={"start_time": "2027-03-08", "all_day": True})
    cast.alice.put(f"/api/events/{ids[0]}", json={"all_day": True, "scope": "all"})
    assert [start for start, _ in load_times(cast.alice, ids)][:3] == ["2027-03-01", "2027-03-08", "2027-03-15"]
    zoned = five_mondays(cast.alice)
    cast.alice.put(f"/api/events/{zoned[1]}", json={"time_zone": "Asia/Tokyo"})
    cast.alice.put(f"/api/events/{zoned[0]}", json={"time_zone": "Asia/Tokyo", "scope": "all"})
    assert {start[11:16] for start, _ in load_times(cast.alice, zoned)[:4]} == {"18:00"}


def test_a_new_end_leaves_a_start_in_the_repeated_hour_alone(cast: Cast) -> None:
    event = an_event(cast.alice, start_time="2027-10-30T02:30", end_time="2027-10-30T02:45", time_zone="Europe/Paris")
    repeat(cast.alice, event["id"], frequency="DAILY", end_date="2027-11-01")
    second = ids_of_series(cast.alice, event["id"])[1]
    late = {"start_time": "2027-10-31T02:30:00+01:00", "end_time": "2027-10-31T02:45:00+01:00"}
    cast.alice.put(f"/api/events/{second}", json=late)
    cast.alice.put(f"/api/events/{event['id']}", json={"end_time": "2027-10-30T02:50", "scope": "all"})
    assert load_times(cast.alice, [second])[0][0] == "2027-10-31T02:30:00+01:00"


def test_whole_days_stay_whole_where_a_midnight_is_skipped(cast: Cast) -> None:
    event = an_event(cast.alice, start_time="2027-03-28", end_time="2027-03-29", time_zone="Asia/Beirut")
    repeat(cast.alice, event["id"], frequency="DAILY", start_date="2027-03-26", end_date="2027-03-30")
    ids = ids_of_series(cast.alice, event["id"])
    days = [("2027-03-26", "2027-03-27"), ("2027-03-27", "2027-03-28"), ("2027-03-28", "2027-03-29")]
    assert load_times(cast.alice, ids)[:3] == days
    moved = {"start_time": "2027-03-29", "end_time": "2027-03-30", "scope": "all"}
    assert cast.alice.put(f"/api/events/{event['id']}", json=moved).status == 200
    assert load_times(cast.alice, ids)[:2] == days[1:]
    assert cast.alice.get(f"/api/events/{event['id']}").json["repeat"]["start_date"] == "2027-03-27"
    assert_rule_agrees(cast.alice, event["id"])
