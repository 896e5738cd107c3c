"""Tasks, journals and alarms by their times, and names of any kind."""

import pytest

from tests.cast import Cast, a_calendar
from tests.dav.clients import SPACES, C, D, calendar_path, propfind, report, responses, tree
from tests.dav.test_read import query
from tests.dav.test_write import ALARM, ics, put

TASK = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VTODO\r\nUID:t\r\n{}END:VTODO\r\nEND:VCALENDAR\r\n"
JUNE = ("20260601T000000Z", "20260701T000000Z")


@pytest.fixture
def path(cast: Cast) -> str:
    return calendar_path(cast.alice, a_calendar(cast.alice, time_zone="UTC")["id"])


@pytest.mark.on_one_database
@pytest.mark.parametrize(
    ("lines", "is_found"),
    [
        ("", True),
        ("DUE:20260615T100000Z\r\n", True),
        ("DUE:20260601T000000Z\r\n", False),
        ("DUE;VALUE=DATE:20260715\r\n", False),
        ("DTSTART:20260501T100000Z\r\nDUE:20260801T100000Z\r\n", True),
        ("DTSTART:20260501T100000Z\r\nDURATION:P10D\r\n", False),
        ("DTSTART:20260501T100000Z\r\nDURATION:P40D\r\n", True),
        ("DTSTART:20260701T000000Z\r\n", False),
        ("DTSTART;TZID=Europe/Berlin:20260701T013000\r\n", True),
        ("COMPLETED:20260515T000000Z\r\n", False),
        ("COMPLETED:20260715T000000Z\r\nCREATED:20260515T000000Z\r\n", True),
        ("CREATED:20260801T000000Z\r\n", False),
        ("DTSTART:20250115T100000Z\r\nRRULE:FREQ=MONTHLY\r\n", True),
        ("DTSTART:20250115T100000Z\r\nRRULE:FREQ=MONTHLY;COUNT=3\r\n", False),
        ("DTSTART:20260115T100000Z\r\nRRULE:FREQ=MONTHLY\r\nEXDATE:20260615T100000Z\r\n", False),
        ("DUE:20250115T100000Z\r\nRRULE:FREQ=YEARLY\r\n", False),
        ("DTSTART:20260115T100000Z\r\nRRULE:FREQ=SECONDLY;X=Y\r\n", False),
        ("DTSTART:nonsense\r\n", True),
        # More dates than a series has events, from the first one on.
        ("DTSTART:20200115T100000Z\r\nRRULE:FREQ=DAILY\r\n", True),
        ("DTSTART:20200115T100000Z\r\nRRULE:FREQ=DAILY;COUNT=2400\r\n", True),
        ("DTSTART:20200115T100000Z\r\nRRULE:FREQ=DAILY;COUNT=2300\r\n", False),
        ("DTSTART:20200115T100000Z\r\nRRULE:FREQ=DAILY;UNTIL=20260531T235959Z\r\n", False),
        ("DTSTART:20260501T100000Z\r\nDURATION:P99999999W\r\n", True),
        ("DTSTART:20260501T100000Z\r\nDURATION:-P99999999W\r\n", False),
    ],
)
def test_a_task_is_found_by_its_times(cast: Cast, path: str, lines: str, is_found: bool) -> None:
    assert put(cast.alice, f"{path}t.ics", TASK.format(lines)).status == 201
    assert query(cast.alice, path, *JUNE, "VTODO") == ({"t.ics"} if is_found else set())


@pytest.mark.on_one_database
@pytest.mark.parametrize(
    ("start", "end", "is_found"), [("174500", "175000", True), ("175000", "180500", False), ("170000", "174500", False)]
)
def test_an_event_is_found_by_its_alarm(cast: Cast, path: str, start: str, end: str, is_found: bool) -> None:
    put(cast.alice, f"{path}a.ics", ics(more=f"RRULE:FREQ=WEEKLY\r\n{ALARM}"))
    inner = f"""<D:prop/><C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT"><C:comp-filter name="VALARM">
        <C:time-range start="20260615T{start}Z" end="20260615T{end}Z"/></C:comp-filter></C:comp-filter></C:comp-filter></C:filter>"""
    assert bool(responses(report(cast.alice, path, "C:calendar-query", inner))) == is_found


@pytest.mark.on_one_database
def test_a_daily_event_is_found_by_its_alarm_after_years(cast: Cast, path: str) -> None:
    put(cast.alice, f"{path}a.ics", ics(start="20200101T180000Z", more=f"RRULE:FREQ=DAILY\r\n{ALARM}"))
    inner = """<D:prop/><C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT"><C:comp-filter name="VALARM">
        <C:time-range start="20260615T{}00Z" end="20260615T{}00Z"/></C:comp-filter></C:comp-filter></C:comp-filter></C:filter>"""
    found = [responses(report(cast.alice, path, "C:calendar-query", inner.format(*span))) for span in (("1740", "1750"), ("1750", "1800"))]
    assert list(map(len, found)) == [1, 0]


