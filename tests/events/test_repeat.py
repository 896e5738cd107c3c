"""PUT /api/events/<id>/repeat, and what scope does to a series."""

from calendar import monthrange
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kalends.core.settings import Settings
from kalends.db import Database
from kalends.features.events.series import store as series
from kalends.features.events.series.steps import occurrences
from kalends.http.context import Context
from tests.cast import Cast, Person, a_calendar, a_comment, a_response, an_event
from tests.client import Reply
from tests.conftest import Clock

pytestmark = pytest.mark.on_one_database

ZONES = """Africa/Cairo Africa/Casablanca Africa/Johannesburg Africa/Lagos Africa/Nairobi America/Anchorage America/Argentina/Buenos_Aires
America/Asuncion America/Bogota America/Caracas America/Chicago America/Denver America/Halifax America/Havana America/Lima
America/Los_Angeles America/Mexico_City America/New_York America/Nuuk America/Phoenix America/Santiago America/Sao_Paulo
America/St_Johns Asia/Amman Asia/Baghdad Asia/Beirut Asia/Dhaka Asia/Gaza Asia/Hong_Kong Asia/Jerusalem Asia/Karachi Asia/Kathmandu
Asia/Kolkata Asia/Manila Asia/Seoul Asia/Shanghai Asia/Tehran Asia/Tokyo Atlantic/Azores Australia/Adelaide Australia/Lord_Howe
Australia/Perth Australia/Sydney Europe/Dublin Europe/London Europe/Moscow Europe/Paris Pacific/Apia Pacific/Auckland UTC""".split()


def _repeat(owner: Person, event: dict[str, Any], **rule: Any) -> Reply:
    return owner.put(f"/api/events/{event['id']}/repeat", json=rule)


def _series(owner: Person, event: dict[str, Any]) -> list[dict[str, Any]]:
    series_id = owner.get(f"/api/events/{event['id']}").json["series_id"]
    events: list[dict[str, Any]] = owner.get(f"/api/events?series_id={series_id}&limit=500").json["events"]
    return events


def _starts(events: list[dict[str, Any]]) -> list[str]:
    return [event["start_time"][:16] for event in events]


def _oracle(frequency: str, interval: int, first: date, last: date) -> list[date]:
    """Day by day: is this a date of the rule?"""
    days = []
    for offset in range((last - first).days + 1):
        day = first + timedelta(days=offset)
        months = (day.year - first.year) * 12 + day.month - first.month
        fits = {
            "DAILY": offset % interval == 0,
            "WEEKLY": offset % (7 * interval) == 0,
            "MONTHLY": day.day == first.day and months % interval == 0,
            "YEARLY": (day.day, day.month) == (first.day, first.month) and (day.year - first.year) % interval == 0,
        }
        if fits[frequency]:
            days.append(day)
    return days


@given(
    st.sampled_from(["DAILY", "WEEKLY", "MONTHLY", "YEARLY"]),
    st.integers(1, 5),
    st.sampled_from(ZONES),
    st.dates(date(2024, 1, 1), date(2026, 12, 31)),
    st.integers(0, 23),
    st.sampled_from([0, 30]),
    st.integers(0, 400),
)
def test_occurrences_keep_the_wall_clock_as_the_oracle_says(
    cast: Cast, frequency: str, interval: int, zone: str, first: date, hour: int, minute: int, length: int
) -> None:
    wall = datetime(first.year, first.month, first.day, hour, minute)
    event = an_event(cast.alice, start_time=wall.isoformat(), time_zone=zone)
    reply = _repeat(cast.alice, event, frequency=frequency, interval=interval, end_date=(first + timedelta(days=length)).isoformat())
    # A clock change may have moved the event itself; its series has that time of day.
    start = datetime.fromisoformat(event["start_time"])
    expected = []
    for day in _oracle(frequency, interval, start.date(), first + timedelta(days=length)):
        local = start.replace(year=day.year, month=day.month, day=day.day, tzinfo=ZoneInfo(zone), fold=0)
        expected.append(local.astimezone(UTC))
    if start.date() > first + timedelta(days=length):
        assert reply.status == 422
        return
    assert (reply.status, reply.json["occurrences"]) == (200, len(expected)), reply
    assert [datetime.fromisoformat(e["start_time"]).astimezone(UTC) for e in _series(cast.alice, event)] == sorted(expected)


