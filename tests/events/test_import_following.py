"""Changes of an occurrence and all that follow it (THISANDFUTURE) in imported files: they split the series."""

from datetime import date, timedelta

import pytest

from tests.cast import Cast, a_comment
from tests.events.importing import a_file, an_entry, counts, events, imported, remarks, starts
from tests.events.series import assert_rule_agrees

pytestmark = pytest.mark.on_one_database

PARIS = "TZID=Europe/Paris"


def weekly(rule: str = "FREQ=WEEKLY;COUNT=5", *lines: str) -> str:
    return an_entry("s", f"DTSTART;{PARIS}:20260601T180000", f"RRULE:{rule}", *lines)


def following(day: str, start: str, *lines: str, title: str = "Later") -> str:
    return an_entry("s", f"DTSTART;{PARIS}:{start}", f"RECURRENCE-ID;RANGE=THISANDFUTURE;{PARIS}:{day}T180000", *lines, title=title)


def test_a_change_of_the_following_occurrences_splits_the_series(cast: Cast) -> None:
    content = a_file(weekly(), following("20260615", "20260615T200000"))
    came = imported(cast.alice, content)
    assert (counts(came), remarks(came)) == ((2, 0, 0, 0), [])
    listed = events(cast.alice)
    assert [each["start_time"][5:16] for each in listed] == ["06-01T18:00", "06-08T18:00", "06-15T20:00", "06-22T20:00", "06-29T20:00"]
    rules = [(each["title"], each["repeat"]["rrule"], each["repeat"]["start_date"]) for each in listed]
    assert rules[1] == ("Concert", "FREQ=WEEKLY;COUNT=2", "2026-06-01")
    assert rules[2] == ("Later", "FREQ=WEEKLY;COUNT=3", "2026-06-15")
    for event_id in (listed[0]["id"], listed[2]["id"]):
        assert_rule_agrees(cast.alice, event_id)
    assert counts(imported(cast.alice, content)) == (0, 0, 2, 0)


@pytest.mark.parametrize(
    ("rule", "tail"),
    [
        ("FREQ=WEEKLY;UNTIL=20260629T160000Z", "FREQ=WEEKLY;UNTIL=20260630"),
        ("FREQ=WEEKLY;BYDAY=MO,WE;UNTIL=20260630", "FREQ=WEEKLY;UNTIL=20260630;BYDAY=TU,TH"),
        ("FREQ=WEEKLY", "FREQ=WEEKLY"),
        ("FREQ=DAILY;INTERVAL=7;COUNT=5", "FREQ=DAILY;INTERVAL=7;COUNT=3"),
        ("FREQ=MONTHLY;BYDAY=1MO,3MO;COUNT=3", "FREQ=DAILY;COUNT=1"),
    ],
)
def test_the_rest_of_the_rule_moves_by_as_many_days(cast: Cast, rule: str, tail: str) -> None:
    content = a_file(weekly(rule, f"EXDATE;{PARIS}:20260622T180000"), following("20260615", "20260616T180000"))
    assert counts(imported(cast.alice, content)) == (2, 0, 0, 0)
    listed = [each for each in events(cast.alice, start_time="2026-06-10", end_time="2026-07-20") if each["title"] == "Later"]
    assert (listed[0]["start_time"][:10], listed[0]["repeat"]["rrule"]) == ("2026-06-16", tail)
    assert "2026-06-23" not in {each["start_time"][:10] for each in listed}
    last = {"FREQ=WEEKLY": "2026-07-14", "FREQ=DAILY;COUNT=1": "2026-07-07"}.get(tail, "2026-06-30")
    assert listed[-1]["start_time"][:10] == last
    assert len({each["series_id"] for each in listed}) == 1
    assert counts(imported(cast.alice, content)) == (0, 0, 2, 0)


def test_a_change_from_the_first_occurrence_on_makes_one_series(cast: Cast) -> None:
    came = imported(cast.alice, a_file(weekly(), following("20260601", "20260601T210000")))
    assert counts(came) == (1, 0, 0, 0)
    assert {(each["title"], each["repeat"]["rrule"]) for each in events(cast.alice)} == {("Later", "FREQ=WEEKLY;COUNT=5")}


def test_dates_beside_the_rule_move_with_it(cast: Cast) -> None:
    rdates = f"RDATE;{PARIS}:20260610T180000,20260624T180000,20260625T100000"
    imported(cast.alice, a_file(weekly("FREQ=WEEKLY;COUNT=4", rdates), following("20260615", "20260616T190000")))
    days = ["06-01T18:00", "06-08T18:00", "06-10T18:00", "06-16T19:00", "06-23T19:00", "06-25T19:00", "06-26T11:00"]
    assert [start[5:16] for start in starts(cast.alice)] == days
    assert len({each["series_id"] for each in events(cast.alice)}) == 2


def test_events_keep_their_ids_when_a_later_file_splits_the_series_and_joins_it_again(cast: Cast) -> None:
    whole, split = a_file(weekly()), a_file(weekly(), following("20260615", "20260616T180000"))
    imported(cast.alice, whole)
    before = events(cast.alice)
    a_comment(cast.alice, before[3])
    for content, result in ((split, (1, 1, 0, 0)), (whole, (0, 1, 0, 0)), (split, (1, 1, 0, 0)), (split, (0, 0, 2, 0))):
        came = counts(imported(cast.alice, content))
        after = events(cast.alice)
        assert [each["comments_count"] for each in after] == [0, 0, 0, 1, 0]
        assert [each["id"] for each in after] == [each["id"] for each in before]
        assert sum(came) == sum(result)
    days = ["2026-06-01", "2026-06-08", "2026-06-16", "2026-06-23", "2026-06-30"]
    assert [start[:10] for start in starts(cast.alice)] == days


def test_a_change_of_a_day_that_is_no_occurrence_is_an_event_of_its_own(cast: Cast) -> None:
    came = imported(cast.alice, a_file(weekly(), following("20260616", "20260616T200000")))
    assert (counts(came), {field for _, field in remarks(came)}) == ((2, 0, 0, 0), {"repeat"})
    assert len(starts(cast.alice)) == 6


@pytest.mark.on_one_database
def test_a_series_is_split_a_hundred_times_at_most(cast: Cast) -> None:
    first = date(2026, 6, 1)
    days = [f"{first + timedelta(days=number):%Y%m%d}" for number in range(400)]
    content = a_file(weekly("FREQ=DAILY"), *(following(day, f"{day}T190000", title=f"From {day}") for day in days[1:]))
    came = imported(cast.alice, content)
    assert came["imported"] == 101
    assert "alone" in came["remarks"][0]["message"]
    titles = [event["title"] for event in cast.alice.get("/api/events?limit=500").json["events"]]
    assert titles[:400] == ["Concert", *(f"From {day}" for day in days[1:])]
