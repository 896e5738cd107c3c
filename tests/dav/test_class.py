"""The CLASS of what clients write (RFC 5545, section 3.8.1.3): who sees it, on public and on other calendars."""

import pytest

from tests.cast import Cast, Person, a_calendar, an_event
from tests.client import Client
from tests.dav.clients import calendar_path
from tests.dav.test_write import ALARM, RULE, ics, put

SECRET = ("PRIVATE", "CONFIDENTIAL", "X-SECRET", "private")


@pytest.fixture
def path(cast: Cast) -> str:
    return calendar_path(cast.alice, a_calendar(cast.alice, time_zone="UTC", public=True)["id"])


def classed(value: str, more: str = "", **fields: str) -> str:
    return ics(more=(f"CLASS:{value}\r\n" if value else "") + more, **fields)


def seen(guest: Client, path: str) -> list[str]:
    """The starts of the events that guests see in lists; they see the same in the feed, and on the pages."""
    calendar_id = path.split("/")[-2]
    events = guest.get("/api/events", query={"calendar_id": calendar_id, "past": "yes"}).json["events"]
    feed = guest.get(f"/api/calendars/{calendar_id}.ics")
    page = guest.get("/calendar", query={"calendar_ids": calendar_id, "date": "2026-06-01"})
    assert bool(events) == ("BEGIN:VEVENT" in feed.text) == ("Rehearsal" in page.text), (events, feed.text)
    return [event["start_time"][:10] for event in events]


def event_id(person: Person, path: str) -> int:
    [event, *_] = person.get("/api/events", query={"calendar_id": path.split("/")[-2], "past": "yes"}).json["events"]
    return int(event["id"])


@pytest.mark.parametrize("value", SECRET)
def test_the_class_of_each_put_counts(cast: Cast, path: str, value: str) -> None:
    for current, is_seen in (("", True), (value, False), ("PUBLIC", True), (value, False), ("", True), ("public", True)):
        file = classed(current)
        assert put(cast.alice, f"{path}a.ics", file).status in (201, 204)
        assert bool(seen(cast.anonymous, path)) == is_seen, current
        assert cast.alice.get(f"{path}a.ics").text == file
        reply = cast.anonymous.get(f"/api/events/{event_id(cast.alice, path)}")
        assert (reply.status == 200) == is_seen


@pytest.mark.parametrize("value", SECRET)
def test_what_is_private_from_the_beginning_becomes_public_later(cast: Cast, path: str, value: str) -> None:
    put(cast.alice, f"{path}a.ics", classed(value, RULE))
    assert seen(cast.anonymous, path) == []
    put(cast.alice, f"{path}a.ics", classed("", RULE))
    assert len(seen(cast.anonymous, path)) == 4


def test_an_event_that_is_made_private_on_a_page_stays_so_when_a_device_edits_it(cast: Cast, path: str) -> None:
    alice, name = cast.alice, f"{path}a.ics"
    put(alice, name, ics(more=ALARM))
    assert alice.put(f"/api/events/{event_id(alice, path)}", json={"public": False}).status == 200
    got = alice.get(name)
    assert "CLASS:PRIVATE\r\n" in got.text
    put(alice, name, got.text.replace("Rehearsal", "Concert"), If_Match=got.headers["ETag"])
    assert seen(cast.anonymous, path) == []
    # The page makes it public again, and the file says so.
    assert alice.put(f"/api/events/{event_id(alice, path)}", json={"public": True, "title": "Rehearsal"}).status == 200
    got = alice.get(name)
    assert "CLASS:PUBLIC\r\n" in got.text
    put(alice, name, got.text)
    assert seen(cast.anonymous, path)


def test_a_private_event_of_the_service_says_so_on_a_public_calendar_and_is_published_by_its_class_alone(cast: Cast, path: str) -> None:
    alice = cast.alice
    event = an_event(alice, calendar_id=int(path.split("/")[-2]), title="Rehearsal", start_time="2026-06-01T20:00Z", public=False)
    name = f"{path}event-{event['id']}.ics"
    file = alice.get(name).text
    assert "CLASS:PRIVATE\r\n" in file
    # The client may have read it before the calendar was public.
    for text, is_seen in (
        (file.replace("CLASS:PRIVATE\r\n", "").replace("Rehearsal", "Rehearsal 2"), False),
        (file, False),
        (file.replace("PRIVATE", "PUBLIC"), True),
    ):
        assert put(alice, name, text).status == 204
        assert bool(seen(cast.anonymous, path)) == is_seen


