"""The times of an event: every form of DATETIME, in the right zone, as instants or as whole days."""

from typing import Any

import pytest

from tests.cast import Cast, Person, a_calendar, an_event
from tests.client import Client

pytestmark = pytest.mark.on_one_database

Times = tuple[str, str | None, bool, str]


def _times(event: dict[str, Any]) -> Times:
    return event["start_time"], event["end_time"], event["all_day"], event["time_zone"]


def _in_paris(owner: Client, start: str, end: str | None = None, **fields: Any) -> Times:
    """The times of an event that is made on a calendar of Paris."""
    calendar = a_calendar(owner, time_zone="Europe/Paris")["id"]
    return _times(an_event(owner, calendar_id=calendar, start_time=start, end_time=end, **fields))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-05-11T17:00:00+02:00", "2026-05-11T17:00:00+02:00"),
        ("2026-05-11T15:00:00Z", "2026-05-11T17:00:00+02:00"),
        ("2026-05-11t15:00:00z", "2026-05-11T17:00:00+02:00"),
        ("2026-05-11T15:00Z", "2026-05-11T17:00:00+02:00"),
        ("2026-05-11T10:00:00-05:00", "2026-05-11T17:00:00+02:00"),
        ("2026-05-11T17:00:00", "2026-05-11T17:00:00+02:00"),
        ("2026-05-11T17:00", "2026-05-11T17:00:00+02:00"),
        ("2026-05-11 17:00", "2026-05-11T17:00:00+02:00"),
        ("2026-05-11T17:00:30.999", "2026-05-11T17:00:30+02:00"),
        ("2026-05-11T17:00:00+02:00[Europe/Paris]", "2026-05-11T17:00:00+02:00"),
        ("2026-05-11T17:00[Europe/Paris]", "2026-05-11T17:00:00+02:00"),
        ("202605111700", "2026-05-11T17:00:00+02:00"),
        ("20260511T1700", "2026-05-11T17:00:00+02:00"),
        ("20260511T150000Z", "2026-05-11T17:00:00+02:00"),
        ("2026-01-11T17:00", "2026-01-11T17:00:00+01:00"),
        ("2026-03-29T02:30", "2026-03-29T03:30:00+02:00"),
        ("2026-10-25T02:30", "2026-10-25T02:30:00+02:00"),
        ("2026-10-25T02:30:00+01:00", "2026-10-25T02:30:00+01:00"),
        ("1900-01-01T12:00Z", "1900-01-01T12:10:00+00:10"),
        ("9999-12-31T20:00Z", "9999-12-31T21:00:00+01:00"),
    ],
)
def test_a_time_is_accepted_in_every_form_and_returned_in_one(cast: Cast, text: str, expected: str) -> None:
    assert _in_paris(cast.alice, text) == (expected, None, False, "Europe/Paris")
    assert _in_paris(cast.alice, expected) == (expected, None, False, "Europe/Paris")


@pytest.mark.parametrize("text", ["2026-05-11", "20260511", "2026-05-11[Europe/Paris]", " 2026-05-11 "])
def test_a_date_alone_makes_an_all_day_event(cast: Cast, text: str) -> None:
    assert _in_paris(cast.alice, text) == ("2026-05-11", None, True, "Europe/Paris")
    assert _in_paris(cast.alice, text, text) == ("2026-05-11", "2026-05-11", True, "Europe/Paris")


@pytest.mark.parametrize(
    ("start", "end", "all_day", "times"),
    [
        ("2026-05-11", "2026-05-13", None, ("2026-05-11", "2026-05-13", True)),
        ("2026-05-11", "2026-05-13", True, ("2026-05-11", "2026-05-13", True)),
        ("2026-05-11", "2026-05-13T10:00", None, ("2026-05-11", "2026-05-13", True)),
        ("2026-05-11T22:30Z", "2026-05-12T22:30Z", True, ("2026-05-12", "2026-05-13", True)),
        ("2026-05-11T17:00", None, True, ("2026-05-11", None, True)),
        ("2026-05-11T17:00", "2026-05-11T09:00", True, ("2026-05-11", "2026-05-11", True)),
        ("2026-05-11", None, False, ("2026-05-11T00:00:00+02:00", None, False)),
        ("2026-05-11", "2026-05-11", False, ("2026-05-11T00:00:00+02:00", "2026-05-12T00:00:00+02:00", False)),
        ("2026-05-11T17:00", "2026-05-11", None, ("2026-05-11T17:00:00+02:00", "2026-05-12T00:00:00+02:00", False)),
        ("2026-05-11T17:00", "2026-05-11T17:00", None, ("2026-05-11T17:00:00+02:00", "2026-05-11T17:00:00+02:00", False)),
        ("2026-03-29", "2026-03-29", None, ("2026-03-29", "2026-03-29", True)),
        ("2026-10-25", "2026-10-25", None, ("2026-10-25", "2026-10-25", True)),
        ("1900-01-01", "9999-12-31", None, ("1900-01-01", "9999-12-31", True)),
    ],
)
def test_a_date_as_end_includes_its_day(
    cast: Cast, start: str, end: str | None, all_day: bool | None, times: tuple[str, str | None, bool]
) -> None:
    """An all-day end is the last day, inclusive; so is the end of an event with a time, where it is a date alone."""
    assert _in_paris(cast.alice, start, end, all_day=all_day) == (*times, "Europe/Paris")


