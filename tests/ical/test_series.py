"""Feeds of series: two independent readers find the very occurrences that the API lists."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import icalendar
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.cast import Cast, a_calendar, an_event
from tests.client import Client
from tests.ical.readers import Occurrence, read_by_first, read_by_second

pytestmark = pytest.mark.on_one_database

zones = st.sampled_from(["Europe/Paris", "America/New_York", "Australia/Lord_Howe", "UTC", "Asia/Tokyo", "America/Santiago"])
# Around the nights when clocks change, and elsewhere.
days = st.sampled_from(["2026-03-08", "2026-03-29", "2026-10-25", "2026-11-01", "2026-01-31", "2028-02-29", "2026-06-15"])
clocks = st.sampled_from(["T02:30", "T01:30", "T00:00", "T23:00", "T09:15:30", ""])
# None so short that a night when clocks change would turn it round.
lengths = st.sampled_from([None, 0, 90, 600, 3000])


@st.composite
def event_fields(draw: st.DrawFn) -> dict[str, Any]:
    start = draw(days) + draw(clocks)
    length = draw(lengths)
    fields: dict[str, Any] = {"title": draw(st.sampled_from(["Jazz", "Ö, x; y"])), "start_time": start, "time_zone": draw(zones)}
    if length is not None:
        end = datetime.fromisoformat(start) + timedelta(minutes=length)
        fields["end_time"] = end.isoformat() if "T" in start else end.date().isoformat()
    return fields


_end_dates = st.sampled_from(["2026-12-01", "2027-04-10", "2028-03-01"])
_simple_rules = st.fixed_dictionaries(
    {"frequency": st.sampled_from(["DAILY", "WEEKLY", "MONTHLY", "YEARLY"]), "interval": st.integers(1, 5), "end_date": _end_dates}
)
_days_of_rules: list[dict[str, Any]] = [
    {"frequency": "DAILY", "by_month": [3, 11]},
    {"frequency": "WEEKLY", "by_day": ["MO", "TH"]},
    {"frequency": "WEEKLY", "interval": 2, "by_day": ["SU", "MO"]},
    {"frequency": "MONTHLY", "by_day": ["2TU", "-1FR"]},
    {"frequency": "MONTHLY", "by_month_day": [-1, 15]},
    {"frequency": "MONTHLY", "by_day": ["MO", "TU", "WE", "TH", "FR"], "by_set_pos": [1, -1]},
    {"frequency": "MONTHLY", "by_month_day": [30], "short_months": "last"},
]
_added = st.fixed_dictionaries(
    {},
    optional={"also": st.just(["2026-03-29", "2027-01-05"]), "except": st.just(["2026-11-02", "2027-03-01"])},
)
# The second reader reads no further than 2028.
_ends: st.SearchStrategy[dict[str, Any]] = st.one_of(st.builds(dict, count=st.integers(1, 8)), st.builds(dict, end_date=_end_dates))
_rich_rules = st.builds(lambda days, end, added: days | end | added, st.sampled_from(_days_of_rules), _ends, _added)
_yearly_rule = {"frequency": "YEARLY", "by_day": ["1MO"], "by_month": [3, 10, 11]}
_yearly_rules = st.builds(lambda end, added: _yearly_rule | {"end_date": end} | added, _end_dates, _added)
repeats = st.one_of(_simple_rules, _rich_rules, _yearly_rules)
exceptions = st.lists(
    st.tuples(st.sampled_from(["delete", "retitle", "move", "longer", "move following", "retitle following"]), st.integers(0, 30)),
    max_size=4,
)


def listed(who: Client, calendar_id: int) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = []
    url = f"/api/events?calendar_id={calendar_id}&limit=500"
    while url:
        page = who.get(url).json
        events += page["events"]
        url = page["next"]
    return events


def of_api(events: list[dict[str, Any]]) -> list[Occurrence]:
    return sorted((e["title"], *_moments(e), e["status"] == "cancelled") for e in events)


def _moments(event: dict[str, Any]) -> tuple[str, str]:
    if event["all_day"]:
        last = date.fromisoformat(event["end_time"] or event["start_time"])
        return event["start_time"], (last + timedelta(days=1)).isoformat()
    start = datetime.fromisoformat(event["start_time"])
    end = datetime.fromisoformat(event["end_time"]) if event["end_time"] else start
    return _format(start), _format(end)


def _format(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()


def _apply(who: Client, calendar_id: int, kind: str, number: int) -> None:
    events = [event for event in listed(who, calendar_id) if event["series_id"]]
    if not events:
        return
    event = events[number % len(events)]
    path, scope = f"/api/events/{event['id']}", "following" if "following" in kind else "this"
    if kind == "delete":
        who.delete(path)
    elif kind.startswith("retitle"):
        who.put(path, json={"title": "Other", "scope": scope})
    elif kind == "longer" and not event["all_day"]:
        end = datetime.fromisoformat(event["end_time"] or event["start_time"]) + timedelta(minutes=45)
        who.put(path, json={"end_time": end.isoformat()})
    elif kind.startswith("move"):
        start = datetime.fromisoformat(event["start_time"]) + (timedelta(days=1) if event["all_day"] else timedelta(hours=3))
        end = None
        who.put(
            path, json={"start_time": start.date().isoformat() if event["all_day"] else start.isoformat(), "end_time": end, "scope": scope}
        )


# Failures are not shrunk, since each example takes a tenth of a second.
@pytest.mark.on_one_database
@settings(phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(single=event_fields(), first=event_fields(), rule=repeats, changes=exceptions)
def test_two_independent_readers_find_the_occurrences_that_the_api_lists(
    cast: Cast, single: dict[str, Any], first: dict[str, Any], rule: dict[str, Any], changes: list[tuple[str, int]]
) -> None:
    calendar_id = a_calendar(cast.alice)["id"]
    an_event(cast.alice, **single, calendar_id=calendar_id)
    event = an_event(cast.alice, **first, calendar_id=calendar_id)
    cast.alice.put(f"/api/events/{event['id']}/repeat", json=rule)
    for kind, number in changes:
        _apply(cast.alice, calendar_id, kind, number)
    content = cast.alice.get(f"/api/calendars/{calendar_id}.ics").content
    expected = of_api(listed(cast.alice, calendar_id))
    assert read_by_first(content) == expected
    assert read_by_second(content) == expected
    # There are more examples than an account may have calendars.
    assert cast.alice.delete(f"/api/calendars/{calendar_id}").status == 200


def test_a_series_is_one_rule_with_its_exceptions(cast: Cast) -> None:
    calendar_id = a_calendar(cast.alice, time_zone="Europe/Paris")["id"]
    event = an_event(cast.alice, calendar_id=calendar_id, start_time="2026-10-23T20:00", end_time="2026-10-23T22:00")
    cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY", "end_date": "2026-10-27"})
    events = listed(cast.alice, calendar_id)
    cast.alice.delete(f"/api/events/{events[1]['id']}")
    cast.alice.put(f"/api/events/{events[3]['id']}", json={"title": "Late show", "start_time": "2026-10-26T23:00", "end_time": None})
    file: Any = icalendar.Calendar.from_ical(cast.alice.get(f"/api/calendars/{calendar_id}.ics").content)
    master, late = file.walk("VEVENT")
    assert master["UID"] == late["UID"]
    assert master["RRULE"].to_ical() == b"FREQ=DAILY;UNTIL=20261027T190000Z"
    assert b"EXDATE;TZID=Europe/Paris:20261024T200000" in file.to_ical()
    assert (late["SUMMARY"], late["RECURRENCE-ID"].dt.isoformat()) == ("Late show", "2026-10-26T20:00:00+01:00")


def test_an_endless_series_has_a_rule_without_an_end(cast: Cast) -> None:
    calendar_id = a_calendar(cast.alice)["id"]
    event = an_event(cast.alice, calendar_id=calendar_id, start_time="2026-06-01")
    cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "WEEKLY", "interval": 2})
    entry: Any
    (entry,) = icalendar.Calendar.from_ical(cast.alice.get(f"/api/calendars/{calendar_id}.ics").content).walk("VEVENT")
    assert entry["RRULE"].to_ical() == b"FREQ=WEEKLY;INTERVAL=2"