def test_the_reply_to_repeat_has_the_rule_and_the_number(cast: Cast) -> None:
    event = an_event(cast.alice, start_time="2026-06-01T20:00", end_time="2026-06-01T22:00", tag_list="jazz")
    reply = _repeat(cast.alice, event, frequency="WEEKLY", interval="2", end_date="2026-07-01").json
    assert reply["repeat"] == {
        "frequency": "WEEKLY",
        "interval": 2,
        "start_date": "2026-06-01",
        "end_date": "2026-07-01",
        "by_day": [],
        "by_month_day": [],
        "by_month": [],
        "by_set_pos": [],
        "count": None,
        "short_months": "skip",
        "rrule": "FREQ=WEEKLY;INTERVAL=2;UNTIL=20260701",
        "also": [],
        "except": [],
        "text": "Every 2 weeks on Monday until 1 July 2026",
    }
    assert (reply["occurrences"], reply["id"]) == (3, event["id"])
    occurrences = _series(cast.alice, event)
    assert _starts(occurrences) == ["2026-06-01T20:00", "2026-06-15T20:00", "2026-06-29T20:00"]
    assert [(e["end_time"][11:16], e["tags"], e["calendar_ids"]) for e in occurrences] == [("22:00", ["jazz"], event["calendar_ids"])] * 3


def test_the_31st_and_the_29th_of_february_are_skipped_where_missing(cast: Cast) -> None:
    month = an_event(cast.alice, start_time="2026-01-31")
    _repeat(cast.alice, month, frequency="MONTHLY", end_date="2026-07-31")
    assert [e["start_time"] for e in _series(cast.alice, month)] == ["2026-01-31", "2026-03-31", "2026-05-31", "2026-07-31"]
    year = an_event(cast.alice, start_time="2024-02-29")
    _repeat(cast.alice, year, frequency="YEARLY", end_date="2032-12-31")
    assert [e["start_time"] for e in _series(cast.alice, year)] == ["2024-02-29", "2028-02-29", "2032-02-29"]


def test_the_same_repeat_twice_changes_nothing(cast: Cast) -> None:
    event = an_event(cast.alice)
    replies = [_repeat(cast.alice, event, frequency="DAILY", end_date="2026-06-10") for _ in range(2)]
    before = [e["id"] for e in _series(cast.alice, event)]
    replies.append(_repeat(cast.alice, event, frequency="DAILY", end_date="2026-06-10"))
    assert replies[1].content == replies[2].content
    assert [(reply.json["created"], reply.json["removed"]) for reply in replies] == [(9, 0), (0, 0), (0, 0)]
    assert len({reply.headers["ETag"].partition(".")[0] for reply in replies}) == 1
    assert [e["id"] for e in _series(cast.alice, event)] == before


def test_with_another_start_date_the_event_stays_and_belongs_to_the_series(cast: Cast) -> None:
    event = an_event(cast.alice, start_time="2026-06-01T20:00")
    reply = _repeat(cast.alice, event, frequency="DAILY", start_date="2026-06-05", end_date="2026-06-06").json
    assert reply["occurrences"] == 3
    assert _starts(_series(cast.alice, event)) == ["2026-06-01T20:00", "2026-06-05T20:00", "2026-06-06T20:00"]


