"""Hostile requests to CalDAV: none of them makes an error of the server, or takes long."""

import tracemalloc

import pytest

from tests.cast import Cast, a_calendar, an_event
from tests.contacts.samples import work
from tests.dav.clients import SPACES, calendar_path, propfind, report
from tests.dav.test_write import ics, put

BOMB = '<?xml version="1.0"?><!DOCTYPE b [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><D:propfind xmlns:D="DAV:">&b;</D:propfind>'
FILE = '<?xml version="1.0"?><!DOCTYPE b [<!ENTITY a SYSTEM "file:///etc/passwd">]><D:propfind xmlns:D="DAV:">&a;</D:propfind>'
DEEP = f"<D:propfind {SPACES}>{'<D:prop>' * 1_000}{'</D:prop>' * 1_000}</D:propfind>"
WIDE = f"<D:propfind {SPACES}><D:prop>{'<D:x/>' * 20_000}</D:prop></D:propfind>"
LAUGHS = "".join(f'<!ENTITY a{number} "{f"&a{number - 1};" * 10}">' for number in range(1, 10))
BILLION_LAUGHS = f'<!DOCTYPE b [<!ENTITY a0 "a">{LAUGHS}]><D:propfind xmlns:D="DAV:">&a9;</D:propfind>'
QUADRATIC = f'<!DOCTYPE b [<!ENTITY a "{"a" * 400_000}">]><D:propfind xmlns:D="DAV:">{"&a;" * 200_000}</D:propfind>'
PROPERTIES = "".join(f"<D:x{number}/>" for number in range(10_000))
MANY_PROPERTIES = f"<D:propfind {SPACES}><D:prop>{PROPERTIES}</D:prop></D:propfind>"
MANY_NAMES = f"<D:x {SPACES}><D:prop><D:getetag/></D:prop>{'<D:href>/a</D:href>' * 7_000}</D:x>"
ATTRIBUTES = " ".join(f"a{number}=''" for number in range(80_000))
MANY_ATTRIBUTES = f"<D:propfind {SPACES} {ATTRIBUTES}/>"
METHODS = ["PROPFIND", "REPORT", "MKCALENDAR", "MKCOL", "PROPPATCH"]
# Calls of functions and their ends, and bytes: what 80,000 attributes need.
MAX_CALLS, MAX_MEMORY = 200_000, 30_000_000
COMP = '<C:comp-filter name="VCALENDAR">{}</C:comp-filter>'
FILTERS = [
    "",
    "<C:comp-filter/>",
    COMP.format('<C:comp-filter name="VEVENT"><C:time-range/></C:comp-filter>'),
    COMP.format('<C:comp-filter name="VEVENT"><C:time-range start="x" end="y"/></C:comp-filter>'),
    COMP.format('<C:comp-filter name="VEVENT"><C:time-range start="99999999T999999Z"/></C:comp-filter>'),
    COMP.format('<C:comp-filter name="VEVENT"><C:time-range start="00010101T000000Z" end="99991231T235959Z"/></C:comp-filter>'),
    COMP.format('<C:comp-filter name="VEVENT"><C:time-range end="00010101T000001Z"/></C:comp-filter>'),
    COMP.format('<C:comp-filter name="VEVENT"><C:prop-filter/></C:comp-filter>'),
    COMP.format('<C:prop-filter name="X"><C:text-match collation="i;none">x</C:text-match></C:prop-filter>'),
    COMP.format('<C:comp-filter name="VEVENT"><C:nonsense/></C:comp-filter>'),
    COMP.format('<C:comp-filter name="A">' * 28 + "</C:comp-filter>" * 28),
]


@pytest.mark.on_one_database
@pytest.mark.parametrize("body", [BOMB, FILE, DEEP, WIDE, "<", "no XML", "\x00", "<a/>", '<?xml version="1.0" encoding="x-none"?><a/>'])
@pytest.mark.parametrize("method", METHODS)
def test_no_body_makes_an_error_of_the_server(cast: Cast, method: str, body: str) -> None:
    for path in ("/dav/", calendar_path(cast.alice), f"{calendar_path(cast.alice)}x.ics"):
        reply = cast.alice.request(method, path, body=body, headers={"Depth": "1"})
        assert 400 <= reply.status < 500, reply
        assert b"root:" not in reply.content