@pytest.mark.parametrize(
    ("start", "end", "all_day"),
    [
        ("2026-05-11T17:00", "2026-05-11T16:59:59", None),
        ("2026-05-11T17:00+02:00", "2026-05-11T14:59Z", None),
        ("2026-05-11", "2026-05-10", None),
        ("2026-05-11T00:00", "2026-05-10T23:59", True),
        ("2026-05-11T17:00", "2026-05-10", None),
        ("9999-12-31", "1900-01-01", None),
    ],
)
def test_an_end_before_the_start_is_refused(cast: Cast, start: str, end: str, all_day: bool | None) -> None:
    reply = cast.alice.post("/api/events", json={"title": "x", "start_time": start, "end_time": end, "all_day": all_day})
    assert (reply.status, reply.broken) == (422, ["end_time"])


@pytest.mark.parametrize(
    ("field", "text", "zone"),
    [
        ("start_time", "1899-12-31", "UTC"),
        ("start_time", "1900-01-01T00:00:00+14:00", "UTC"),
        ("start_time", "1900-01-01T00:00:00Z", "America/New_York"),
        ("start_time", "9999-12-31T23:30", "America/New_York"),
        ("end_time", "9999-12-31T23:30:00-05:00", "America/New_York"),
        ("end_time", "9999-12-31T23:30", "America/New_York"),
        ("end_time", "10000-01-01", "UTC"),
    ],
)
def test_years_out_of_range_in_the_zone_are_refused(cast: Cast, field: str, text: str, zone: str) -> None:
    reply = cast.alice.post("/api/events", json={"title": "x", "start_time": "2026-05-11T17:00", "time_zone": zone, field: text})
    assert (reply.status, reply.broken) == (422, [field])


def test_an_event_cannot_move_to_a_zone_where_its_year_is_out_of_range(cast: Cast) -> None:
    event = an_event(cast.alice, start_time="1900-01-01T00:00Z", time_zone="UTC")["id"]
    reply = cast.alice.put(f"/api/events/{event}", json={"time_zone": "America/New_York"})
    assert (reply.status, reply.broken) == (422, ["start_time"])


@pytest.mark.parametrize("field", ["start_time", "end_time"])
@pytest.mark.parametrize(
    "value", ["tomorrow", "2026-02-30", "17:00", "2026-05-11T25:00", "2026-05-11T17:00[Mars/Olympus]", 20260511, [], True]
)
def test_an_invalid_time_is_refused(cast: Cast, field: str, value: object) -> None:
    fields = {"title": "x", "start_time": "2026-05-11T17:00", field: value}
    reply = cast.alice.post("/api/events", json=fields)
    assert (reply.status, reply.broken) == (422, [field])
    changed = cast.alice.put(f"/api/events/{an_event(cast.alice)['id']}", json={field: value})
    assert (changed.status, changed.broken) == (422, [field])


def test_the_error_of_an_invalid_time_has_an_example(cast: Cast) -> None:
    reply = cast.alice.post("/api/events", json={"title": "x", "start_time": "tomorrow"})
    example = reply.json["errors"][0]["message"].split("like ")[1].split(",")[0]
    assert an_event(cast.alice, start_time=example)["start_time"] == "2026-05-11T15:00:00+00:00"


