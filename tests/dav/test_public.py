"""Public calendars by CalDAV without a credential: read only, and what guests see of them alone."""

from typing import Any

import pytest
from msgspec import structs

from kalends.app.application import application
from kalends.core.settings import Settings
from kalends.db import Database
from tests.cast import Cast, Person, a_calendar, an_event
from tests.client import Client, Reply
from tests.conftest import Clock
from tests.dav.clients import SPACES, C, D, calendar_path, propfind, report, responses
from tests.dav.test_scheduling import FUTURE, invited
from tests.dav.test_write import ALARM, ODD, RULE, condition, ics, put
from tests.http.test_guest_writes import an_address

ALL = '<C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT"/></C:comp-filter></C:filter>'
WITH_DATA = "<D:prop><D:getetag/><C:calendar-data/></D:prop>"


@pytest.fixture
def calendar(cast: Cast) -> dict[str, Any]:
    return a_calendar(cast.alice, time_zone="UTC", public=True)


@pytest.fixture
def path(calendar: dict[str, Any]) -> str:
    return f"/dav/public/{calendar['id']}/"


def own_path(cast: Cast, calendar: dict[str, Any]) -> str:
    return calendar_path(cast.alice, calendar["id"])


def listed(client: Client, path: str) -> dict[str, str]:
    """The ETags of the resources by name."""
    found = responses(propfind(client, path, "D:getetag", depth="1"))
    return {name: str(props[f"{D}getetag"].text) for name, (_, props) in found.items() if name.endswith(".ics")}


def query(client: Client, path: str, filter_: str = ALL, prop: str = WITH_DATA) -> dict[str, str]:
    reply = report(client, path, "C:calendar-query", prop + filter_)
    assert reply.status == 207, reply
    return {name: str(props[f"{C}calendar-data"].text) for name, (_, props) in responses(reply).items()}


def in_year(year: int) -> str:
    inner = f'<C:time-range start="{year}0101T000000Z" end="{year + 1}0101T000000Z"/>'
    return ALL.replace('<C:comp-filter name="VEVENT"/>', f'<C:comp-filter name="VEVENT">{inner}</C:comp-filter>')


def every_reply(guest: Client, path: str, names: list[str]) -> list[Reply]:
    """Everything that a guest can read of the calendar."""
    hrefs = "".join(f"<D:href>{path}{name}</D:href>" for name in names)
    body = f"<D:propfind {SPACES}><D:allprop/></D:propfind>"
    expand = '<C:expand start="20200101T000000Z" end="20400101T000000Z"/>'
    expanded = WITH_DATA.replace("<C:calendar-data/>", f"<C:calendar-data>{expand}</C:calendar-data>")
    everything = ("D:getetag", "D:owner", "D:displayname", "C:calendar-data", "C:schedule-tag", "D:current-user-principal", "D:acl")
    return [
        guest.request("PROPFIND", path, body=body, headers={"Depth": "1"}),
        propfind(guest, path, *everything, "CS:getctag", "C:calendar-home-set", "D:principal-collection-set", depth="1"),
        report(guest, path, "C:calendar-query", WITH_DATA + ALL),
        report(guest, path, "C:calendar-query", expanded + ALL),
        report(guest, path, "C:calendar-query", WITH_DATA + in_year(2035)),
        report(
            guest,
            path,
            "C:calendar-query",
            WITH_DATA + ALL.replace('"VEVENT"/>', '"VEVENT"><C:prop-filter name="ATTENDEE"/></C:comp-filter>'),
        ),
        report(guest, path, "C:calendar-query", WITH_DATA + ALL.replace("VEVENT", "VTODO")),
        report(guest, path, "C:calendar-multiget", WITH_DATA + hrefs),
        *(guest.get(f"{path}{name}") for name in names),
        *(propfind(guest, f"{path}{name}", *everything) for name in names),
    ]


def test_guests_read_a_public_calendar(cast: Cast, calendar: dict[str, Any], path: str) -> None:
    guest = cast.anonymous
    event = an_event(cast.alice, calendar_id=calendar["id"], title="Concert")
    name = f"event-{event['id']}.ics"
    [(_, props)] = responses(
        propfind(guest, path, "D:displayname", "D:resourcetype", "D:current-user-privilege-set", "CS:getctag")
    ).values()
    assert str(props[f"{D}displayname"].text).startswith("Jazz")
    assert props[f"{D}resourcetype"].find(f"{C}calendar") is not None
    assert {each[0].tag for each in props[f"{D}current-user-privilege-set"]} == {f"{D}read", f"{D}read-current-user-privilege-set"}
    assert list(listed(guest, path)) == [name]
    file = guest.get(f"{path}{name}")
    assert (file.status, file.headers["ETag"]) == (200, listed(guest, path)[name])
    assert "SUMMARY:Concert" in file.text
    assert guest.get(f"{path}{name}", headers={"If-None-Match": file.headers["ETag"]}).status == 304
    assert query(guest, path)[name].replace("\n", "\r\n").replace("\r\r", "\r") == file.text
    assert list(query(guest, path, in_year(2026))) == [name]
    assert query(guest, path, in_year(2031)) == {}
    reply = report(
        guest, path, "C:calendar-multiget", f"{WITH_DATA}<D:href>{path}{name}</D:href><D:href>{path}event-999999999.ics</D:href>"
    )
    assert {each: status for each, (status, _) in responses(reply).items()} == {name: 200, "event-999999999.ics": 404}
    # A credential means nothing there, not even a wrong one.
    assert guest.get(f"{path}{name}", headers={"Authorization": "Basic bm9ib2R5OndkYXM="}).content == file.content
    assert cast.carol.get(f"{path}{name}").content == file.content