def test_a_calendar_that_becomes_public_publishes_nothing_of_what_devices_edit(cast: Cast) -> None:
    alice, calendar = cast.alice, a_calendar(cast.alice, time_zone="UTC")
    path = calendar_path(alice, calendar["id"])
    own = an_event(alice, calendar_id=calendar["id"], title="Rehearsal", start_time="2026-06-01T20:00Z")
    put(alice, f"{path}a.ics", classed("PUBLIC"))
    put(alice, f"{path}b.ics", classed("", uid="u2", title="Changed here"))
    changed = alice.get("/api/events", query={"title": "Changed here"}).json["events"][0]["id"]
    assert alice.put(f"/api/events/{changed}", json={"title": "Rehearsal"}).status == 200
    files = {name: alice.get(f"{path}{name}").text for name in ("a.ics", "b.ics", f"event-{own['id']}.ics")}
    assert ["CLASS:PRIVATE" in file for file in files.values()] == [False] * 3
    assert alice.put(f"/api/calendars/{calendar['id']}", json={"public": True}).status == 200
    for name, file in files.items():
        assert put(alice, f"{path}{name}", file.replace("END:VEVENT", f"{ALARM}END:VEVENT")).status == 204
        assert seen(cast.anonymous, path) == []


@pytest.mark.parametrize("value", ["", "PUBLIC"])
def test_a_public_class_publishes_nothing_on_a_calendar_that_is_not_public(cast: Cast, value: str) -> None:
    path = calendar_path(cast.alice, a_calendar(cast.alice, time_zone="UTC")["id"])
    for current in (value, "PRIVATE", value):
        put(cast.alice, f"{path}a.ics", classed(current))
        assert cast.anonymous.get(f"/api/events/{event_id(cast.alice, path)}").status == 404


def exception(value: str, title: str = "Rehearsal") -> str:
    line = f"CLASS:{value}\r\n" if value else ""
    return f"""BEGIN:VEVENT\r\nUID:u1\r\nDTSTAMP:20260101T000000Z\r\nSUMMARY:{title}\r\nRECURRENCE-ID:20260602T180000Z\r
DTSTART:20260602T180000Z\r\nDURATION:PT2H\r\n{line}END:VEVENT\r\nEND:VCALENDAR\r\n"""


def test_a_date_of_a_series_has_a_class_of_its_own(cast: Cast, path: str) -> None:
    alice, name = cast.alice, f"{path}a.ics"
    rule = "RRULE:FREQ=DAILY;COUNT=3\r\n"
    series = {value: classed(value, rule).replace("END:VCALENDAR\r\n", "") for value in ("", "PRIVATE")}
    all_days, hidden, others = ["2026-06-01", "2026-06-02", "2026-06-03"], "2026-06-02", ["2026-06-01", "2026-06-03"]
    for file, days in (
        (series[""] + "END:VCALENDAR\r\n", all_days),
        (series[""] + exception("PRIVATE"), others),
        (series[""] + exception("PRIVATE", "Alone"), others),
        (series[""] + exception("PUBLIC"), all_days),
        (series[""] + exception("X-SECRET"), others),
        # Without the date of its own, the date is as the others are.
        (series[""] + "END:VCALENDAR\r\n", all_days),
        (series["PRIVATE"] + exception("PUBLIC"), [hidden]),
        # A date that does not say what it is, is as the others are.
        (series["PRIVATE"] + exception("", "Alone"), []),
        (series["PRIVATE"] + "END:VCALENDAR\r\n", []),
    ):
        assert put(alice, name, file).status in (201, 204)
        assert seen(cast.anonymous, path) == days, file
        assert alice.get(name).text == file


def test_a_date_that_is_made_private_on_its_page_is_so_in_the_file_of_the_series(cast: Cast, path: str) -> None:
    alice, name = cast.alice, f"{path}a.ics"
    put(alice, name, classed("", "RRULE:FREQ=DAILY;COUNT=3\r\n"))
    reply = alice.put(f"/api/events/{event_id(alice, path)}", json={"public": False, "scope": "this"})
    assert reply.status == 200, reply
    hidden = seen(cast.anonymous, path)
    got = alice.get(name)
    assert (len(hidden), got.text.count("CLASS:PRIVATE")) == (2, 1)
    put(alice, name, got.text, If_Match=got.headers["ETag"])
    assert seen(cast.anonymous, path) == hidden
    # New dates of a series are as its others are.
    put(alice, name, got.text.replace("COUNT=3", "COUNT=4"))
    assert len(seen(cast.anonymous, path)) == 3