class TestZones:
    """A time without offset is read in the request's zone, else the event's, else the calendar's, else the user's, else UTC."""

    def test_times_of_a_new_event_use_its_zone(self, cast: Cast) -> None:
        def start(owner: Client, **fields: Any) -> tuple[str, str]:
            event = an_event(owner, **fields | {"start_time": fields.get("start_time", "2026-05-11T17:00")})
            return event["start_time"], event["time_zone"]

        erin = Person(cast.anonymous, "erin", time_zone="America/New_York")
        tokyo = a_calendar(erin, time_zone="Asia/Tokyo")["id"]
        assert start(cast.alice) == ("2026-05-11T17:00:00+00:00", "UTC")
        assert start(erin) == ("2026-05-11T17:00:00-04:00", "America/New_York")
        assert start(erin, calendar_id=a_calendar(erin)["id"]) == ("2026-05-11T17:00:00-04:00", "America/New_York")
        assert start(erin, calendar_id=tokyo) == ("2026-05-11T17:00:00+09:00", "Asia/Tokyo")
        assert start(erin, calendar_id=tokyo, time_zone="Europe/Paris") == ("2026-05-11T17:00:00+02:00", "Europe/Paris")
        suffixed = "2026-05-11T17:00[Europe/Paris]"
        assert start(erin, calendar_id=tokyo, start_time=suffixed) == ("2026-05-11T17:00:00+02:00", "Europe/Paris")
        both = start(erin, calendar_id=tokyo, start_time=suffixed, time_zone="UTC")
        assert both == ("2026-05-11T15:00:00+00:00", "UTC")

    def test_an_end_is_read_in_its_own_zone_or_in_that_of_the_start(self, cast: Cast) -> None:
        times = _in_paris(cast.alice, "2026-05-11T17:00[Asia/Tokyo]", "2026-05-11T18:00")
        assert times == ("2026-05-11T17:00:00+09:00", "2026-05-11T18:00:00+09:00", False, "Asia/Tokyo")
        times = _in_paris(cast.alice, "2026-05-11T17:00", "2026-05-11T18:00[UTC]")
        assert times == ("2026-05-11T17:00:00+02:00", "2026-05-11T20:00:00+02:00", False, "Europe/Paris")

    @pytest.mark.parametrize(
        ("fields", "times"),
        [
            ({"start_time": "2026-05-11T16:00"}, ("2026-05-11T16:00:00+09:00", "2026-05-11T18:00:00+09:00", False, "Asia/Tokyo")),
            ({"end_time": "2026-05-11T19:00"}, ("2026-05-11T17:00:00+09:00", "2026-05-11T19:00:00+09:00", False, "Asia/Tokyo")),
            (
                {"start_time": "2026-05-11T09:30", "time_zone": "Europe/Paris"},
                ("2026-05-11T09:30:00+02:00", "2026-05-11T11:00:00+02:00", False, "Europe/Paris"),
            ),
            (
                {"start_time": "2026-05-11T09:30[Europe/Paris]"},
                ("2026-05-11T09:30:00+02:00", "2026-05-11T11:00:00+02:00", False, "Europe/Paris"),
            ),
            ({"time_zone": "Europe/Paris"}, ("2026-05-11T10:00:00+02:00", "2026-05-11T11:00:00+02:00", False, "Europe/Paris")),
            ({"time_zone": ""}, ("2026-05-11T17:00:00+09:00", "2026-05-11T18:00:00+09:00", False, "Asia/Tokyo")),
            ({"end_time": ""}, ("2026-05-11T17:00:00+09:00", None, False, "Asia/Tokyo")),
            ({"start_time": "2026-05-12"}, ("2026-05-12", None, True, "Asia/Tokyo")),
            ({"start_time": "2026-05-12", "end_time": "2026-05-13"}, ("2026-05-12", "2026-05-13", True, "Asia/Tokyo")),
            ({"all_day": True}, ("2026-05-11", "2026-05-11", True, "Asia/Tokyo")),
        ],
    )
    def test_times_after_an_update_use_its_zone(self, cast: Cast, fields: dict[str, Any], times: Times) -> None:
        calendar = a_calendar(cast.alice, time_zone="Asia/Tokyo")["id"]
        event = an_event(cast.alice, calendar_id=calendar, start_time="2026-05-11T17:00", end_time="2026-05-11T18:00")["id"]
        assert cast.alice.put(f"/api/calendars/{calendar}", json={"time_zone": "America/New_York"}).status == 200
        assert _times(cast.alice.put(f"/api/events/{event}", json=fields).json) == times

    @pytest.mark.parametrize(
        ("fields", "times"),
        [
            ({"time_zone": "Asia/Tokyo"}, ("2026-05-11", "2026-05-12", True, "Asia/Tokyo")),
            ({"start_time": "2026-05-12"}, ("2026-05-12", "2026-05-12", True, "UTC")),
            ({"start_time": "2026-05-12T10:00"}, ("2026-05-12T10:00:00+00:00", None, False, "UTC")),
            ({"all_day": False}, ("2026-05-11T00:00:00+00:00", "2026-05-13T00:00:00+00:00", False, "UTC")),
            ({"all_day": ""}, ("2026-05-11", "2026-05-12", True, "UTC")),
            ({"end_time": None}, ("2026-05-11", None, True, "UTC")),
        ],
    )
    def test_whole_days_after_an_update_use_its_zone(self, cast: Cast, fields: dict[str, Any], times: Times) -> None:
        event = an_event(cast.alice, start_time="2026-05-11", end_time="2026-05-12")["id"]
        assert _times(cast.alice.put(f"/api/events/{event}", json=fields).json) == times

    def test_days_that_clocks_skipped_are_the_next(self, cast: Cast) -> None:
        event = an_event(cast.alice, start_time="2011-12-30", end_time="2011-12-30", time_zone="Pacific/Apia")
        assert _times(event) == ("2011-12-31", "2011-12-31", True, "Pacific/Apia")

    @pytest.mark.parametrize("zone", ["Mars/Olympus", "+02:00", "europe/paris", "localtime", "CEST", 5])
    def test_an_unknown_zone_is_refused(self, cast: Cast, zone: object) -> None:
        reply = cast.alice.post("/api/events", json={"title": "x", "start_time": "2026-05-11", "time_zone": zone})
        assert (reply.status, reply.broken) == (422, ["time_zone"])