@pytest.mark.on_one_database
@pytest.mark.parametrize("body", [BILLION_LAUGHS, QUADRATIC, DEEP, WIDE, MANY_PROPERTIES, MANY_NAMES, MANY_ATTRIBUTES])
@pytest.mark.parametrize("method", ["PROPFIND", "REPORT"])
def test_a_hostile_body_takes_little_work_and_memory(cast: Cast, method: str, body: str) -> None:
    path = calendar_path(cast.alice)

    def send() -> None:
        assert cast.alice.request(method, path, body=body, headers={"Depth": "1"}).status < 500

    send()
    assert work(send) < MAX_CALLS
    tracemalloc.start()
    try:
        send()
        assert tracemalloc.get_traced_memory()[1] < MAX_MEMORY
    finally:
        tracemalloc.stop()


@pytest.mark.on_one_database
@pytest.mark.parametrize("depth", ["0", "1"])
def test_ten_thousand_properties_are_refused(cast: Cast, depth: str) -> None:
    """Each resource would be described with the names of all that it lacks: a list of them would be a hundred times the request."""
    home = f"/dav/users/{cast.alice.id}/"
    for path in (calendar_path(cast.alice), "/dav/", home, f"{home}calendars/", f"{home}books/", f"{home}books/contacts/", f"{home}inbox/"):
        assert cast.alice.request("PROPFIND", path, body=MANY_PROPERTIES, headers={"Depth": depth}).status == 403, path
    for folder, name in ((calendar_path(cast.alice), "C:calendar-query"), (f"{home}books/contacts/", "CR:addressbook-query")):
        inner = f"<D:prop>{PROPERTIES}</D:prop>"
        filters = '<C:filter><C:comp-filter name="VCALENDAR"/></C:filter>' if name == "C:calendar-query" else "<CR:filter/>"
        assert report(cast.alice, folder, name, inner + filters).status == 403, name


@pytest.mark.on_one_database
@pytest.mark.parametrize("condition", FILTERS)
def test_no_filter_makes_an_error_of_the_server(cast: Cast, condition: str) -> None:
    an_event(cast.alice)
    reply = report(cast.alice, calendar_path(cast.alice), "C:calendar-query", f"<D:prop/><C:filter>{condition}</C:filter>")
    assert reply.status in (207, 400, 403), reply


@pytest.mark.on_one_database
def test_a_filter_of_too_many_conditions_is_refused(cast: Cast) -> None:
    """Each condition reads all files."""
    condition = '<C:prop-filter name="X-NONE"><C:is-not-defined/></C:prop-filter>'
    for count, status in ((40, 207), (60, 403)):
        inner = f"<D:prop/><C:filter>{COMP.format(condition * count)}</C:filter>"
        assert report(cast.alice, calendar_path(cast.alice), "C:calendar-query", inner).status == status


@pytest.mark.on_one_database
@pytest.mark.parametrize(
    ("path", "name", "condition"),
    [
        ("calendar", "C:calendar-query", COMP.format('<C:prop-filter name="X"><C:text-match>{}</C:text-match></C:prop-filter>')),
        ("calendar", "C:calendar-query", COMP.format('<C:prop-filter name="{}"><C:is-not-defined/></C:prop-filter>')),
        ("book", "CR:addressbook-query", '<CR:prop-filter name="FN"><CR:text-match>{}</CR:text-match></CR:prop-filter>'),
        ("book", "CR:addressbook-query", '<CR:prop-filter name="{}"><CR:is-not-defined/></CR:prop-filter>'),
    ],
)
def test_a_filter_of_too_many_characters_is_refused(cast: Cast, path: str, name: str, condition: str) -> None:
    """A text of 900,000 took six seconds in a calendar of 10,000 events: it was folded for each of them."""
    folder = calendar_path(cast.alice) if path == "calendar" else f"/dav/users/{cast.alice.id}/books/contacts/"
    prefix = "C" if path == "calendar" else "CR"
    for length, status in ((5_000, 207), (10_001, 403)):
        inner = f"<D:prop/><{prefix}:filter>{condition.format('a' * length)}</{prefix}:filter>"
        assert report(cast.alice, folder, name, inner).status == status