def test_a_new_rule_keeps_what_fits_and_what_people_wrote(cast: Cast) -> None:
    event = an_event(cast.alice, public=True, start_time="2026-06-01T20:00")
    _repeat(cast.alice, event, frequency="DAILY", end_date="2026-06-08")
    days = {e["start_time"][:10]: e for e in _series(cast.alice, event)}
    a_response(cast.anonymous, days["2026-06-02"], email_address="gus@example.org")
    a_comment(cast.carol, days["2026-06-04"])
    cast.alice.put(f"/api/events/{days['2026-06-06']['id']}", json={"title": "Special"})
    a_comment(cast.carol, days["2026-06-08"])
    _repeat(cast.alice, event, frequency="WEEKLY", end_date="2026-06-15")
    after = _series(cast.alice, event)
    assert [e["start_time"][:10] for e in after] == ["2026-06-01", "2026-06-08", "2026-06-15"]
    assert after[1]["id"] == days["2026-06-08"]["id"]
    assert cast.alice.get(f"/api/events/{after[1]['id']}").json["comments_count"] == 1
    for day in ("2026-06-02", "2026-06-04", "2026-06-06"):
        assert cast.alice.get(f"/api/events/{days[day]['id']}").json["series_id"] is None
    for day in ("2026-06-03", "2026-06-05", "2026-06-07"):
        assert cast.alice.get(f"/api/events/{days[day]['id']}").status == 410


def test_an_occurrence_that_was_destroyed_alone_is_not_created_again(cast: Cast) -> None:
    event = an_event(cast.alice, start_time="2026-06-01T20:00")
    _repeat(cast.alice, event, frequency="DAILY", end_date="2026-06-04")
    second = _series(cast.alice, event)[1]
    assert cast.alice.delete(f"/api/events/{second['id']}").json["deleted"] == [second["id"]]
    assert _repeat(cast.alice, event, frequency="DAILY", end_date="2026-06-05").json["occurrences"] == 4
    assert [e["start_time"][8:10] for e in _series(cast.alice, event)] == ["01", "03", "04", "05"]


@pytest.mark.parametrize(
    ("fields", "broken"),
    [
        ({"interval": 0}, "interval"),
        ({"interval": -1}, "interval"),
        ({"interval": 10**9}, "interval"),
        ({"interval": "x"}, "interval"),
        ({"frequency": "HOURLY"}, "frequency"),
        ({"frequency": None}, "frequency"),
        ({"end_date": "2026-05-01"}, "end_date"),
        ({"end_date": "9999-12-31"}, "end_date"),
        ({"end_date": "2926-06-01"}, "end_date"),
        ({"end_date": "soon"}, "end_date"),
        ({"start_date": "10000-01-01"}, "start_date"),
    ],
)
def test_an_impossible_rule_is_refused_at_once(cast: Cast, fields: dict[str, Any], broken: str) -> None:
    event = an_event(cast.alice, start_time="2026-06-01T20:00")
    reply = _repeat(cast.alice, event, **({"frequency": "DAILY", "end_date": "2026-06-03"} | fields))
    assert (reply.status, reply.broken) == (422, [broken]), reply
    assert cast.alice.get(f"/api/events/{event['id']}").json["series_id"] is None


def test_the_error_about_too_many_occurrences_has_the_last_possible_date(cast: Cast) -> None:
    event = an_event(cast.alice, start_time="2026-06-01T20:00")
    assert "2029-02-24" in _repeat(cast.alice, event, frequency="DAILY", end_date="2926-06-01").json["detail"]
    assert _repeat(cast.alice, event, frequency="DAILY", end_date="2029-02-24").json["occurrences"] == 1000


