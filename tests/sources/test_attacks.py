"""What a stranger may put behind an address: pages and files that take long, cannot be stored, or grow without end."""

import json
import time
from typing import Any

import pytest
from msgspec import structs

from kalends.app.application import application
from kalends.core.settings import Settings
from kalends.db import Database
from kalends.features.sources.rules.web_page import MAX_PAGE, WebPage, is_html, to_calendar
from kalends.features.sources.steps import run as run_steps
from tests.cast import Cast, an_event
from tests.client import Client
from tests.conftest import Clock
from tests.sources.server import SOON, Elsewhere, a_feed, an_event_of_feed, events_of_feed, follow, read_address, refresh, titles

HOUR = 3600
# No page takes as long, on a slow machine.
SECONDS = 5
TIRING = [
    "<!--",
    "<a ",
    "<a",
    "</",
    "<![CDATA[",
    "<?",
    "<!",
    "<a b='",
    "<title>",
    "<link ",
    "<link a=",
    "<base href='x",
    "<script></",
    "&#",
]


def _page(data: object) -> str:
    return f'<!doctype html><title>Club</title><script type="application/ld+json">{json.dumps(data)}</script>'


@pytest.mark.on_one_database
@pytest.mark.parametrize("part", TIRING)
def test_no_page_takes_long_to_read(part: str) -> None:
    began = time.process_time()
    page = WebPage("<html>" + part * (10 * 2**20 // len(part)), "https://club.example/")
    assert to_calendar(page, "https://club.example/", "https://own.example") == ""
    assert time.process_time() - began < SECONDS


@pytest.mark.on_one_database
@pytest.mark.parametrize("content", ["<!-- -->" * 500, "<!--" * 1000, "<?xml" * 500, "<" * 4000, "<!-- --><html>"])
def test_whether_it_is_a_page_is_soon_clear(content: str) -> None:
    began = time.process_time()
    assert is_html(content) is content.endswith("<html>")
    assert time.process_time() - began < SECONDS


@pytest.mark.on_one_database
def test_a_long_text_in_the_data_of_a_page_is_soon_read() -> None:
    event = {"@type": "Event", "name": "Jazz", "startDate": "2026-07-04", "description": "<" * (MAX_PAGE // 2)}
    began = time.process_time()
    assert "SUMMARY:Jazz" in to_calendar(WebPage(_page(event), "https://club.example/"), "https://club.example/", "https://own.example")
    assert time.process_time() - began < SECONDS


@pytest.mark.on_one_database
@pytest.mark.parametrize("lines", ["one", "many"])
def test_a_list_of_many_dates_is_soon_read(people: Cast, elsewhere: Elsewhere, lines: str) -> None:
    dates = [f"2026{7 + i // 8064:02}{i // 288 % 28 + 1:02}T{i // 12 % 24:02}{i % 12 * 5:02}00Z" for i in range(9_000)]
    said = [f"RDATE:{','.join(dates)}"] if lines == "one" else [f"RDATE:{each}" for each in dates]
    elsewhere.says(a_feed(an_event_of_feed("a@club.example", "Jazz", f"DTSTART:{SOON}", *said)))
    began = time.process_time()
    reply = people.alice.post("/api/sources", json={"url": elsewhere.url, "dry_run": True})
    assert (reply.status, reply.json["found"]["events"] > 8_900) == (201, True)
    assert time.process_time() - began < SECONDS


@pytest.mark.on_one_database
def test_events_in_a_time_zone_of_many_changes_are_soon_read(people: Cast, elsewhere: Elsewhere) -> None:
    changes = "".join(
        f"BEGIN:STANDARD\r\nDTSTART:19{i % 100:02}0101T000000\r\nTZOFFSETFROM:+{i % 12:02}00\r\nTZOFFSETTO:+0100\r\nEND:STANDARD\r\n"
        for i in range(5_000)
    )
    events = [an_event_of_feed(f"{i}@club.example", "Jazz", "DTSTART;TZID=Forged:20260620T180000") for i in range(1_000)]
    elsewhere.says(a_feed(*events, head=f"BEGIN:VTIMEZONE\r\nTZID:Forged\r\n{changes}END:VTIMEZONE\r\n"))
    began = time.process_time()
    reply = people.alice.post("/api/sources", json={"url": elsewhere.url, "dry_run": True})
    assert (reply.status, reply.json["found"]["events"]) == (201, 1_000)
    assert time.process_time() - began < SECONDS


@pytest.mark.on_one_database
def test_a_page_of_too_many_events_is_refused(people: Cast, elsewhere: Elsewhere) -> None:
    elsewhere.says(_page([{"@type": "Event", "name": "a", "startDate": "2026-07-04", "url": f"/{i}"} for i in range(20_000)]))
    reply = people.alice.post("/api/sources", json={"url": elsewhere.url})
    assert (reply.status, "at most 10,000" in reply.json["errors"][0]["message"]) == (422, True)


def test_what_no_database_can_store_is_left_out(people: Cast, elsewhere: Elsewhere, clock: Clock) -> None:
    event = {"@type": "Event", "@id": "\ud800\u0000x", "name": "Jazz\u0000 \udfff night", "startDate": "2026-07-04", "url": "/\u0000"}
    elsewhere.says(_page(event), ETag='"\xff\x01"')
    source = follow(people.alice, elsewhere)
    assert [title.replace("?", "").split() for title in titles(people.alice, source)] == [["Jazz", "night"]]
    clock.ahead(HOUR)
    assert refresh(people.alice, source).json["state"] == "unchanged"
    assert "If-None-Match" not in elsewhere.requests[-1].head


def test_a_file_with_zeros_and_broken_characters_breaks_nothing(people: Cast, elsewhere: Elsewhere) -> None:
    strange = an_event_of_feed(
        "a\0b@club.example", "Ja\0zz", "DTSTART:20260704T180000Z", "URL:https://club.example/\0", "DESCRIPTION:\x1b[31m"
    )
    elsewhere.says(a_feed(strange, head="X-WR-CALNAME:The\0 Club\r\n").encode() + b"\xff\xfe\x00")
    reply = people.alice.post("/api/sources", json={"url": elsewhere.url})
    assert reply.status in (201, 422), reply


@pytest.mark.on_one_database
@pytest.mark.parametrize(
    "href", ["https://ana:geheim@club.example/a.ics", "javascript:alert(1)", "file:///etc/passwd", "/" + "a" * 5000, "//["]
)
def test_a_link_of_a_page_to_no_web_address_is_not_followed(people: Cast, elsewhere: Elsewhere, href: str) -> None:
    elsewhere.says(f'<!doctype html><link rel="alternate" type="text/calendar" href="{href}">')
    reply = people.alice.post("/api/sources", json={"url": elsewhere.url})
    assert (reply.status, len(elsewhere.requests)) == (422, 1)


@pytest.mark.on_one_database
@pytest.mark.parametrize(
    "host",
    ["2130706433", "0x7f000001", "127.1", "0", "0.0.0", "[::]", "[::1]", "[::ffff:127.0.0.1]", "localhost", "127.0.0.1.", "[fe80::1]"],
)
def test_no_way_to_write_an_inside_address_is_asked(settings: Settings, db: Database, clock: Clock, host: str) -> None:
    public = Cast(Client(application(db, structs.replace(settings, sources="public"), clock)))
    reply = public.alice.post("/api/sources", json={"url": f"https://{host}/a.ics"})
    assert (reply.status, reply.broken) == (422, ["url"]), reply


@pytest.mark.on_one_database
def test_headers_that_drip_end_at_the_deadline(people: Cast, elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch) -> None:
    from kalends.core.net import get as net

    monkeypatch.setattr(net, "SECONDS", 0.3)

    def drip(request: Any) -> None:
        request.connection.sendall(b"HTTP/1.1 200 OK\r\nX: ")
        elsewhere.stand.drip(request, b"y")

    def go_on(request: Any) -> None:
        elsewhere.stand.drip(request, b"HTTP/1.1 100 Continue\r\n\r\n")

    for behaviour in (drip, go_on):
        elsewhere.behaviour = behaviour
        began = time.monotonic()
        assert people.alice.post("/api/sources", json={"url": elsewhere.url}).status == 422
        assert time.monotonic() - began < SECONDS


@pytest.mark.on_one_database
def test_a_page_of_this_very_site_brings_no_event_back(people: Cast, elsewhere: Elsewhere, near: Settings) -> None:
    event = an_event(people.alice, title="Ours", visibility="public")
    own = people.anonymous.get(f"/events/{event['id']}").text
    assert '"@type"' in own
    elsewhere.says(own)
    reply = people.alice.post("/api/sources", json={"url": elsewhere.url})
    assert (reply.status, "without events" in reply.json["errors"][0]["message"]) == (422, True)


def test_two_sites_that_follow_each_other_end_after_one_round(
    people: Cast, elsewhere: Elsewhere, clock: Clock, db: Database, near: Settings
) -> None:
    """The other site has what this one publishes, and an event of its own."""
    calendar = people.alice.post("/api/calendars", json={"name": "Town", "public": True}).json
    an_event(people.alice, calendar_id=calendar["id"], title="Ours", visibility="public")

    def mirror() -> None:
        ours = people.anonymous.get(f"/api/calendars/{calendar['id']}.ics").text
        events = [f"BEGIN:VEVENT{each}" for each in ours.removesuffix("END:VCALENDAR\r\n").split("BEGIN:VEVENT")[1:]]
        own = [] if any("theirs@" in each for each in events) else [an_event_of_feed("theirs@other.example", "Theirs")]
        elsewhere.says(a_feed(*events, *own))

    mirror()
    source = follow(people.alice, elsewhere, calendar_id=calendar["id"], public=True, republish=True)
    for round_ in range(3):
        mirror()
        clock.ahead(2 * HOUR)
        assert read_address(db, near, elsewhere.url, clock.now) == 1
        assert titles(people.alice, source) == ["Ours", "Theirs"], round_
    runs = people.alice.get(f"/api/sources/{source['id']}/runs").json["runs"]
    assert [run["created"] for run in runs] == [0, 0, 0, 1]


@pytest.mark.on_one_database
def test_events_that_become_series_count_towards_the_quota(
    people: Cast, elsewhere: Elsewhere, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere.says(a_feed(*events_of_feed(3)))
    source = follow(people.alice, elsewhere)
    monkeypatch.setattr(run_steps, "QUOTA", 10)
    elsewhere.says(a_feed(*events_of_feed(3)).replace("END:VEVENT", "RRULE:FREQ=DAILY;COUNT=5\r\nEND:VEVENT"))
    clock.ahead(HOUR)
    run = refresh(people.alice, source).json
    assert (run["state"], "at most 10 events" in run["reason"]) == ("failed", True)
    assert len(titles(people.alice, source)) == 3
    # What is there already may change, and be replaced.
    elsewhere.says(a_feed(*events_of_feed(2), *events_of_feed(4, "new")))
    clock.ahead(HOUR)
    assert refresh(people.alice, source).json["state"] == "applied"


@pytest.mark.on_one_database
def test_an_account_and_a_site_follow_a_limited_number(people: Cast, elsewhere: Elsewhere, db: Database) -> None:
    elsewhere.says(a_feed(*events_of_feed(1)))
    source = follow(people.alice, elsewhere)
    columns = (
        "calendar_id, user_id, url, kind, name, public, republish, tag_list, title_contains, suggested, next_at, created_at, updated_at"
    )
    copies = f"""WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :count)
        INSERT INTO sources (feed_url, {columns}) SELECT :prefix || i, {columns} FROM sources, n WHERE id = :id"""
    with db.write() as tx:
        tx.run(copies, count=49, prefix="a", id=source["id"])
    reply = people.alice.post("/api/sources", json={"url": elsewhere.url})
    assert (reply.status, "50 calendars" in reply.json["detail"]) == (409, True)
    with db.write() as tx:
        tx.run(copies, count=450, prefix="b", id=source["id"])
    reply = people.bob.post("/api/sources", json={"url": elsewhere.url})
    assert (reply.status, "500 calendars" in reply.json["detail"]) == (409, True)
    with db.write() as tx:
        tx.run("DELETE FROM sources WHERE calendar_id = :id", id=source["calendar_id"])