@pytest.mark.parametrize("more", ["", RULE], ids=["event", "series"])
def test_guests_read_nothing_that_a_program_wrote_for_its_user(cast: Cast, calendar: dict[str, Any], path: str, more: str) -> None:
    alice, guest, own = cast.alice, cast.anonymous, own_path(cast, calendar)
    secret = f"guest-{alice.id}@example.org"
    lines = f"{more}{ODD}X-SECRET:do not show\r\nCOMMENT:do not show\r\n{ALARM}"
    assert put(alice, f"{own}do-not-show.ics", invited(alice, alice, secret, more=lines, title="Dinner")).status == 201
    assert put(alice, f"{own}task.ics", ics("t1", component="VTODO", title="do not show").replace("DURATION:PT2H\r\n", "")).status == 201
    assert put(alice, f"{own}private.ics", ics("p1", start=FUTURE, title="do not show", more="CLASS:PRIVATE\r\n")).status == 201
    [name] = listed(guest, path)
    assert name.startswith("series-" if more else "event-")
    assert "SUMMARY:Dinner" in guest.get(f"{path}{name}").text
    private = [event["id"] for event in alice.get("/api/events").json["events"] if event["title"] == "do not show"]
    names = [name, "do-not-show.ics", "task.ics", "private.ics", *(f"event-{each}.ics" for each in private)]
    for reply in every_reply(guest, path, names):
        found = reply.text.replace("\r\n ", "").replace("/do-not-show.ics", "").replace("do-not-show", "")
        for text in ("do not show", "example.org", "VALARM", "STRUCTURED", "ATTENDEE", "ORGANIZER", "/dav/users", "PRIVATE"):
            assert text not in found.replace('name="ATTENDEE"', ""), reply
        assert reply.status in (200, 207, 404)
    assert {guest.get(f"{path}{each}").status for each in names[1:]} == {404}


def test_a_date_that_becomes_private_changes_the_series_of_guests(cast: Cast, calendar: dict[str, Any], path: str) -> None:
    alice, guest = cast.alice, cast.anonymous
    event = an_event(alice, calendar_id=calendar["id"], start_time="2035-06-01T20:00", time_zone="UTC")
    assert alice.put(f"/api/events/{event['id']}/repeat", json={"rrule": "FREQ=WEEKLY;COUNT=3"}).status == 200
    [(name, etag)] = listed(guest, path).items()
    ctag = propfind(guest, path, "CS:getctag").content
    dates = alice.get("/api/events", query={"calendar_id": str(calendar["id"])}).json["events"]
    assert alice.put(f"/api/events/{dates[1]['id']}", json={"public": False, "title": "do not show"}).status == 200
    assert list(listed(guest, path)) == [name]
    assert listed(guest, path)[name] != etag
    assert propfind(guest, path, "CS:getctag").content != ctag
    assert "do not show" not in guest.get(f"{path}{name}").text
    assert "EXDATE" in guest.get(f"{path}{name}").text


@pytest.mark.parametrize("how", ["private", "deleted", "never there"])
def test_a_calendar_that_is_not_public_is_not_there(cast: Cast, calendar: dict[str, Any], how: str) -> None:
    event = an_event(cast.alice, calendar_id=calendar["id"])
    path = f"/dav/public/{calendar['id'] if how != 'never there' else 10**17}/"
    if how == "private":
        assert cast.alice.put(f"/api/calendars/{calendar['id']}", json={"public": False}).status == 200
    elif how == "deleted":
        assert cast.alice.delete(f"/api/calendars/{calendar['id']}").status == 200
    # Not even for its owner, who has another path.
    for reader in (cast.anonymous, cast.alice):
        replies = every_reply(reader, path, [f"event-{event['id']}.ics"])
        assert {reply.status for reply in replies} == {404}


def test_sync_and_other_reports_are_refused(cast: Cast, path: str) -> None:
    for name in ("D:sync-collection", "C:free-busy-query"):
        reply = report(cast.anonymous, path, name, "<D:sync-token/><D:prop/>")
        assert (reply.status, condition(reply)) == (403, "supported-report")
    assert cast.anonymous.request("PROPFIND", path, headers={"Depth": "infinity"}).status == 403


def test_lists_and_reports_count_as_searches_of_guests(path: str, db: Database, settings: Settings, clock: Clock) -> None:
    guest = Client(application(db, structs.replace(settings, rate_limits="on", guest_searches_per_minute=2), clock))
    address, body = an_address(), f"<C:calendar-query {SPACES}>{WITH_DATA}{ALL}</C:calendar-query>"
    expected = [("REPORT", "1", 207), ("PROPFIND", "1", 207), ("REPORT", "1", 429), ("PROPFIND", "1", 429), ("PROPFIND", "0", 207)]
    for method, depth, status in expected:
        reply = guest.request(method, path, body=body if method == "REPORT" else "", headers={"Depth": depth}, remote_addr=address)
        assert (reply.status, "Retry-After" in reply.headers) == (status, status == 429), (method, depth)


def test_a_guest_writes_nothing(cast: Cast, calendar: dict[str, Any], path: str, db: Database) -> None:
    event = an_event(cast.alice, calendar_id=calendar["id"])
    name = f"event-{event['id']}.ics"
    readers: list[Client | Person] = [cast.anonymous, cast.alice]
    for reader in readers:
        for method in ("PUT", "DELETE", "MOVE", "COPY", "PROPPATCH", "MKCALENDAR", "MKCOL", "POST", "LOCK"):
            for target in (path, f"{path}{name}"):
                body = ics("new") if method == "PUT" else ""
                reply = reader.request(method, target, body=body, headers={"Destination": f"{path}b.ics"})
                assert reply.status == 405, (method, target)
                assert "PUT" not in reply.headers["Allow"]
    assert list(listed(cast.anonymous, path)) == [name]
