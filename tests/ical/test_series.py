"""Feeds of series: two independent readers find the very occurrences that the API lists."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import dateutil.rrule
import icalendar
import recurring_ical_events
import vobject
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.cast import Cast, a_calendar, an_event
from tests.client import Client

FROM, TO = datetime(2026, 1, 1, tzinfo=UTC), datetime(2029, 1, 1, tzinfo=UTC)
Occurrence = tuple[str, Any, Any]

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
    address = f"/api/events?calendar_id={calendar_id}&limit=500"
    while address:
        page = who.get(address).json
        events += page["events"]
        address = page["next"]
    return events


def of_api(events: list[dict[str, Any]]) -> list[Occurrence]:
    return sorted((e["title"], *_moments(e)) for e in events)


def _moments(event: dict[str, Any]) -> tuple[Any, Any]:
    if event["all_day"]:
        last = date.fromisoformat(event["end_time"] or event["start_time"])
        return event["start_time"], (last + timedelta(days=1)).isoformat()
    start = datetime.fromisoformat(event["start_time"])
    end = datetime.fromisoformat(event["end_time"]) if event["end_time"] else start
    return _format(start), _format(end)


def _format(moment: datetime | date) -> str:
    return moment.astimezone(UTC).isoformat() if isinstance(moment, datetime) else moment.isoformat()


def of_first_reader(content: bytes) -> list[Occurrence]:
    file: Any = icalendar.Calendar.from_ical(content)
    occurrences: list[Any] = recurring_ical_events.of(file).between(FROM, TO)
    return sorted((str(entry["SUMMARY"]), _format(entry.start), _format(entry.end)) for entry in occurrences)


def of_second_reader(content: bytes) -> list[Occurrence]:
    """vobject's parser with dateutil's rules; it knows no exceptions by itself, so those are laid over here."""
    # It would go on to use the zones of the file that it read before.
    zones_read = vars(vobject.icalendar)["__tzidMap"]
    for zone in set(zones_read) - {"UTC"}:
        del zones_read[zone]
    occurrences: dict[tuple[str, str], Occurrence] = {}
    moved: list[tuple[tuple[str, str], Occurrence]] = []
    for entry in getattr(vobject.readOne(content.decode()), "vevent_list", []):
        start = entry.dtstart.value
        if hasattr(entry, "recurrence_id"):
            slot = (entry.uid.value, _format(entry.recurrence_id.value))
            moved.append((slot, (entry.summary.value, _format(start), _end(entry, start))))
            continue
        for each in _expanded(entry, start):
            occurrences[entry.uid.value, _format(each)] = (entry.summary.value, _format(each), _end(entry, each))
    return sorted((occurrences | dict(moved)).values())


def _end(entry: Any, start: Any) -> str:
    """By the clocks of its first occurrence; of others by the length."""
    if not hasattr(entry, "dtend"):
        length = entry.duration.value if hasattr(entry, "duration") else timedelta(0)
        return _format(start.astimezone(UTC) + length if isinstance(start, datetime) else start + length)
    if isinstance(start, datetime):
        assert not hasattr(entry, "rrule")
        return _format(entry.dtend.value)
    return _format(start + (entry.dtend.value - entry.dtstart.value))


def _expanded(entry: Any, start: Any) -> list[Any]:
    if not hasattr(entry, "rrule"):
        return [start]
    excepted = {value for line in getattr(entry, "exdate_list", []) for value in line.value}
    naive = start.replace(tzinfo=None) if isinstance(start, datetime) else datetime.combine(start, datetime.min.time())
    rule = dict(part.split("=") for part in entry.rrule.value.split(";"))
    until = rule.pop("UNTIL", None)
    walls = dateutil.rrule.rrulestr(";".join(f"{name}={value}" for name, value in rule.items()), dtstart=naive)
    starts: list[Any] = [value for line in getattr(entry, "rdate_list", []) for value in line.value]
    for wall in walls:
        each = wall.replace(tzinfo=start.tzinfo) if isinstance(start, datetime) else wall.date()
        if (until and _compact(each) > until) or wall.year > 2028:
            return starts
        if each not in excepted:
            starts.append(each)
    return starts


def _compact(each: Any) -> str:
    return each.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ") if isinstance(each, datetime) else each.strftime("%Y%m%d")


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
    assert of_first_reader(content) == expected
    assert of_second_reader(content) == expected
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
