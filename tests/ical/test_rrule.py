"""Recurrence rules compared with dateutil and RFC 5545, and rules that never end."""

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from itertools import islice
from typing import Any
from zoneinfo import ZoneInfo

import dateutil.rrule
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kalends.core.values import datetimes
from kalends.ical.canonical_rule import canonicalise, format_rule
from kalends.ical.rrule import Budget, BudgetExceeded, Recurrence, dates, has, is_simple, parse

LAST = date(2041, 1, 1)
ZONES = ("UTC", "Europe/Paris", "America/New_York", "America/Sao_Paulo", "Asia/Kathmandu", "Australia/Lord_Howe")
DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


def dates_of(text: str, start: date, *, last: date = LAST, most: int = 60) -> list[date]:
    return list(islice(dates(parse(text), start, last, Budget(100_000)), most))


@st.composite
def rules(draw: Callable[..., Any]) -> tuple[str, date]:
    """A rule with any of the parts, as dateutil and RFC 5545 understand it alike, and its first date."""
    frequency = draw(st.sampled_from(["DAILY", "WEEKLY", "MONTHLY", "YEARLY"]))
    parts = {"FREQ": frequency, "INTERVAL": str(draw(st.integers(1, 8)))}
    lists: dict[str, Any] = {
        "BYMONTH": st.integers(1, 12),
        "BYMONTHDAY": st.integers(-31, 31).filter(bool),
        "BYYEARDAY": st.integers(-366, 366).filter(bool),
        "BYSETPOS": st.integers(-5, 5).filter(bool),
    }
    for name in draw(st.sets(st.sampled_from(sorted(lists)), max_size=3)):
        parts[name] = ",".join(map(str, draw(st.lists(lists[name], min_size=1, max_size=4, unique=True))))
    has_weeks = frequency == "YEARLY" and draw(st.booleans())
    if has_weeks:
        # In some years, such as 2021, dateutil counts a week too many.
        parts["BYWEEKNO"] = ",".join(map(str, draw(st.lists(st.integers(1, 51), min_size=1, max_size=3, unique=True))))
    if has_weeks or draw(st.booleans()):
        # Places and plain days together mean different things to the two, and dateutil asks for all where the standard has either.
        places = st.sampled_from(["1", "2", "-1", "+3", "-2", "5"]) if frequency in ("MONTHLY", "YEARLY") and not has_weeks else st.just("")
        placed = draw(st.booleans())
        days = draw(st.lists(st.sampled_from(DAYS), min_size=1, max_size=4, unique=True))
        parts["BYDAY"] = ",".join((draw(places) if placed else "") + day for day in days)
    if draw(st.booleans()):
        parts["WKST"] = draw(st.sampled_from(DAYS))
    # dateutil wants a set for the positions to choose from, and counts the first week from its own first day.
    assume(
        "BYSETPOS" not in parts
        or (frequency != "WEEKLY" and len(parts.keys() & {"BYDAY", "BYMONTHDAY", "BYYEARDAY", "BYMONTH", "BYWEEKNO"}))
    )
    return ";".join(f"{name}={value}" for name, value in parts.items()), draw(st.dates(date(2019, 1, 1), date(2026, 1, 1)))


def check_against_dateutil(sample: tuple[str, date], zone: str, clock: time) -> None:
    """The dates of ten years at this time of day, as instants; and that the canonical rule has the same dates."""
    text, start = sample
    rule, last = parse(text), start.replace(day=1, year=start.year + 10)
    ours = list(dates(rule, start, last, Budget(100_000)))
    # Of a rule that makes nothing more, dateutil would end only after it has searched all years to come.
    first = datetime.combine(start, clock, ZoneInfo(zone))
    theirs = [int(moment.timestamp()) for moment in islice(dateutil.rrule.rrulestr(text, dtstart=first), len(ours))]
    assert [datetimes.to_instant(datetime.combine(day, clock), zone) for day in ours] == theirs
    assert dates_of(f"{text};COUNT=7", start, last=last) == ours[:7]
    canonical = format_rule(canonicalise(rule, start))
    assert list(dates(parse(canonical), start, last, Budget(100_000))) == ours, canonical
    assert format_rule(canonicalise(parse(canonical), start)) == canonical
    days = set(ours)
    for day in [*ours[:5], *ours[-5:], *(start + timedelta(days=i) for i in range(0, 3_600, 97))]:
        assert has(rule, start, day) is (day in days), day


SAMPLES = given(rules(), st.sampled_from(ZONES), st.sampled_from([time(0), time(2, 30), time(12), time(23, 59, 59)]))


