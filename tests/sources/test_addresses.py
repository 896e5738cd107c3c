"""What people paste: calendars, web pages with a link to one or with events in their data, and groups of Meetup."""

import json

import pytest

from kalends.features.sources.rules.address import normalise, public_form
from kalends.features.sources.rules.compare import Decision, Here, There, compare
from kalends.features.sources.rules.interval import DAY, HOUR, MINUTE, parse_duration, pause_after, suggested
from tests.cast import Cast
from tests.conftest import Clock
from tests.contacts.providers.stand import Request
from tests.sources.server import Elsewhere, a_feed, events_of_feed, follow, refresh, the_event, titles

pytestmark = pytest.mark.on_one_database

CONCERT = {
    "@type": "MusicEvent",
    "@id": "https://venue.example/jazz",
    "name": "Jazz &amp; more",
    "startDate": "2026-07-03T20:00:00+02:00",
    "endDate": "2026-07-03T23:00:00+02:00",
    "url": "/jazz",
    "description": "<p>Doors at <b>seven</b>; bring a friend</p>",
    "location": {
        "@type": "Place",
        "name": "The Venue",
        "address": {"streetAddress": "1 High Street", "postalCode": "12345", "addressLocality": "Town"},
    },
}
FAIR = {"@type": ["Event", "Thing"], "name": "Fair", "startDate": "2026-07-04", "endDate": "2026-07-05"}


@pytest.mark.parametrize(
    ("pasted", "fetched"),
    [
        ("webcal://club.example/a.ics", "https://club.example/a.ics"),
        ("WEBCAL://Club.Example/A.ics", "https://club.example/A.ics"),
        (" https://club.example ", "https://club.example/"),
        ("https://www.meetup.com/jazz-lovers/", "https://www.meetup.com/jazz-lovers/events/ical/"),
        ("https://www.meetup.com/de-DE/jazz-lovers/events/", "https://www.meetup.com/jazz-lovers/events/ical/"),
        ("https://club.example/a.ics#top", "https://club.example/a.ics"),
    ],
)
def test_an_address_is_fetched_by_https(pasted: str, fetched: str) -> None:
    assert normalise(pasted) == fetched


def test_an_address_with_a_password_is_shown_without_it() -> None:
    assert public_form("https://ana:geheim@club.example/private/a.ics?key=1") == "https://•••@club.example/…"
    assert public_form("https://club.example/a.ics") == "https://club.example/a.ics"


def _page(*data: object, head: str = "") -> str:
    blocks = "".join(f'<script type="application/ld+json">{json.dumps(each)}</script>' for each in data)
    return f"<!doctype html><html><head><title>The Venue</title>{head}{blocks}</head><body><p>Welcome</p></body></html>"


def test_a_page_leads_to_its_calendar(people: Cast, elsewhere: Elsewhere, clock: Clock) -> None:
    page = _page(CONCERT, head='<link rel="alternate" type="text/calendar" href="/feed.ics">')
    feed = a_feed(*events_of_feed(2), head="X-WR-CALNAME:The Club\r\n")
    elsewhere.behaviour = lambda request: request.reply(200, feed if request.target == "/feed.ics" else page)
    source = follow(people.alice, elsewhere)
    assert (source["kind"], source["name"], source["url"]) == ("linked", "The Club", elsewhere.url)
    assert titles(people.alice, source) == ["gig 0", "gig 1"]
    clock.ahead(HOUR)
    assert refresh(people.alice, source).json["state"] == "unchanged"
    assert [request.target for request in elsewhere.requests] == ["/events.ics", "/feed.ics", "/feed.ics"]


@pytest.mark.parametrize(
    "data",
    [
        [[CONCERT, FAIR]],
        [CONCERT, FAIR],
        [{"@context": "https://schema.org", "@graph": [{"@type": "WebSite", "name": "x"}, CONCERT, FAIR]}],
        [{"@type": "EventSeries", "name": "Summer", "subEvent": [CONCERT, FAIR]}],
        [{"@type": "ItemList", "itemListElement": [{"@type": "ListItem", "item": CONCERT}, {"@type": "ListItem", "item": FAIR}]}],
        ["not data", CONCERT, FAIR],
    ],
    ids=["list", "blocks", "graph", "series", "items", "noise"],
)
def test_the_events_that_a_page_describes_are_followed(people: Cast, elsewhere: Elsewhere, clock: Clock, data: list[object]) -> None:
    elsewhere.says(_page(*data))
    source = follow(people.alice, elsewhere)
    assert (source["kind"], source["name"]) == ("page", "The Venue")
    assert titles(people.alice, source) == ["Fair", "Jazz & more"]
    jazz, fair = the_event(people.alice, source, "Jazz & more"), the_event(people.alice, source, "Fair")
    assert (jazz["start_time"], jazz["end_time"]) == ("2026-07-03T18:00:00+00:00", "2026-07-03T21:00:00+00:00")
    assert jazz["location"] == "The Venue, 1 High Street, 12345 Town"
    assert " ".join(jazz["description"].split()) == "Doors at seven ; bring a friend"
    assert (fair["all_day"], fair["start_time"], fair["end_time"]) == (True, "2026-07-04", "2026-07-05")
    moved = json.loads(json.dumps(data).replace("2026-07-03T20", "2026-07-03T19"))
    elsewhere.says(_page(*moved))
    clock.ahead(HOUR)
    run = refresh(people.alice, source).json
    assert (run["state"], run["created"], run["changed"], run["removed"]) == ("applied", 0, 1, 0)


