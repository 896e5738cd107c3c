"""GET /api/events by time: what starts, what ends, and what is going on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kalends.db import Database
from tests.cast import Cast, a_calendar, an_event
from tests.client import Client
from tests.events.listing import listed


def _at(hours: int) -> str:
    """The time this many hours after the beginning of June."""
    return f"2026-06-{1 + hours // 24:02}T{hours % 24:02}:00:00Z"


def _on(owner: Client, calendar: int, start: str, end: str | None = None) -> int:
    event_id = an_event(owner, calendar_id=calendar, start_time=start, end_time=end)["id"]
    assert isinstance(event_id, int)
    return event_id


@given(
    st.lists(st.tuples(st.integers(0, 100), st.none() | st.integers(0, 300)), min_size=1, max_size=8),
    st.lists(st.tuples(st.none() | st.integers(0, 200), st.none() | st.integers(0, 200)), min_size=1, max_size=6),
)
def test_every_window_finds_what_plain_comparison_says(
    cast: Cast, spans: list[tuple[int, int | None]], windows: list[tuple[int | None, int | None]]
) -> None:
    calendar = a_calendar(cast.alice)["id"]
    events = [(start, None if length is None else start + length) for start, length in spans]
    created = [(start, end, _on(cast.alice, calendar, _at(start), None if end is None else _at(end))) for start, end in events]
    created.sort(key=lambda event: (event[0], event[2]))
    for low, high in windows:
        query = {name: _at(hours) for name, hours in (("start_time", low), ("end_time", high)) if hours is not None}
        within = [e for s, end, e in created if (low is None or s >= low) and (high is None or (s if end is None else end) <= high)]
        assert listed(cast.alice, calendar_id=calendar, **query) == within
        going = [
            e for s, end, e in created if (high is None or s < high) and (low is None or (s if end is None else end) > low or s >= low)
        ]
        assert listed(cast.alice, calendar_id=calendar, overlaps="true", **query) == going


@pytest.mark.parametrize("scope", ["one calendar", "several", "all of mine", "public"])
def test_an_event_of_months_overlaps_every_day_in_it(cast: Cast, scope: str) -> None:
    calendar = a_calendar(cast.alice, public=True)["id"]
    long = _on(cast.alice, calendar, "2026-01-10", "2026-11-20")
    longer = _on(cast.alice, calendar, "2019-03-01T12:00Z", "2031-03-01T12:00Z")
    month = _on(cast.alice, calendar, "2026-05-15T00:00Z", "2026-06-15T00:00Z")
    past = _on(cast.alice, calendar, "2026-01-01", "2026-05-31")
    query = {
        "one calendar": {"calendar_id": calendar},
        "several": {"calendar_ids": f"{calendar},{a_calendar(cast.alice)['id']}"},
        "all of mine": {},
        "public": {"ids": f"{long},{longer},{month},{past}"},
    }[scope]
    reader = cast.anonymous if scope == "public" else cast.alice
    window = {"start_time": "2026-06-10T10:00Z", "end_time": "2026-06-10T11:00Z", "overlaps": "true"}
    assert listed(reader, **query, **window) == [longer, long, month]
    window |= {"start_time": "2026-06-15T00:00Z", "end_time": "2026-06-16"}
    assert listed(reader, **query, **window) == [longer, long]
    assert listed(reader, **query, start_time="2031-03-01T12:00Z", overlaps="true") == []


def test_guests_find_what_is_going_on_in_public(cast: Cast) -> None:
    word = f"word{cast.alice.id}"
    fields = {"title": word, "public": True}
    long = an_event(cast.alice, **fields, start_time="2025-01-10", end_time="2026-11-20")["id"]
    an_event(cast.alice, **fields, start_time="2026-06-12")
    assert listed(cast.anonymous, title=word, start_time="2026-06-10", end_time="2026-06-11", overlaps="true") == [long]


def test_an_event_without_length_overlaps_the_window_in_which_it_stands(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)["id"]
    bare = _on(cast.alice, calendar, "2026-06-10T10:00Z")
    point = _on(cast.alice, calendar, "2026-06-10T10:00Z", "2026-06-10T10:00Z")

    def overlapping(start: str, end: str) -> list[int]:
        return listed(cast.alice, calendar_id=calendar, overlaps="true", start_time=f"2026-06-10T{start}Z", end_time=f"2026-06-10T{end}Z")

    assert overlapping("10:00", "11:00") == [bare, point]
    assert overlapping("09:00", "10:00") == []
    assert overlapping("09:59", "10:01") == [bare, point]
    assert overlapping("10:01", "11:00") == []


def test_an_all_day_event_takes_its_days_in_its_own_zone(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, time_zone="Asia/Tokyo")["id"]
    day = _on(cast.alice, calendar, "2026-06-10")
    days = _on(cast.alice, calendar, "2026-06-10", "2026-06-11")

    def going(start: str, end: str) -> list[int]:
        return listed(cast.alice, calendar_id=calendar, overlaps="true", start_time=start, end_time=end)

    assert going("2026-06-09T14:00Z", "2026-06-09T15:00Z") == []
    assert going("2026-06-09T15:00Z", "2026-06-09T15:01Z") == [day, days]
    assert going("2026-06-10T14:59:59Z", "2026-06-10T15:00Z") == [day, days]
    assert going("2026-06-10T15:00Z", "2026-06-10T16:00Z") == [days]
    assert going("2026-06-11", "2026-06-11") == [days]
    assert going("2026-06-12", "2026-06-12") == []


def test_a_date_as_end_counts_to_its_end(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, time_zone="America/New_York")["id"]
    evening = _on(cast.alice, calendar, "2026-06-10T22:00", "2026-06-11T00:00")
    day = _on(cast.alice, calendar, "2026-06-10", "2026-06-10")
    night = _on(cast.alice, calendar, "2026-06-10T23:00", "2026-06-11T00:00:01")
    next_day, midnight = _on(cast.alice, calendar, "2026-06-11"), _on(cast.alice, calendar, "2026-06-11T00:00", "2026-06-11T00:00")
    assert listed(cast.alice, calendar_id=calendar, end_time="2026-06-10") == [day, evening]
    assert night not in listed(cast.alice, calendar_id=calendar, start_time="2026-06-10", end_time="2026-06-10")
    assert listed(cast.alice, calendar_id=calendar, start_time="2026-06-10", end_time="2026-06-11") == [
        *(day, evening, night, next_day, midnight)
    ]


def test_a_time_without_offset_is_read_in_the_first_zone_that_is_known(cast: Cast) -> None:
    """The request's own, else that of the one calendar, else the user's, else UTC."""
    calendar = a_calendar(cast.alice, time_zone="Asia/Tokyo", public=True)["id"]
    other = a_calendar(cast.alice, time_zone="Asia/Tokyo", public=True)["id"]
    assert cast.alice.put(f"/api/users/{cast.alice.id}", json={"time_zone": "America/New_York"}).status == 200
    event = _on(cast.alice, calendar, "2026-06-10T12:00Z")

    def starts(reader: Client, moment: str, **query: object) -> bool:
        """Whether the list that starts at the moment has the event, and the one that starts a second later has not."""
        assert listed(reader, start_time=f"2026-06-10T{moment}:01", **query) == []
        return listed(reader, start_time=f"2026-06-10T{moment}:00", **query) == [event]

    assert starts(cast.alice, "14:00", calendar_id=calendar, time_zone="Europe/Paris")
    assert starts(cast.alice, "21:00", calendar_id=calendar)
    assert starts(cast.alice, "21:00", calendar_ids=calendar)
    assert starts(cast.anonymous, "21:00", calendar_id=calendar)
    assert starts(cast.alice, "08:00", calendar_ids=f"{calendar},{other}")
    assert starts(cast.alice, "08:00")
    assert starts(cast.anonymous, "12:00", calendar_ids=f"{calendar},{other}")
    assert starts(cast.anonymous, "12:00", ids=event)
    assert listed(cast.alice, calendar_id=calendar, start_time="2026-06-10T14:00[Europe/Paris]") == [event]
    assert listed(cast.alice, calendar_id=calendar, start_time="2026-06-10T14:00:01[Europe/Paris]") == []


def test_the_farthest_times_are_searched_too(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, time_zone="Pacific/Kiritimati")["id"]
    first, last = _on(cast.alice, calendar, "1900-01-01"), _on(cast.alice, calendar, "9999-12-31", "9999-12-31")
    assert listed(cast.alice, calendar_id=calendar, start_time="1900-01-01", end_time="9999-12-31") == [first, last]
    assert listed(cast.alice, calendar_id=calendar, start_time="1900-01-01", end_time="9999-12-31", overlaps="true") == [first, last]
    assert listed(cast.alice, calendar_id=calendar, start_time="9999-12-31", overlaps="true") == [last]


def test_long_private_events_of_others_are_not_read(cast: Cast, db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user with many of them would slow down the lists of all users."""
    event = an_event(cast.alice, start_time="2026-01-01", end_time="2026-12-31")["id"]
    rows_read: list[tuple[object, ...]] = []
    with db.read() as tx:
        kind = type(tx)
    read = kind.rows

    def rows(self: object, sql: str, /, **params: object) -> list[tuple[object, ...]]:
        result = read(self, sql, **params)  # type: ignore[arg-type]
        # A user or a calendar may have the same id.
        if "events e" in sql or "placements" in sql:
            rows_read.extend(result)
        return result

    monkeypatch.setattr(kind, "rows", rows)
    query = {"overlaps": "true", "start_time": "2026-06-01", "end_time": "2026-06-02", "count": "true"}
    for who in (cast.anonymous, cast.carol):
        assert who.get("/api/events", query=query).status == 200
        assert event not in {value for row in rows_read for value in row if isinstance(value, int)}
    assert cast.alice.get("/api/events", query=query).json["total"] == 1
    assert event in {value for row in rows_read for value in row}