@settings(max_examples=50)
@SAMPLES
def test_the_dates_of_a_rule_are_those_of_dateutil(sample: tuple[str, date], zone: str, clock: time) -> None:
    check_against_dateutil(sample, zone, clock)


@pytest.mark.soak
@settings(max_examples=10_000)
@SAMPLES
def test_the_dates_of_10_000_rules_are_those_of_dateutil(sample: tuple[str, date], zone: str, clock: time) -> None:
    check_against_dateutil(sample, zone, clock)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("wkst=su;byday=th,mo;freq=weekly;interval=01", "FREQ=WEEKLY;BYDAY=MO,TH"),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,MO;WKST=SU", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU;WKST=SU"),
        ("FREQ=MONTHLY;BYDAY=-1FR,+2TU", "FREQ=MONTHLY;BYDAY=2TU,-1FR"),
        ("FREQ=MONTHLY;BYMONTHDAY=-1,15,1;UNTIL=20270901T120000Z", "FREQ=MONTHLY;UNTIL=20270901;BYMONTHDAY=1,15,-1"),
        ("FREQ=YEARLY;BYMONTHDAY=11;BYMONTH=5;COUNT=3;BYHOUR=9", "FREQ=YEARLY;COUNT=3"),
        ("FREQ=DAILY;UNTIL=00090901", "FREQ=DAILY;UNTIL=00090901"),
    ],
)
def test_a_rule_has_one_canonical_text(text: str, canonical: str) -> None:
    assert format_rule(canonicalise(parse(text), date(2026, 5, 11))) == canonical


@pytest.mark.parametrize("week", [1, 52, 53])
def test_the_weeks_around_new_year_are_those_of_iso_8601(week: int) -> None:
    start = date(2019, 1, 1)
    days = [start + timedelta(days=i) for i in range((LAST - start).days)]
    expected = [day for day in days if day.isocalendar().week == week]
    assert dates_of(f"FREQ=YEARLY;BYWEEKNO={week};BYDAY={','.join(DAYS)}", start, most=len(expected)) == expected


@pytest.mark.parametrize(
    ("text", "start", "expected"),
    [
        ("FREQ=MONTHLY;BYDAY=2TU", "2026-05-12", ["2026-05-12", "2026-06-09", "2026-07-14"]),
        ("FREQ=MONTHLY;BYDAY=-1FR", "2026-05-29", ["2026-05-29", "2026-06-26", "2026-07-31"]),
        ("FREQ=MONTHLY;BYMONTHDAY=-1", "2026-01-31", ["2026-01-31", "2026-02-28", "2026-03-31"]),
        ("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "2026-05-29", ["2026-05-29", "2026-06-30", "2026-07-31"]),
        ("FREQ=WEEKLY;BYDAY=MO,WE;BYSETPOS=1", "2026-05-13", ["2026-05-18", "2026-05-25"]),
        ("FREQ=MONTHLY;BYDAY=MO,2TU", "2026-06-01", ["2026-06-01", "2026-06-08", "2026-06-09"]),
        ("FREQ=YEARLY;BYDAY=20MO", "1997-05-19", ["1997-05-19", "1998-05-18", "1999-05-17"]),
        ("FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO", "1997-05-12", ["1997-05-12", "1998-05-11", "1999-05-17"]),
        ("FREQ=YEARLY;BYWEEKNO=20", "1997-05-12", ["1997-05-12", "1998-05-11", "1999-05-17"]),
        ("FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO", "1997-08-05", ["1997-08-05", "1997-08-10", "1997-08-19", "1997-08-24"]),
        ("FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU", "1997-08-05", ["1997-08-05", "1997-08-17", "1997-08-19", "1997-08-31"]),
        ("FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8", "1996-11-05", ["1996-11-05", "2000-11-07", "2004-11-02"]),
    ],
)
def test_the_dates_of_a_rule_are_those_of_rfc_5545(text: str, start: str, expected: list[str]) -> None:
    assert [day.isoformat() for day in dates_of(text, date.fromisoformat(start), most=len(expected))] == expected


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ("FREQ=DAILY;INTERVAL=3", True),
        ("FREQ=WEEKLY;BYDAY=MO;WKST=SU", True),
        ("FREQ=WEEKLY;BYDAY=MO,WE", False),
        ("FREQ=WEEKLY;BYDAY=TU", False),
        ("FREQ=MONTHLY;BYMONTHDAY=11", True),
        ("FREQ=MONTHLY;BYMONTHDAY=12", False),
        ("FREQ=MONTHLY;BYDAY=2MO", False),
        ("FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=11", True),
        ("FREQ=YEARLY;BYMONTH=5", True),
        ("FREQ=YEARLY;BYMONTHDAY=11", False),
        ("FREQ=YEARLY;BYMONTH=5,6", False),
        ("FREQ=DAILY;BYMONTH=5", False),
        ("FREQ=HOURLY", False),
    ],
)
def test_a_rule_is_simple_if_its_by_parts_only_repeat_the_first_date(text: str, is_so: bool) -> None:
    assert is_simple(parse(text), date(2026, 5, 11)) is is_so


