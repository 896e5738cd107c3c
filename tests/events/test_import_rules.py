"""Rules in imported files: which become a series, which single events, and that none can do harm."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import icalendar
import pytest
import recurring_ical_events
from hypothesis import given
from hypothesis import strategies as st

from tests.cast import Cast, a_calendar, a_comment, a_key
from tests.client import Client
from tests.conftest import Clock
from tests.events.importing import a_file, an_entry, counts, events, imported, remarks, starts, uploaded
from tests.ical.calendars import CALENDARS

pytestmark = pytest.mark.on_one_database

PIECES = [
    *("0", "9999", "-1", "99999999999", "20260601", "00010101T000000Z", "99991231T235959", "FREQ=YEARLY", "BYDAY=MO", "UNTIL=19000101"),
    *("P9999W", "PT99999999H", "Pacific/Apia", "-2359", "\x00", "\\", "🎷", "BEGIN:"),
]
MONTH = 30 * 24 * 60 * 60
YEAR = 365 * 24 * 60 * 60


def lasting(cast: Cast) -> Client:
    """Alice by a key, which does not expire as sessions do."""
    return cast.anonymous.signed_in(a_key(cast.alice)["wkey"])


def repeating(rule: str, start: str = "DTSTART;TZID=Europe/Paris:20260601T180000", *lines: str) -> str:
    return a_file(an_entry("s", start, f"RRULE:{rule}", *lines))


@pytest.mark.parametrize(
    ("rule", "rrule"),
    [
        ("FREQ=DAILY;COUNT=3", "FREQ=DAILY;COUNT=3"),
        ("FREQ=DAILY;INTERVAL=10;UNTIL=20260703", "FREQ=DAILY;INTERVAL=10;UNTIL=20260701"),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;WKST=SU;UNTIL=20260801T000000Z", "FREQ=WEEKLY;INTERVAL=2;UNTIL=20260727"),
        ("FREQ=MONTHLY;BYMONTHDAY=1;COUNT=2", "FREQ=MONTHLY;COUNT=2"),
        ("FREQ=YEARLY;BYMONTH=6;BYMONTHDAY=1;COUNT=2", "FREQ=YEARLY;COUNT=2"),
        ("FREQ=DAILY;BYHOUR=18;BYMINUTE=0;BYSECOND=0;COUNT=2", "FREQ=DAILY;COUNT=2"),
        ("freq=weekly;count=2", "FREQ=WEEKLY;COUNT=2"),
        ("FREQ=WEEKLY", "FREQ=WEEKLY"),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,MO;WKST=SU", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU;WKST=SU"),
    ],
)
def test_a_rule_becomes_a_series_with_the_canonical_rule(cast: Cast, rule: str, rrule: str) -> None:
    came = imported(cast.alice, repeating(rule))
    assert came["remarks"] == []
    repeat = cast.alice.get(f"/api/events/{came['events'][0]['id']}").json["repeat"]
    assert (repeat["rrule"], repeat["start_date"], repeat["also"]) == (rrule, "2026-06-01", [])


@pytest.mark.parametrize(
    ("until", "last"),
    [
        ("20260603T160000Z", "2026-06-03"),
        ("20260603T155959Z", "2026-06-02"),
        ("20260603T180000", "2026-06-03"),
        ("20260603T175959", "2026-06-02"),
        ("20260603", "2026-06-03"),
        ("20200101", "2026-06-01"),
    ],
)
def test_the_last_occurrence_is_the_one_that_begins_no_later_than_the_rule_ends(cast: Cast, until: str, last: str) -> None:
    imported(cast.alice, repeating(f"FREQ=DAILY;UNTIL={until}"))
    assert starts(cast.alice)[-1][:10] == last


@pytest.mark.parametrize(
    ("rule", "days"),
    [
        ("FREQ=WEEKLY;BYDAY=MO,WE,FR;COUNT=4", ["06-01", "06-03", "06-05", "06-08"]),
        ("FREQ=MONTHLY;BYDAY=2TU;COUNT=3", ["06-01", "06-09", "07-14"]),
        ("FREQ=MONTHLY;BYDAY=-1FR;UNTIL=20260901", ["06-01", "06-26", "07-31", "08-28"]),
        ("FREQ=MONTHLY;BYMONTHDAY=1,-1;COUNT=4", ["06-01", "06-30", "07-01", "07-31"]),
        ("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1;COUNT=3", ["06-01", "07-01", "08-03"]),
        ("FREQ=DAILY;BYDAY=SA,SU;COUNT=3", ["06-01", "06-06", "06-07"]),
    ],
)
def test_a_rule_has_its_dates_and_the_first_one_in_the_series_and_the_feed(cast: Cast, rule: str, days: list[str]) -> None:
    content, calendar = repeating(rule), a_calendar(cast.alice)["id"]
    came = imported(cast.alice, content, calendar_id=calendar)
    assert (counts(came), came["remarks"]) == ((1, 0, 0, 0), [])
    assert starts(cast.alice) == [f"2026-{day}T18:00:00+02:00" for day in days]
    assert len({each["series_id"] for each in events(cast.alice)} - {None}) == 1
    assert counts(imported(cast.alice, content, calendar_id=calendar)) == (0, 0, 1, 0)
    feed: Any = icalendar.Calendar.from_ical(cast.alice.get(f"/api/calendars/{calendar}.ics").content)
    assert len(feed.walk("VEVENT")) == 1
    occurrences = recurring_ical_events.of(feed).between((2026, 1, 1), (2027, 1, 1))
    assert sorted(each["DTSTART"].dt.strftime("%m-%d") for each in occurrences) == days


@pytest.mark.parametrize("rule", ["FREQ=WEEKLY", "FREQ=MONTHLY;BYDAY=1MO"])
def test_an_endless_series_is_not_touched_by_the_same_file_a_year_later(cast: Cast, clock: Clock, rule: str) -> None:
    alice, content = lasting(cast), repeating(rule)
    imported(alice, content)
    before = starts(alice)
    clock.ahead(YEAR)
    assert counts(imported(alice, content)) == (0, 0, 1, 0)
    assert starts(alice) == before


def test_a_changed_complex_rule_deletes_events_that_it_no_longer_makes(cast: Cast) -> None:
    imported(cast.alice, repeating("FREQ=WEEKLY;BYDAY=MO,WE,FR;UNTIL=20260613"))
    ids = {each["start_time"][5:10]: each["id"] for each in events(cast.alice)}
    assert counts(imported(cast.alice, repeating("FREQ=WEEKLY;BYDAY=MO,FR;UNTIL=20260613"))) == (0, 1, 0, 0)
    remaining = {day: ids[day] for day in ("06-01", "06-05", "06-08", "06-12")}
    assert {each["start_time"][5:10]: each["id"] for each in events(cast.alice)} == remaining


def test_from_single_events_to_a_series_and_back_the_events_stay_the_same(cast: Cast) -> None:
    single, rich, plain = (
        a_file(an_entry("s", "DTSTART;TZID=Europe/Paris:20260601T180000")),
        repeating("FREQ=WEEKLY;BYDAY=MO,TU;UNTIL=20260616"),
        repeating("FREQ=WEEKLY;UNTIL=20260615"),
    )
    imported(cast.alice, single)
    (first,) = [each["id"] for each in events(cast.alice)]
    for content, count in ((plain, 3), (rich, 6), (plain, 3), (single, 1), (rich, 6), (single, 1)):
        assert counts(imported(cast.alice, content)) == (0, 1, 0, 0)
        assert counts(imported(cast.alice, content)) == (0, 0, 1, 0)
        held = events(cast.alice)
        assert (len(held), held[0]["id"]) == (count, first)
        assert {each["series_id"] is None for each in held} == {content == single}


@pytest.mark.parametrize("rule", ["RRULE:FREQ=DAILY;COUNT=2", "RDATE;TZID=Europe/Paris:20260602T180000"])
def test_dates_beside_a_rule_belong_to_the_series(cast: Cast, rule: str) -> None:
    dates = "RDATE;TZID=Europe/Paris:20260610T200000,20260602T180000,20260612T180000,20260614T180000,20260616T180000"
    excluded = "EXDATE;TZID=Europe/Paris:20260614T180000"
    moved = an_entry("s", "DTSTART;TZID=Europe/Paris:20260616T210000", "RECURRENCE-ID;TZID=Europe/Paris:20260616T180000", title="Late")
    content = a_file(an_entry("s", "DTSTART;TZID=Europe/Paris:20260601T180000", rule, dates, excluded), moved)
    calendar = a_calendar(cast.alice)["id"]
    came = imported(cast.alice, content, calendar_id=calendar)
    assert (counts(came), came["remarks"]) == ((1, 0, 0, 0), [])
    days = ["2026-06-01T18", "2026-06-02T18", "2026-06-10T20", "2026-06-12T18", "2026-06-16T21"]
    assert [start[:13] for start in starts(cast.alice)] == days
    assert len({each["series_id"] for each in events(cast.alice)}) == 1
    assert counts(imported(cast.alice, content, calendar_id=calendar)) == (0, 0, 1, 0)
    feed: Any = icalendar.Calendar.from_ical(cast.alice.get(f"/api/calendars/{calendar}.ics").content)
    occurrences = recurring_ical_events.of(feed).between((2026, 1, 1), (2027, 1, 1))
    assert sorted(each["DTSTART"].dt.strftime("%Y-%m-%dT%H") for each in occurrences) == days


def test_two_dates_of_a_day_are_a_date_of_the_series_and_an_event_of_its_own(cast: Cast) -> None:
    dates = "RDATE;TZID=Europe/Paris:20260602T200000"
    content = repeating("FREQ=DAILY;COUNT=2", "DTSTART;TZID=Europe/Paris:20260601T180000", dates)
    assert counts(imported(cast.alice, content)) == (2, 0, 0, 0)
    assert [start[8:13] for start in starts(cast.alice)] == ["01T18", "02T18", "02T20"]
    assert counts(imported(cast.alice, content)) == (0, 0, 2, 0)


@pytest.mark.parametrize(
    ("line", "end"), [("DURATION:PT8H", "T05:00:00+01:00"), ("DTEND;TZID=Europe/Paris:20261018T060000", "T06:00:00+01:00")]
)
def test_across_a_clock_change_a_duration_and_an_end_time_are_exact(cast: Cast, line: str, end: str) -> None:
    content = repeating("FREQ=WEEKLY;COUNT=3", "DTSTART;TZID=Europe/Paris:20261017T220000", line)
    imported(cast.alice, content)
    nights = [each["end_time"][10:] for each in events(cast.alice)]
    assert nights == ["T06:00:00+02:00", end, "T06:00:00+01:00"]
    assert counts(imported(cast.alice, content)) == (0, 0, 1, 0)


@pytest.mark.parametrize(
    ("rule", "second"),
    [
        ("FREQ=SECONDLY", "18:00:01"),
        ("FREQ=MINUTELY;INTERVAL=5;COUNT=999999999", "18:05:00"),
        ("FREQ=HOURLY;UNTIL=99991231T000000Z", "19:00:00"),
        ("FREQ=DAILY;BYHOUR=18,20", "20:00:00"),
    ],
)
def test_a_rule_with_times_of_its_own_is_single_events(cast: Cast, rule: str, second: str) -> None:
    came = imported(cast.alice, repeating(rule))
    assert (counts(came), remarks(came)) == ((1, 0, 0, 0), [(3, "repeat")])
    assert starts(cast.alice)[:2] == ["2026-06-01T18:00:00+02:00", f"2026-06-01T{second}+02:00"]
    assert cast.alice.get("/api/events", query={"count": "true", "limit": "1", "past": "yes"}).json["total"] == 1_000
    again = imported(cast.alice, repeating(rule))
    assert counts(again) == (0, 0, 1, 0)


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=DAILY;INTERVAL=0",
        "FREQ=DAILY;COUNT=x",
        "nonsense",
    ],
)
def test_a_rule_that_cannot_be_followed_leaves_the_first_occurrence(cast: Cast, rule: str) -> None:
    came = imported(cast.alice, repeating(rule))
    assert (counts(came), remarks(came)) == ((1, 0, 0, 0), [(3, "repeat")])
    assert starts(cast.alice) == ["2026-06-01T18:00:00+02:00"]


@pytest.mark.parametrize(
    ("rule", "start", "span"),
    [
        ("FREQ=DAILY;COUNT=999999999", "20260601T180000", ("2026-06-01", "2029-02-24")),
        ("FREQ=DAILY;UNTIL=99991231T235959Z", "20260601T180000", ("2026-06-01", "2029-02-24")),
        ("FREQ=DAILY", "19000101T180000", ("2025-09-02", "2028-05-28")),
        ("FREQ=DAILY;UNTIL=20271231", "19700101T180000", ("2025-04-06", "2027-12-31")),
        ("FREQ=DAILY;BYHOUR=18;BYDAY=MO,TU,WE,TH,FR,SA,SU", "20150101T180000", ("2025-09-02", "2028-05-28")),
    ],
)
def test_of_too_many_occurrences_those_around_today_are_imported_and_the_rest_reported(
    cast: Cast, clock: Clock, rule: str, start: str, span: tuple[str, str]
) -> None:
    alice, content = lasting(cast), repeating(rule, f"DTSTART:{start}Z")
    came = imported(alice, content)
    assert "were left out" in came["remarks"][0]["message"]
    reply = alice.get("/api/events?limit=1&count=true").json
    assert (reply["total"], reply["events"][0]["start_time"][:10]) == (1000, span[0])
    assert [start[:10] for start in starts(alice, start_time=span[1])] == [span[1]]
    before = starts(alice, start_time="2026-06-01")
    clock.ahead(MONTH)
    assert imported(alice, content)["imported"] == 0
    assert starts(alice, start_time="2026-06-01")[: len(before)] == before


@pytest.mark.parametrize(
    "rule", ["FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30,31", "FREQ=DAILY;BYYEARDAY=366;BYMONTH=1"]
)
def test_a_rule_that_makes_nothing_leaves_the_first_occurrence(cast: Cast, rule: str) -> None:
    imported(cast.alice, repeating(rule, "DTSTART:19000101T180000Z"))
    assert starts(cast.alice) == ["1900-01-01T18:00:00+00:00"]


@pytest.mark.on_one_database
def test_many_rules_that_make_nothing_end_with_the_files_budget(cast: Cast) -> None:
    bombs = [an_entry(f"b{i}", "DTSTART:19000101T180000Z", "RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30") for i in range(80)]
    came = imported(cast.alice, a_file(*bombs))
    assert counts(came) == (80, 0, 0, 0)
    assert "take too long to follow" not in came["remarks"][0]["message"]
    assert "take too long to follow" in came["remarks"][-1]["message"]


def test_a_file_that_makes_too_many_events_is_refused(cast: Cast) -> None:
    daily = [an_entry(f"d{i}", "DTSTART:20260601T180000Z", "RRULE:FREQ=DAILY") for i in range(30)]
    reply = uploaded(cast.alice, a_file(*daily))
    assert (reply.status, reply.broken) == (422, ["file"])
    assert "20,000" in reply.text
    long = [an_entry(f"l{i}", "DTSTART:20260601T180000Z", "RRULE:FREQ=DAILY", "DESCRIPTION:" + "x" * 20_000) for i in range(3)]
    assert uploaded(cast.alice, a_file(*long)).broken == ["file"]
    assert starts(cast.alice) == []


def test_ten_thousand_exceptions_are_read(cast: Cast) -> None:
    days = [f"EXDATE;VALUE=DATE:{year}{month:02}{day:02}" for year in range(2000, 2030) for month in range(1, 13) for day in range(1, 29)]
    imported(cast.alice, repeating("FREQ=DAILY;UNTIL=20260731", "DTSTART;TZID=Europe/Paris:20260601T180000", *days))
    assert [start[8:10] for start in starts(cast.alice)] == ["29", "30", "29", "30", "31"]


@pytest.mark.on_one_database
def test_a_file_of_ten_mebibytes_is_read_and_one_of_more_events_is_refused_at_once(cast: Cast) -> None:
    many = a_file(*(an_entry(f"m{i}", "DTSTART:20260601T180000Z") for i in range(100_000)))
    reply = uploaded(cast.alice, many)
    assert (reply.status, reply.broken) == (422, ["file"])
    assert "100,000 events; at most 10,000" in reply.text
    padding = "X-COMMENT:" + "x" * 60 + "\n"
    large = a_file(an_entry(), padding * (10 * 1024 * 1024 // len(padding) - 10))
    assert counts(imported(cast.alice, large)) == (1, 0, 0, 0)


@pytest.mark.parametrize("number", [1_000, pytest.param(10_000, marks=pytest.mark.soak)])
def test_many_events_come_at_once_and_again_change_nothing(cast: Cast, number: int) -> None:
    calendar = a_calendar(cast.alice)["id"]
    many = a_file(*(an_entry(f"m{i}", f"DTSTART:20260601T{i % 24:02}0000Z", title=f"Number {i}") for i in range(number)))
    came = imported(cast.alice, many, calendar_id=calendar)
    assert (counts(came), len(came["events"])) == ((number, 0, 0, 0), 500)
    assert counts(imported(cast.alice, many, calendar_id=calendar)) == (0, 0, number, 0)
    assert cast.alice.get(f"/api/events?calendar_id={calendar}&count=true&limit=0").json["total"] == number


@given(st.data())
def test_a_damaged_file_comes_or_is_refused_and_nothing_else(cast: Cast, data: Any) -> None:
    """Most files are damaged within a value, where they are still files."""
    content = data.draw(st.sampled_from(list(CALENDARS.values()))).decode()
    for _ in range(data.draw(st.integers(1, 5))):
        start = data.draw(st.sampled_from([at for at, character in enumerate(content) if character in ":;=,T"]))
        new = data.draw(st.sampled_from(PIECES) | st.text(max_size=5))
        content = content[: start + 1] + new + content[start + 1 + data.draw(st.integers(0, 8)) :]
    reply = uploaded(cast.alice, content.encode("utf-8", "replace"))
    assert reply.status == 201 or (reply.status, reply.broken) == (422, ["file"]), (reply, content)


def test_two_who_import_the_same_file_at_once_make_one_of_each(cast: Cast) -> None:
    content = a_file(an_entry("a"), an_entry("s", "DTSTART:20260701T180000Z", "RRULE:FREQ=DAILY;COUNT=5"))
    with ThreadPoolExecutor(4) as pool:
        came = list(pool.map(lambda _: imported(cast.alice, content), range(4)))
    assert sorted(each["imported"] for each in came) == [0, 0, 0, 2]
    assert len(starts(cast.alice)) == 6


def test_events_from_before_rules_were_kept_become_the_dates_of_the_series(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule with weekdays was imported as single events: with the same file again, they keep their ids and comments."""
    content = repeating(
        "FREQ=WEEKLY;BYDAY=MO,WE;COUNT=4", "DTSTART;TZID=Europe/Paris:20260601T180000", "RDATE;TZID=Europe/Paris:20260620T180000"
    )
    with monkeypatch.context() as patch:
        patch.setattr("kalends.features.events.imports.rules.recurrence.MAX_INTERVAL", 0)
        imported(cast.alice, content)
    before = events(cast.alice)
    assert {each["series_id"] for each in before} == {None}
    a_comment(cast.alice, before[2])
    assert counts(imported(cast.alice, content)) == (0, 1, 0, 0)
    after = events(cast.alice)
    assert [each["id"] for each in after] == [each["id"] for each in before]
    assert [each["comments_count"] for each in after] == [0, 0, 1, 0, 0]
    assert (after[0]["repeat"]["rrule"], after[0]["repeat"]["also"]) == ("FREQ=WEEKLY;COUNT=4;BYDAY=MO,WE", ["2026-06-20"])
    assert counts(imported(cast.alice, content)) == (0, 0, 1, 0)