def test_an_event_that_becomes_long_is_going_on_wherever_it_stands(cast: Cast) -> None:
    calendars = [a_calendar(cast.alice, public=True)["id"] for _ in range(2)]
    event = _on(cast.alice, calendars[0], "2026-01-01", "2026-01-02")
    assert cast.alice.put(f"/api/events/{event}/add", json={"calendar_id": calendars[1]}).status == 200

    def going_on() -> list[list[int]]:
        query = {"overlaps": "true", "start_time": "2026-06-01", "end_time": "2026-06-02"}
        return [listed(who, calendar_id=calendar, **query) for who in (cast.alice, cast.anonymous) for calendar in calendars]

    for end, expected in (("2026-12-31", [event]), ("2026-01-03", [])):
        assert cast.alice.put(f"/api/events/{event}", json={"end_time": end}).status == 200
        assert going_on() == [expected] * 4


def test_the_events_of_a_list_have_the_offsets_of_their_zones(cast: Cast) -> None:
    """Events of one zone need not follow each other, and all-day events come between them."""
    expected = []
    for day, (zone, offset) in enumerate([("UTC", "+00:00"), ("Asia/Tokyo", "+09:00"), ("UTC", "+00:00"), ("America/Lima", "-05:00")], 1):
        an_event(cast.alice, start_time=f"2027-01-0{day}", time_zone=zone)
        an_event(cast.alice, start_time=f"2027-01-0{day}T18:00", end_time=f"2027-01-0{day}T19:00", time_zone=zone)
        expected += [(f"2027-01-0{day}", ""), (f"2027-01-0{day}T18:00:00{offset}", f"2027-01-0{day}T19:00:00{offset}")]
    events = cast.alice.get("/api/events?start_time=2026-12-01&limit=50").json["events"]
    assert sorted((event["start_time"], event["end_time"] or "") for event in events) == sorted(expected)