@given(rules())
def test_a_simple_rule_has_the_same_dates_without_its_by_parts(sample: tuple[str, date]) -> None:
    text, start = sample
    rule = parse(text)
    if is_simple(rule, start):
        bare = Recurrence(rule.frequency, rule.interval, rule.count)
        assert list(dates(rule, start, LAST, Budget(100_000))) == list(dates(bare, start, LAST, Budget(100_000)))


@given(rules(), st.dates(date(2018, 1, 1), date(2042, 1, 1)), st.none() | st.integers(1, 200))
def test_the_dates_from_a_day_on_are_the_same_dates(sample: tuple[str, date], first: date, count: int | None) -> None:
    text, start = sample
    rule = parse(text if count is None else f"{text};COUNT={count}")
    every = list(dates(rule, start, LAST, Budget(100_000)))
    assert list(dates(rule, start, LAST, Budget(100_000), first)) == [day for day in every if day >= first]


def test_the_dates_of_today_cost_the_same_in_the_year_1_and_now() -> None:
    """Years before are not examined."""
    for text in ("FREQ=DAILY", "FREQ=WEEKLY;BYDAY=MO", "FREQ=MONTHLY;BYDAY=-1FR", "FREQ=YEARLY;BYYEARDAY=200"):
        days = list(dates(parse(text), date(1, 1, 1), date(2026, 12, 31), Budget(800), date(2026, 1, 1)))
        assert {day.year for day in days} == {2026}


@pytest.mark.parametrize("text", ["FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=MONTHLY;BYDAY=-6MO"])
def test_a_rule_without_dates_exceeds_its_budget(text: str) -> None:
    with pytest.raises(BudgetExceeded):
        list(dates(parse(text), date(2026, 1, 1), date.max, Budget(5_000)))


def test_a_rule_ends_with_the_year_9999() -> None:
    assert dates_of("FREQ=DAILY", date(9999, 12, 30), last=date.max) == [date(9999, 12, 30), date.max]
    assert dates_of("FREQ=WEEKLY;BYDAY=SA,SU;WKST=TH", date(9999, 12, 30), last=date.max) == []
    assert dates_of("FREQ=YEARLY;BYWEEKNO=1,52;BYDAY=FR", date(9999, 12, 30), last=date.max) == [date.max]


@pytest.mark.parametrize(
    "text",
    [
        "FREQ=DAILY;FREQ=WEEKLY",
        "FREQ=DAILY;COUNT=3;COUNT=4",
        "",
        "COUNT=3",
        "FREQ=FORTNIGHTLY",
        "FREQ=DAILY;INTERVAL=0",
        "FREQ=DAILY;INTERVAL=-1",
        "FREQ=DAILY;INTERVAL=99999999999999999999",
        "FREQ=DAILY;COUNT=0",
        "FREQ=DAILY;UNTIL=tomorrow",
        "FREQ=DAILY;BYMONTH=13",
        "FREQ=DAILY;BYMONTH=-1",
        "FREQ=DAILY;BYMONTHDAY=0",
        "FREQ=DAILY;BYDAY=XX",
        "FREQ=DAILY;BYDAY=99MO",
        "FREQ=DAILY;BYDAY=",
        "FREQ=DAILY;WKST=8",
        "FREQ=DAILY;RSCALE=CHINESE",
        "FREQ=DAILY;BYMONTHDAY=" + ",".join(["1"] * 2000),
    ],
)
def test_an_invalid_rule_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        parse(text)


@given(st.text("FREQ=DAILYWKMOTHUN;BYSP0123456789,-+TZ ", max_size=60))
def test_any_text_is_parsed_as_a_rule_or_refused(text: str) -> None:
    try:
        rule = parse(text)
    except ValueError:
        return
    if rule.is_daily_or_longer:
        try:
            list(islice(dates(rule, date(2026, 5, 11), date.max, Budget(20_000)), 20))
        except BudgetExceeded:
            return
