"""Rules that a day may have several occurrences of: found, expanded, shown, busy and changed as RFC 5545 says."""

import pytest

from tests.cast import Cast
from tests.client import Reply
from tests.dav.clients import C, calendar_path, report, tree
from tests.dav.test_read import query
from tests.dav.test_write import ics, put

EIGHT_HOURS = "RRULE:FREQ=HOURLY;INTERVAL=8;COUNT=30\r\n"
TWICE_A_DAY = "RRULE:FREQ=DAILY;BYHOUR=8,18;COUNT=20\r\n"


@pytest.fixture
def path(cast: Cast) -> str:
    return calendar_path(cast.alice, cast.alice.primary_calendar_id)


def times(cast: Cast) -> list[str]:
    events = cast.alice.get("/api/events", query={"start_time": "2027-06-01", "past": "yes", "limit": "500"}).json["events"]
    return [f"{each['start_time'][8:10]} {each['start_time'][11:16]}" for each in events]


def expanded(cast: Cast, path: str, start: str, end: str) -> list[str]:
    span = f'start="{start}" end="{end}"'
    inner = f"""<D:prop><C:calendar-data><C:expand {span}/></C:calendar-data></D:prop><C:filter><C:comp-filter name="VCALENDAR">
        <C:comp-filter name="VEVENT"><C:time-range {span}/></C:comp-filter></C:comp-filter></C:filter>"""
    root = tree(report(cast.alice, path, "C:calendar-query", inner))
    text = "".join(each.text or "" for each in root.iter(f"{C}calendar-data"))
    return sorted(line[-7:-5] for line in text.splitlines() if line.startswith("DTSTART"))


def busy(cast: Cast, path: str, start: str, end: str) -> list[str]:
    reply = report(cast.alice, path, "C:free-busy-query", f'<C:time-range start="{start}" end="{end}"/>')
    return [line.split(":")[1].split("/")[0][4:13] for line in reply.text.splitlines() if line.startswith("FREEBUSY")]


@pytest.mark.parametrize(
    ("rule", "day", "expected"),
    [(EIGHT_HOURS, "20270605", ["02", "10", "18"]), (TWICE_A_DAY, "20270605", ["08", "18"])],
    ids=["hourly", "by hour"],
)
def test_a_later_day_has_all_its_occurrences(cast: Cast, path: str, rule: str, day: str, expected: list[str]) -> None:
    start = "20270601T180000Z" if "HOURLY" in rule else "20270601T080000Z"
    assert put(cast.alice, f"{path}a.ics", ics("a", start=start, more=rule)).status == 201
    span = f"{day}T000000Z", f"{day}T235900Z"
    assert query(cast.alice, path, *span) == {"a.ics"}
    assert expanded(cast, path, *span) == expected
    assert [each[-4:-2] for each in busy(cast, path, *span)] == expected
    assert [each[3:5] for each in times(cast) if each.startswith("05")] == expected
    assert len(times(cast)) == (30 if "HOURLY" in rule else 20)
    assert query(cast.alice, path, "20270701T000000Z", "20270801T000000Z") == set()


def test_an_endless_rule_is_found_beyond_its_events(cast: Cast, path: str) -> None:
    put(cast.alice, f"{path}a.ics", ics("a", start="20270601T000000Z", more="RRULE:FREQ=HOURLY;INTERVAL=6\r\n"))
    assert query(cast.alice, path, "20350601T050000Z", "20350601T063000Z") == {"a.ics"}
    assert query(cast.alice, path, "20350601T020000Z", "20350601T053000Z") == set()
    assert busy(cast, path, "20350601T000000Z", "20350602T000000Z") == ["0601T0000", "0601T0600", "0601T1200", "0601T1800"]


def test_a_changed_and_a_deleted_occurrence_reach_the_device(cast: Cast, path: str) -> None:
    put(cast.alice, f"{path}a.ics", ics("a", start="20270601T080000Z", more=TWICE_A_DAY))
    events = cast.alice.get("/api/events", query={"start_time": "2027-06-03", "limit": "3"}).json["events"]
    cast.alice.put(f"/api/events/{events[1]['id']}", json={"title": "Moved", "start_time": "2027-06-03T20:00Z", "end_time": None})
    cast.alice.delete(f"/api/events/{events[2]['id']}")
    file = cast.alice.get(f"{path}a.ics").text
    assert file.count("BEGIN:VEVENT") == 2
    assert "RRULE:FREQ=DAILY;BYHOUR=8,18;COUNT=20" in file
    assert "RECURRENCE-ID:20270603T180000Z" in file
    assert "EXDATE:20270604T080000Z" in file
    assert busy(cast, path, "20270603T000000Z", "20270605T000000Z")[:2] == ["0603T0800", "0604T1800"]
    # What the device writes back is what is here.
    assert put(cast.alice, f"{path}a.ics", file).status == 204
    assert times(cast)[4:7] == ["03 08:00", "03 20:00", "04 18:00"]
    assert cast.alice.get(f"/api/events/{events[1]['id']}").json["title"] == "Moved"


def test_an_occurrence_that_a_device_moves_is_one_event(cast: Cast, path: str) -> None:
    file = ics("a", start="20270601T080000Z", more=TWICE_A_DAY)
    moved = ics("a", start="20270602T210000Z", more="RECURRENCE-ID:20270602T180000Z\r\n")
    inner = moved[moved.index("BEGIN:VEVENT") : moved.index("END:VCALENDAR")]
    assert put(cast.alice, f"{path}a.ics", file.replace("END:VCALENDAR", f"{inner}END:VCALENDAR")).status == 201
    assert times(cast)[:4] == ["01 08:00", "01 18:00", "02 08:00", "02 21:00"]
    assert len(times(cast)) == 20
    assert query(cast.alice, path, "20270602T175900Z", "20270602T190000Z") == set()
    assert query(cast.alice, path, "20270602T210000Z", "20270602T220000Z") == {"a.ics"}


def test_of_many_occurrences_those_from_now_on_are_on_the_pages(cast: Cast, path: str) -> None:
    reply: Reply = put(cast.alice, f"{path}a.ics", ics("a", start="20000101T080000Z", more="RRULE:FREQ=HOURLY\r\n"))
    assert reply.status == 201
    events = cast.alice.get("/api/events", query={"past": "yes", "limit": "500"}).json["events"]
    assert len(events) == 500
    assert {each["start_time"][:4] for each in events} <= {"2026", "2027"}
    assert query(cast.alice, path, "20100101T080000Z", "20100101T083000Z") == {"a.ics"}