def test_the_length_of_the_text_limits_the_number_of_occurrences(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kalends.features.events.store.MAX_TEXT", 1_000)
    event = an_event(cast.alice, start_time="2026-06-01T20:00", description="x" * 200)
    refused = _repeat(cast.alice, event, frequency="DAILY", end_date="2026-06-09")
    assert (refused.status, refused.broken, "can have 4." in refused.json["detail"]) == (422, ["end_date"], True)
    assert _repeat(cast.alice, event, frequency="DAILY", end_date="2026-06-04").json["occurrences"] == 4


def test_the_calendars_of_the_event_limit_the_number_of_occurrences(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    event = an_event(cast.alice, start_time="2026-06-01T20:00")
    calendar_ids = [a_calendar(cast.alice)["id"] for _ in range(4)]
    for calendar_id in calendar_ids:
        assert cast.alice.put(f"/api/events/{event['id']}/add", json={"calendar_id": calendar_id}).status == 200
    monkeypatch.setattr("kalends.features.events.store.MAX_TEXT", 4_000)
    refused = _repeat(cast.alice, event, frequency="DAILY", end_date="2026-06-05")
    assert (refused.status, refused.broken, "can have 4." in refused.json["detail"]) == (422, ["end_date"], True)
    assert _repeat(cast.alice, event, frequency="DAILY", end_date="2026-06-04").json["occurrences"] == 4
    for calendar_id in calendar_ids:
        assert cast.alice.put(f"/api/events/{event['id']}/remove", json={"calendar_id": calendar_id}).status == 200
    assert _repeat(cast.alice, event, frequency="DAILY", end_date="2026-06-09").json["occurrences"] == 9


def test_a_series_ends_with_the_year_9999(cast: Cast) -> None:
    event = an_event(cast.alice, start_time="9999-12-30")
    assert _repeat(cast.alice, event, frequency="DAILY").json["occurrences"] == 2
    assert _repeat(cast.alice, event, frequency="YEARLY", interval=1000).json["occurrences"] == 1


def test_an_endless_series_is_extended_24_months_ahead(cast: Cast, clock: Clock, db: Database, settings: Settings) -> None:
    start = datetime.fromtimestamp(clock.now, UTC).replace(hour=12, minute=0)
    event = an_event(cast.alice, start_time=start.isoformat(), time_zone="UTC")
    _repeat(cast.alice, event, frequency="MONTHLY")
    assert len(_series(cast.alice, event)) == 25
    current = cast.alice.get(f"/api/events/{event['id']}").json
    cast.alice.put(f"/api/events/{_series(cast.alice, event)[-1]['id']}", json={"title": "Last for now"})
    ctx = Context(db, settings, clock.now + 95 * 86_400)
    for _ in range(2):
        with ctx.write():
            if current["series_id"] in series.find_due(ctx):
                occurrences.extend(ctx, current["series_id"])
    events = _series(cast.alice, event)
    assert (len(events), events[-1]["title"], events[24]["title"]) == (28, "Concert", "Last for now")
    years, months = divmod(start.year * 12 + start.month - 1 + 27, 12)
    assert events[-1]["start_time"][:10] == date(years, months + 1, min(start.day, monthrange(years, months + 1)[1])).isoformat()


POSITIONS = [0, 2, 4]


def _five(cast: Cast, **fields: Any) -> list[dict[str, Any]]:
    event = an_event(
        cast.alice, **({"start_time": "2026-10-23T20:00", "end_time": "2026-10-23T22:00", "time_zone": "Europe/Paris"} | fields)
    )
    _repeat(cast.alice, event, frequency="DAILY", end_date="2026-10-27")
    return _series(cast.alice, event)


@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize("scope", ["this", "following", "all"])
def test_a_title_changes_in_scope(cast: Cast, scope: str, position: int) -> None:
    five = _five(cast)
    reply = cast.alice.put(f"/api/events/{five[position]['id']}", json={"title": "New", "scope": scope})
    assert (reply.status, reply.json["title"]) == (200, "New")
    changed = {"this": [position], "following": list(range(position, 5)), "all": list(range(5))}[scope]
    titles = [cast.alice.get(f"/api/events/{event['id']}").json["title"] for event in five]
    assert [i for i, title in enumerate(titles) if title == "New"] == changed


@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize("scope", ["following", "all"])
def test_a_moved_start_moves_all_in_scope_on_the_clocks(cast: Cast, scope: str, position: int) -> None:
    five = _five(cast)
    day = five[position]["start_time"][:10]
    reply = cast.alice.put(f"/api/events/{five[position]['id']}", json={"start_time": f"{day}T21:00", "scope": scope})
    assert reply.status == 200, reply
    now = [cast.alice.get(f"/api/events/{event['id']}").json for event in five]
    first = position if scope == "following" else 0
    assert [e["start_time"][11:16] for e in now] == ["20:00"] * first + ["21:00"] * (5 - first)
    assert [e["end_time"][11:16] for e in now] == ["22:00"] * 5
    assert [e["start_time"][:10] for e in now] == [e["start_time"][:10] for e in five]
    assert len({e["series_id"] for e in now}) == (2 if scope == "following" and position else 1)


def test_a_series_that_moves_by_a_day_can_be_repeated_again_unchanged(cast: Cast) -> None:
    five = _five(cast)
    moved = cast.alice.put(
        f"/api/events/{five[0]['id']}", json={"start_time": "2026-10-24T20:00", "end_time": "2026-10-24T22:00", "scope": "all"}
    )
    assert (moved.json["repeat"]["rrule"], moved.json["repeat"]["start_date"]) == ("FREQ=DAILY;UNTIL=20261028", "2026-10-24")
    again = _repeat(cast.alice, five[0], frequency="DAILY", end_date="2026-10-28")
    assert again.json["occurrences"] == 5
    assert [e["id"] for e in _series(cast.alice, five[0])] == [e["id"] for e in five]


@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize("scope", ["this", "following", "all"])
def test_destroy_deletes_the_occurrences_in_scope(cast: Cast, scope: str, position: int) -> None:
    five = _five(cast)
    reply = cast.alice.delete(f"/api/events/{five[position]['id']}", query={"scope": scope})
    gone = {"this": [position], "following": list(range(position, 5)), "all": list(range(5))}[scope]
    assert reply.json["deleted"] == [five[i]["id"] for i in gone]
    remaining = [i for i, event in enumerate(five) if cast.alice.get(f"/api/events/{event['id']}").status == 200]
    assert remaining == [i for i in range(5) if i not in gone]
    if scope == "following" and position:
        rule = cast.alice.get(f"/api/events/{five[0]['id']}").json["repeat"]
        assert rule["end_date"] == f"2026-10-{22 + position}"


def test_an_unknown_scope_is_refused(cast: Cast) -> None:
    event = an_event(cast.alice)
    assert cast.alice.put(f"/api/events/{event['id']}", json={"scope": "some"}).broken == ["scope"]
    assert cast.alice.put(f"/api/events/{event['id']}", json={"title": "Alone", "scope": "all"}).json["title"] == "Alone"


def test_repeats_of_one_series_at_once_leave_one_rule_that_the_events_follow(cast: Cast) -> None:
    event = an_event(cast.alice, start_time="2026-06-01T20:00")
    _repeat(cast.alice, event, frequency="DAILY", end_date="2026-06-10")
    fifth = _series(cast.alice, event)[4]
    rules = [{"frequency": "DAILY", "start_date": "2026-06-01", "end_date": f"2026-06-{day}"} for day in range(12, 24)]
    with ThreadPoolExecutor(6) as pool:
        statuses = list(pool.map(lambda i: _repeat(cast.alice, [event, fifth][i % 2], **rules[i]).status, range(12)))
    assert set(statuses) == {200}
    rule = cast.alice.get(f"/api/events/{event['id']}").json["repeat"]
    dates = [date.fromisoformat(e["start_time"][:10]) for e in _series(cast.alice, event)]
    expected = _oracle("DAILY", 1, date.fromisoformat(rule["start_date"]), date.fromisoformat(rule["end_date"]))
    assert dates == expected


def test_a_series_repeated_from_a_date_in_a_dst_gap_keeps_its_length(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, time_zone="Europe/Paris")["id"]
    event = an_event(cast.alice, calendar_id=calendar, start_time="2026-03-28T02:30", end_time="2026-03-28T04:30")
    cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY", "end_date": "2026-03-29"})
    _, moved = cast.alice.get(f"/api/events?calendar_id={calendar}").json["events"]
    assert moved["start_time"] == "2026-03-29T03:30:00+02:00"
    cast.alice.put(f"/api/events/{moved['id']}/repeat", json={"frequency": "DAILY", "start_date": "2026-03-28", "end_date": "2026-03-30"})
    last = cast.alice.get(f"/api/events?calendar_id={calendar}").json["events"][-1]
    assert (last["start_time"], last["end_time"]) == ("2026-03-30T02:30:00+02:00", "2026-03-30T04:30:00+02:00")