def test_a_page_that_has_no_events_any_more_changes_nothing(people: Cast, elsewhere: Elsewhere, clock: Clock) -> None:
    elsewhere.says(_page(CONCERT))
    source = follow(people.alice, elsewhere)
    elsewhere.says(_page())
    clock.ahead(HOUR)
    assert refresh(people.alice, source).json["reason"] == "The page has no events any more."
    assert titles(people.alice, source) == ["Jazz & more"]


def test_a_guest_of_an_event_learns_first_where_it_comes_from(people: Cast, elsewhere: Elsewhere) -> None:
    elsewhere.says(_page(CONCERT))
    source = follow(people.alice, elsewhere, public=True)
    page = people.anonymous.get(f"/events/{the_event(people.alice, source, 'Jazz & more')['id']}").text
    assert f'From <a href="{elsewhere.stand.url}/jazz" rel="noopener nofollow"><bdi>The Venue</bdi></a>' in page


def test_a_page_that_describes_itself_without_end_is_read(people: Cast, elsewhere: Elsewhere) -> None:
    deep = '{"@graph":[' * 3000 + "]}" * 3000
    elsewhere.says(f'<html><script type="application/ld+json">{deep}</script>{"<link rel=alternate>" * 1000}</html>')
    assert people.alice.post("/api/sources", json={"url": elsewhere.url}).status == 422


def test_an_html_page_behind_the_link_is_not_followed_for_ever(people: Cast, elsewhere: Elsewhere) -> None:
    def reply(request: Request) -> None:
        request.reply(200, _page(head='<link rel="alternate" type="text/calendar" href="/again">'))

    elsewhere.behaviour = reply
    assert people.alice.post("/api/sources", json={"url": elsewhere.url}).status == 422
    assert len(elsewhere.requests) == 2


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("PT1H", HOUR), ("P1D", DAY), ("PT90M", 90 * MINUTE), ("P1W", 7 * DAY), ("P1DT12H", 36 * HOUR), ("P", None), ("1h", None), ("", None)],
)
def test_durations_are_read(text: str, seconds: int | None) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize(
    ("head", "cache", "seconds"),
    [
        ("REFRESH-INTERVAL;VALUE=DURATION:PT2H\r\nX-PUBLISHED-TTL:PT1H\r\n", "", 2 * HOUR),
        ("X-PUBLISHED-TTL:PT3H\r\n", "max-age=60", 3 * HOUR),
        ("", "public, max-age=7200", 2 * HOUR),
        ("", "max-age=10", 15 * MINUTE),
        ("X-PUBLISHED-TTL:P1W\r\n", "", DAY),
        ("", "no-cache", HOUR),
        ("", "max-age=0", HOUR),
    ],
)
def test_a_source_says_how_often_it_is_fetched_within_bounds(head: str, cache: str, seconds: int) -> None:
    assert suggested(head, cache) == seconds


def test_the_pause_grows_while_nothing_changes_or_all_fails() -> None:
    assert pause_after(None, HOUR, 0, 0, 0.5) == HOUR
    assert (pause_after(None, HOUR, 0, 0, 0), pause_after(None, HOUR, 0, 0, 1)) == (54 * MINUTE, 66 * MINUTE)
    assert [pause_after(None, HOUR, unchanged, 0, 0.5) // HOUR for unchanged in (9, 10, 20, 30, 1000)] == [1, 2, 4, 6, 6]
    assert pause_after(30, HOUR, 100, 0, 0.5) == 30 * MINUTE
    assert [pause_after(None, HOUR, 0, failures, 0.5) // HOUR for failures in (1, 2, 3, 4, 50)] == [1, 2, 4, 6, 6]
    assert pause_after(None, HOUR, 0, 1, 0.5, retry_after=5 * HOUR) == 5 * HOUR
    assert pause_after(None, HOUR, 0, 1, 0.5, retry_after=50 * DAY) == DAY


def test_five_events_or_three_tenths_may_go_at_once() -> None:
    def gone(count: int, total: int) -> Decision:
        here = {str(i): Here("a", coming=1) for i in range(total)}
        return compare(here, {uid: There("a", 1) for uid in list(here)[count:]})

    assert [bool(gone(count, 10).reason) for count in (0, 1, 5, 6)] == [False, False, False, True]
    assert [bool(gone(count, 100).reason) for count in (30, 31)] == [False, True]
    assert bool(gone(3, 3).reason)


def test_dates_that_a_series_loses_count_as_gone() -> None:
    assert compare({"a": Here("1", coming=52), "b": Here("1", coming=1)}, {"a": There("2", 1), "b": There("1", 1)}).reason
    assert not compare({"a": Here("1", coming=52), "b": Here("1", coming=1)}, {"a": There("2", 50), "b": There("1", 1)}).reason


def test_a_calendar_whose_events_are_all_over_may_begin_anew() -> None:
    assert not compare({"a": Here("1")}, {"b": There("1", 1)}).reason