LONGEST = [
    "DTSTART:00010101T000000\r\nRRULE:FREQ=DAILY\r\n",
    "DTSTART:20260601T100000Z\r\nRRULE:FREQ=DAILY\r\nX-LONG;X=" + "y" * 100_000 + ":z\r\n",
]
FIRST_AND_LAST = [
    *LONGEST,
    "DTSTART:00010101T000000\r\nDUE:00010101T010000\r\nRRULE:FREQ=YEARLY;COUNT=2\r\n",
    "DTSTART;TZID=Pacific/Pago_Pago:99991231T230000\r\nRRULE:FREQ=DAILY\r\n",
    "DTSTART;VALUE=DATE:99991227\r\nDUE;VALUE=DATE:99991231\r\nRRULE:FREQ=DAILY\r\n",
    "DTSTART;VALUE=DATE:99991227\r\nDURATION:P5D\r\nRRULE:FREQ=DAILY\r\n",
    "DTSTART;VALUE=DATE:99991231\r\n",
    "DTSTART:99991231T235959Z\r\nDURATION:PT1S\r\nBEGIN:VALARM\r\nTRIGGER:P99999999W\r\nEND:VALARM\r\n",
    "DUE:00010101T000000\r\nBEGIN:VALARM\r\nTRIGGER:-P99999999W\r\nEND:VALARM\r\n",
    "DTSTART;VALUE=DATE:99991230\r\nRRULE:FREQ=DAILY\r\n",
]


@pytest.mark.on_one_database
@pytest.mark.parametrize(
    ("lines", "component"),
    [
        # In short, without a second each for the expansion of journals as of tasks.
        pytest.param(lines, component, marks=[pytest.mark.soak] if component == "VJOURNAL" and lines in LONGEST else [])
        for lines in FIRST_AND_LAST
        for component in ("VEVENT", "VTODO", "VJOURNAL")
    ],
)
def test_the_first_and_the_last_years_are_found_and_expanded(cast: Cast, lines: str, component: str) -> None:
    """Times of these years may be in no year of UTC."""
    path = calendar_path(cast.alice, a_calendar(cast.alice, time_zone="Asia/Tokyo")["id"])
    if component == "VEVENT" and "DTSTART" not in lines:
        lines = lines.replace("DUE", "DTSTART")
    assert put(cast.alice, f"{path}t.ics", TASK.replace("VTODO", component).format(lines)).status == 201
    for start, end in (
        ("00010101T000000Z", "99991231T235959Z"),
        ("00010101T000000Z", "00010102T000000Z"),
        ("99991220T000000Z", "99991231T235959Z"),
    ):
        span = f'start="{start}" end="{end}"'
        for condition in ("", f'<C:comp-filter name="VALARM"><C:time-range {span}/></C:comp-filter>'):
            inner = f"""<D:prop><C:calendar-data><C:expand {span}/></C:calendar-data></D:prop><C:filter><C:comp-filter name="VCALENDAR">
                <C:comp-filter name="{component}"><C:time-range {span}/>{condition}</C:comp-filter></C:comp-filter></C:filter>"""
            assert report(cast.alice, path, "C:calendar-query", inner).status == 207


@pytest.mark.on_one_database
def test_a_repeating_task_is_expanded(cast: Cast, path: str) -> None:
    task = TASK.format("DTSTART:20260601T100000Z\r\nDUE:20260601T110000Z\r\nRRULE:FREQ=DAILY\r\nX-KEPT:1\r\n")
    put(cast.alice, f"{path}t.ics", task.replace("BEGIN:VTODO", "BEGIN:VTIMEZONE\r\nTZID:Old\r\nEND:VTIMEZONE\r\nBEGIN:VTODO"))
    span = 'start="20260605T000000Z" end="20260608T000000Z"'
    inner = f"""<D:prop><C:calendar-data><C:expand {span}/></C:calendar-data></D:prop><C:filter><C:comp-filter name="VCALENDAR">
        <C:comp-filter name="VTODO"><C:time-range {span}/></C:comp-filter></C:comp-filter></C:filter>"""
    text = str(responses(report(cast.alice, path, "C:calendar-query", inner))["t.ics"][1][f"{C}calendar-data"].text)
    assert (text.count("BEGIN:VTODO"), text.count("X-KEPT"), "RRULE" in text) == (3, 3, False)
    assert "RECURRENCE-ID:20260605T100000Z" in text
    assert "DUE:20260607T110000Z" in text
    assert "VTIMEZONE" not in text


@pytest.mark.on_one_database
@pytest.mark.parametrize("name", ["a%0Ab.ics", "%F0%9F%98%80", "a%2Fb.ics", "%D0%B3%20&amp;.ics", "a%25b@c;d.ics"])
def test_a_name_is_any_text(cast: Cast, path: str, name: str) -> None:
    assert put(cast.alice, f"{path}{name}", ics()).status == 201
    assert cast.alice.get(f"{path}{name}").text == ics()
    listed = tree(propfind(cast.alice, path, "D:getetag", depth="1"))
    [href] = [str(each.text) for each in listed.iterfind(f"{D}response/{D}href") if each.text != path]
    assert cast.alice.get(href).text == ics()


@pytest.mark.on_one_database
def test_everybody_finds_themselves_alone_by_name(cast: Cast) -> None:
    def search(name: str) -> set[str]:
        inner = f"<D:property-search><D:prop><D:displayname/></D:prop><D:match>{name}</D:match></D:property-search>"
        body = f"<D:principal-property-search {SPACES}>{inner}<D:prop><D:displayname/></D:prop></D:principal-property-search>"
        reply = cast.alice.request("REPORT", "/dav/", body=body, headers={"Depth": "0"})
        assert reply.status == 207, reply
        return set(responses(reply))

    assert search("ALI") == {str(cast.alice.id)}
    assert search(cast.bob.user_name) == set()