@pytest.mark.on_one_database
def test_rules_that_take_long_are_refused_together(cast: Cast) -> None:
    """The limit for one rule bounds no request for all files of a calendar."""
    path = calendar_path(cast.alice, a_calendar(cast.alice)["id"])
    for number in range(21):
        file = ics(f"u{number}", component="VTODO", start="00010101T000000Z", more="RRULE:FREQ=DAILY;COUNT=999999999\r\n")
        assert put(cast.alice, f"{path}{number}.ics", file).status == 201
    late, early = 'start="20260601T000000Z" end="20260701T000000Z"', 'start="00010101T000000Z" end="00040101T000000Z"'
    for span, data, status in ((late, "", 403), (early, "", 207), (early, f"<C:calendar-data><C:expand {early}/></C:calendar-data>", 403)):
        condition = COMP.format(f'<C:comp-filter name="VTODO"><C:time-range {span}/></C:comp-filter>')
        reply = report(cast.alice, path, "C:calendar-query", f"<D:prop>{data}</D:prop><C:filter>{condition}</C:filter>")
        assert (reply.status, b"number-of-matches-within-limits" in reply.content) == (status, status == 403)


@pytest.mark.on_one_database
@pytest.mark.parametrize(
    "name", ["%00", "..", ".", "%2e%2e%2f", "a%0ab", "%ff", "x" * 300, "%F0%9F%98%80.ics", "a/b/c", "event-99999999999999999999.ics", "%"]
)
@pytest.mark.parametrize("method", ["GET", "PROPFIND", "PUT", "DELETE", "MKCALENDAR", "MOVE", "BREW"])
def test_no_name_makes_an_error_of_the_server(cast: Cast, method: str, name: str) -> None:
    for folder in (f"/dav/users/{cast.alice.id}/calendars/", calendar_path(cast.alice), "/dav/users/", "/dav/"):
        reply = cast.alice.request(method, folder + name, headers={"Depth": "0", "Destination": f"/dav/{name}"})
        assert reply.status < 500, reply


@pytest.mark.on_one_database
def test_an_unbounded_depth_is_refused(cast: Cast) -> None:
    reply = propfind(cast.alice, calendar_path(cast.alice), "D:getetag", depth="infinity")
    assert (reply.status, b"propfind-finite-depth" in reply.content) == (403, True)
    assert propfind(cast.alice, calendar_path(cast.alice), "D:getetag", depth="7").status == 400


@pytest.mark.on_one_database
@pytest.mark.parametrize("limit", ["0", "-1", "x", "9" * 400, "1.5"])
def test_a_limit_is_a_positive_number(cast: Cast, limit: str) -> None:
    inner = f"<D:sync-token/><D:sync-level>1</D:sync-level><D:limit><D:nresults>{limit}</D:nresults></D:limit><D:prop/>"
    reply = report(cast.alice, calendar_path(cast.alice), "D:sync-collection", inner)
    assert reply.status == (207 if limit.isdigit() and int(limit) else 400)


@pytest.mark.on_one_database
def test_a_multiget_of_too_many_is_refused(cast: Cast) -> None:
    names = "".join(f"<D:href>{calendar_path(cast.alice)}{number}</D:href>" for number in range(5_001))
    reply = report(cast.alice, calendar_path(cast.alice), "C:calendar-multiget", f"<D:prop/>{names}")
    assert (reply.status, b"number-of-matches-within-limits" in reply.content) == (403, True)
