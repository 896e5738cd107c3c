"""Rules with times of their own, compared with dateutil, and their costs."""

from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

import dateutil.rrule
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kalends.ical.rrule import Budget, BudgetExceeded, parse
from kalends.ical.rrule_times import times

DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


@st.composite
def rules(draw: Callable[..., Any]) -> tuple[str, datetime]:
    """A rule with times of its own, as dateutil and RFC 5545 understand it alike, and its start."""
    frequency = draw(st.sampled_from(["MINUTELY", "HOURLY", "DAILY", "WEEKLY", "MONTHLY"]))
    parts = {"FREQ": frequency, "INTERVAL": str(draw(st.integers(1, 40)))}
    lists: dict[str, Any] = {
        "BYHOUR": st.integers(0, 23),
        "BYMINUTE": st.integers(0, 59),
        "BYSECOND": st.integers(0, 59),
        "BYMONTHDAY": st.integers(-28, 28).filter(bool),
    }
    for name in draw(st.sets(st.sampled_from(sorted(lists)), max_size=3)):
        parts[name] = ",".join(map(str, draw(st.lists(lists[name], min_size=1, max_size=4, unique=True))))
    if draw(st.booleans()):
        parts["BYDAY"] = ",".join(draw(st.lists(st.sampled_from(DAYS), min_size=1, max_size=4, unique=True)))
    # dateutil searches without end for what the interval skips, or the set does not have.
    if parts.keys() & {"MINUTELY": {"BYHOUR", "BYMINUTE"}, "HOURLY": {"BYHOUR"}}.get(frequency, set()):
        parts["INTERVAL"] = "1"
    # dateutil counts the first week from its own first day.
    if frequency != "WEEKLY" and parts.keys() & {"BYHOUR", "BYMINUTE", "BYSECOND"} and draw(st.booleans()):
        parts["BYSETPOS"] = draw(st.sampled_from(["1", "-1", "1,-1"]))
    return ";".join(f"{name}={value}" for name, value in parts.items()), draw(st.datetimes(datetime(2026, 1, 1), datetime(2026, 6, 1)))


def own_times(text: str, start: datetime) -> list[datetime]:
    return list(times(parse(text), start, datetime(2027, 1, 1), Budget(30_000)))


@given(rules(), st.integers(0, 9))
def test_random_rules_have_the_times_that_dateutil_finds(sample: tuple[str, datetime], days: int) -> None:
    text, start = sample[0], sample[1].replace(microsecond=0)
    last, first = start + timedelta(days=20), start + timedelta(days=days)
    expected = dateutil.rrule.rrulestr(f"{text};UNTIL={last:%Y%m%dT%H%M%S}", dtstart=start)
    # The start is an occurrence even if the rule does not have it.
    moments = sorted({start, *islice(expected, 40)})[:40]
    rule = parse(text)
    assert list(islice(times(rule, start, last, Budget(1_000_000)), len(moments) + (len(moments) < 40))) == moments
    later = [each for each in moments if each >= first]
    assert list(islice(times(rule, start, last, Budget(1_000_000), first), len(later))) == later


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("FREQ=HOURLY;INTERVAL=8;COUNT=4", ["01 0800", "01 1600", "02 0000", "02 0800"]),
        ("FREQ=DAILY;BYHOUR=8,18;COUNT=3", ["01 0800", "01 1800", "02 0800"]),
        ("FREQ=DAILY;BYHOUR=9;COUNT=3", ["01 0800", "01 0900", "02 0900"]),
        ("FREQ=MINUTELY;INTERVAL=20;BYHOUR=8,9;BYDAY=TU;COUNT=3", ["01 0800", "02 0800", "02 0820"]),
        ("FREQ=HOURLY;BYMINUTE=0,30;BYSETPOS=-1;COUNT=3", ["01 0800", "01 0830", "01 0930"]),
        ("FREQ=MONTHLY;BYMONTHDAY=1,3;BYHOUR=8,20;BYSETPOS=-1;COUNT=2", ["01 0800", "03 2000"]),
    ],
)
def test_a_rule_has_the_times_of_the_standard(text: str, expected: list[str]) -> None:
    assert [f"{each:%d %H%M}" for each in own_times(text, datetime(2026, 6, 1, 8))] == expected


@pytest.mark.parametrize("text", ["FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=MINUTELY;BYDAY=MO;COUNT=999999999"])
def test_a_rule_without_end_uses_up_its_budget(text: str) -> None:
    with pytest.raises(BudgetExceeded):
        list(times(parse(text), datetime(2026, 6, 1), datetime.max, Budget(20_000)))
