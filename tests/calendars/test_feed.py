"""GET /api/calendars/<id>.ics: access, keys and conditional requests."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import icalendar
import pytest

from kalends.core.values import timestamps
from kalends.db import Database
from tests.cast import Cast, a_calendar, a_comment, a_response, an_event, shared
from tests.client import Client
from tests.conftest import Clock
from tests.events.importing import imported


def titles(who: Client, path: str) -> list[str]:
    response = who.get(path)
    assert response.status == 200, response
    assert response.headers["Content-Type"] == "text/calendar; charset=utf-8"
    return sorted(str(entry["SUMMARY"]) for entry in icalendar.Calendar.from_ical(response.content).walk("VEVENT"))


def feed_of(who: Client, calendar: dict[str, Any]) -> str:
    """The path of the calendar's feed, as its show gives it."""
    url: str = who.get(f"/api/calendars/{calendar['id']}").json["feed_url"]
    assert url.startswith("http://testserver/api/calendars/")
    return url.removeprefix("http://testserver")


def a_key(who: Client) -> Client:
    """The same person by a key, which does not expire as the clock is moved."""
    return who.signed_in(who.post("/api/keys", json={"name": "a program"}).json["wkey"])


def test_a_public_feed_has_no_secret_and_shows_what_is_public(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, public=True)
    an_event(cast.alice, calendar_id=calendar["id"], title="Open")
    an_event(cast.alice, calendar_id=calendar["id"], title="Closed", public=False)
    path = feed_of(cast.anonymous, calendar)
    assert path == f"/api/calendars/{calendar['id']}.ics"
    assert titles(cast.anonymous, path) == ["Open"]
    assert titles(cast.alice, path) == ["Closed", "Open"]


def test_a_private_feed_opens_with_the_key_that_only_editors_see(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.bob, "editor")
    shared(cast.alice, calendar, cast.vera, "viewer")
    an_event(cast.alice, calendar_id=calendar["id"], title="Closed")
    path = feed_of(cast.alice, calendar)
    assert feed_of(cast.bob, calendar) == path
    assert cast.vera.get(f"/api/calendars/{calendar['id']}").json["feed_url"] is None
    assert "?key=" in path
    assert titles(cast.anonymous, path) == titles(cast.carol, path) == ["Closed"]
    bare = path.partition("?")[0]
    assert [who.get(bare).status for who in (cast.anonymous, cast.carol, cast.vera)] == [404, 404, 200]
    assert cast.anonymous.get(f"{path[:-1]}{'a' if path[-1] != 'a' else 'b'}").status == 404
    other = a_calendar(cast.bob)
    assert cast.anonymous.get(f"/api/calendars/{other['id']}.ics?{path.partition('?')[2]}").status == 404


def test_resetting_the_feed_key_invalidates_the_old_one(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    old = feed_of(cast.alice, calendar)
    reset = cast.alice.put(f"/api/calendars/{calendar['id']}/reset_feed")
    assert reset.status == 200
    new = reset.json["feed_url"].removeprefix("http://testserver")
    assert (cast.anonymous.get(old).status, cast.anonymous.get(new).status) == (404, 200)


def test_the_feed_key_does_not_disclose_private_events_placed_by_viewers(cast: Cast) -> None:
    """Carol sees an event of Alice's and places it on a calendar of hers: readers of her feed do not see it."""
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.carol, "viewer")
    event = an_event(cast.alice, calendar_id=calendar["id"], title="Alice's own")
    hers = a_calendar(cast.carol)
    an_event(cast.carol, calendar_id=hers["id"], title="Carol's own")
    assert cast.carol.put(f"/api/events/{event['id']}/add", json={"calendar_id": hers["id"]}).status == 200
    path = feed_of(cast.carol, hers)
    assert titles(cast.anonymous, path) == ["Carol's own"]
    assert titles(cast.carol, path.partition("?")[0]) == ["Alice's own", "Carol's own"]


def test_an_unchanged_feed_is_304_without_reading_events(cast: Cast, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    calendar = a_calendar(cast.alice)
    an_event(cast.alice, calendar_id=calendar["id"])
    path = feed_of(cast.alice, calendar)
    clock.now = timestamps.now() + 200
    first = cast.anonymous.get(path)
    monkeypatch.setattr("kalends.features.events.feeds.steps.feed.build_for_calendar", None)
    by_tag = cast.anonymous.get(path, headers={"If-None-Match": first.headers["ETag"]})
    by_date = cast.anonymous.get(path, headers={"If-Modified-Since": first.headers["Last-Modified"]})
    assert [(response.status, response.content) for response in (by_tag, by_date)] == [(304, b"")] * 2
    assert by_tag.headers["ETag"] == first.headers["ETag"]


def test_last_modified_is_sent_only_after_its_second_is_over(cast: Cast, clock: Clock) -> None:
    calendar = a_calendar(cast.alice)
    path = f"/api/calendars/{calendar['id']}.ics"
    key = a_key(cast.alice)
    an_event(cast.alice, calendar_id=calendar["id"])
    clock.now = timestamps.now()
    assert "Last-Modified" not in key.get(path).headers
    assert key.get(path, headers={"If-Modified-Since": timestamps.format_http_date(clock.now)}).status == 200
    clock.ahead(200)
    last_modified = key.get(path).headers["Last-Modified"]
    assert key.get(path, headers={"If-Modified-Since": last_modified}).status == 304
    assert key.get(path, headers={"If-Modified-Since": timestamps.format_http_date(clock.now)}).status == 200


@pytest.mark.parametrize(
    "change",
    ["create", "update", "delete", "add", "remove", "repeat", "delete one", "rename", "edit one", "publish", "owner leaves"],
)
def test_every_change_of_the_feed_changes_its_etag(cast: Cast, change: str) -> None:
    alice = cast.alice
    calendar, other = a_calendar(alice), a_calendar(alice)
    event = an_event(alice, calendar_id=calendar["id"])
    elsewhere = an_event(alice, calendar_id=other["id"])
    foreign = an_event(cast.dave, public=True)
    alice.put(f"/api/events/{foreign['id']}/add", json={"calendar_id": calendar["id"]})
    series = an_event(alice, calendar_id=calendar["id"])
    alice.put(f"/api/events/{series['id']}/repeat", json={"frequency": "DAILY", "end_date": "2026-06-05"})
    path = feed_of(alice, calendar)
    before = cast.anonymous.get(path)
    done = {
        "create": lambda: alice.post("/api/events", json={"title": "x", "start_time": "2026-06-01", "calendar_id": calendar["id"]}),
        "update": lambda: alice.put(f"/api/events/{event['id']}", json={"title": "y"}),
        "delete": lambda: alice.delete(f"/api/events/{event['id']}"),
        "add": lambda: alice.put(f"/api/events/{elsewhere['id']}/add", json={"calendar_id": calendar["id"]}),
        "remove": lambda: alice.put(f"/api/events/{foreign['id']}/remove", json={"calendar_id": calendar["id"]}),
        "repeat": lambda: alice.put(f"/api/events/{series['id']}/repeat", json={"frequency": "DAILY", "end_date": "2026-06-06"}),
        "delete one": lambda: alice.delete(f"/api/events/{series['id']}"),
        "edit one": lambda: alice.put(f"/api/events/{series['id']}", json={"description": "z"}),
        "rename": lambda: alice.put(f"/api/calendars/{calendar['id']}", json={"name": "Renamed"}),
        "publish": lambda: alice.put(f"/api/events/{event['id']}", json={"public": True}),
        "owner leaves": lambda: cast.dave.delete(f"/api/users/{cast.dave.id}", json={"current_password": "correct horse battery"}),
    }[change]()
    assert done.status in (200, 201), done
    after = cast.anonymous.get(path, headers={"If-None-Match": before.headers["ETag"]})
    assert after.status == 200
    if change != "publish":
        assert after.content != before.content


def test_changes_outside_the_feed_keep_its_etag(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    event = an_event(cast.alice, calendar_id=calendar["id"])
    tag = cast.alice.get(f"/api/calendars/{calendar['id']}.ics").headers["ETag"]
    a_response(cast.alice, event)
    a_comment(cast.alice, event)
    an_event(cast.alice)
    assert cast.alice.get(f"/api/calendars/{calendar['id']}.ics", headers={"If-None-Match": tag}).status == 304


def test_a_long_feed_shows_the_latest(cast: Cast, db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kalends.features.events.feeds.steps.feed.MAX_EVENTS", 7)
    monkeypatch.setattr("kalends.features.events.feeds.steps.feed.MAX_PAGE", 3)
    calendar = a_calendar(cast.alice)
    for day in range(1, 10):
        an_event(cast.alice, calendar_id=calendar["id"], title=f"n{day}", start_time=f"2026-06-0{day}")
    assert titles(cast.alice, f"/api/calendars/{calendar['id']}.ics") == [f"n{day}" for day in range(3, 10)]


def test_a_long_feed_shows_its_series_whole(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    """Occurrences of the rule that the feed lacks would be deleted where the feed is imported."""
    monkeypatch.setattr("kalends.features.events.feeds.steps.feed.MAX_EVENTS", 4)
    calendar = a_calendar(cast.alice)
    event = an_event(cast.alice, calendar_id=calendar["id"], title="daily", start_time="2026-06-01T20:00")
    cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY", "end_date": "2026-06-06"})
    an_event(cast.alice, calendar_id=calendar["id"], title="early", start_time="2026-05-01")
    an_event(cast.alice, calendar_id=calendar["id"], title="late", start_time="2026-06-07")
    path = f"/api/calendars/{calendar['id']}.ics"
    assert titles(cast.alice, path) == ["daily", "late"]
    content = cast.alice.get(path).content
    assert b"EXDATE" not in content
    assert b"DTSTART:20260601T200000Z" in content
    imported(cast.alice, content, calendar_id=str(calendar["id"]))
    assert cast.alice.get("/api/events", query={"calendar_id": calendar["id"], "count": "true"}).json["total"] == 8


def test_series_that_are_too_long_for_a_feed_are_shown_one_by_one(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kalends.features.events.feeds.steps.feed.MAX_EVENTS", 2)
    monkeypatch.setattr("kalends.features.events.feeds.steps.feed.SERIES_AT_ONCE", 1)
    calendar = a_calendar(cast.alice)
    for title in ("a", "b"):
        event = an_event(cast.alice, calendar_id=calendar["id"], title=title, start_time="2026-06-01T20:00")
        cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY", "end_date": "2026-06-05"})
    content = cast.alice.get(f"/api/calendars/{calendar['id']}.ics").content
    assert (content.count(b"RRULE"), content.count(b"BEGIN:VEVENT"), content.count(b"EXDATE")) == (1, 2, 0)


def test_any_query_is_a_feed(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    for day in range(1, 4):
        an_event(cast.alice, calendar_id=calendar["id"], title=f"n{day}", start_time=f"2026-06-0{day}", tag_list="a,b")
    an_event(cast.alice, title="elsewhere")
    assert titles(cast.alice, "/api/events.ics") == ["elsewhere", "n1", "n2", "n3"]
    assert titles(cast.alice, f"/api/events.ics?calendar_id={calendar['id']}&start_time=2026-06-02") == ["n2", "n3"]
    assert titles(cast.alice, "/api/events.ics?tags=b&limit=2") == ["n1", "n2"]
    assert titles(cast.carol, "/api/events.ics") == []
    assert cast.carol.get(f"/api/events.ics?calendar_id={calendar['id']}").status == 404
    tag = cast.alice.get("/api/events.ics?tags=b").headers["ETag"]
    assert cast.alice.get("/api/events.ics?tags=b", headers={"If-None-Match": tag}).status == 304
    by_accept = cast.alice.get("/api/events?tags=b", headers={"Accept": "text/calendar"})
    assert by_accept.headers["Content-Type"].startswith("text/calendar")


def test_an_event_can_be_downloaded_as_a_file(cast: Cast) -> None:
    event = an_event(cast.alice, title="Solo, “x”")
    assert titles(cast.alice, f"/api/events/{event['id']}.ics") == ["Solo, “x”"]
    assert f"event-{event['id']}.ics" in cast.alice.get(f"/api/events/{event['id']}.ics").headers["Content-Disposition"]
    assert cast.carol.get(f"/api/events/{event['id']}.ics").status == 404


def test_the_etag_for_guests_does_not_depend_on_private_events(cast: Cast, clock: Clock) -> None:
    calendar = a_calendar(cast.alice, public=True)
    public = an_event(cast.alice, calendar_id=calendar["id"])
    private = an_event(cast.alice, calendar_id=calendar["id"], public=False)
    path = f"/api/calendars/{calendar['id']}.ics"
    key, stranger = a_key(cast.alice), a_key(cast.carol)
    clock.now = timestamps.now() + 200

    def versions() -> list[tuple[str | None, str | None]]:
        all_headers = [who.get(path).headers for who in (cast.anonymous, stranger)]
        return [(headers.get("ETag"), headers.get("Last-Modified")) for headers in all_headers]

    before = versions()
    assert before[0][1] is not None
    assert key.put(f"/api/events/{private['id']}", json={"title": "Another"}).status == 200
    an_event(key, calendar_id=calendar["id"], public=False)
    assert key.delete(f"/api/events/{private['id']}").status == 200
    assert versions() == before
    # A change of both in one transaction counts.
    both = {"title": "Another", "ids": [public["id"]]}
    hidden = an_event(key, calendar_id=calendar["id"], public=False)
    assert key.put(f"/api/events/{hidden['id']}", json=both).status == 200
    after = versions()
    assert [tag for tag, _ in after] != [tag for tag, _ in before]
    assert after[0][0] != before[0][0]


def test_the_feed_of_all_public_events_is_cached_for_all_guests(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    event = an_event(cast.alice, title="All of them", public=True)
    first = cast.anonymous.get("/api/events.ics")
    assert b"All of them" in first.content
    with monkeypatch.context() as patch:
        patch.setattr("kalends.features.events.feeds.steps.feed.build_for_query", None)
        assert cast.anonymous.get("/api/events.ics").content == first.content
        known = cast.anonymous.get("/api/events.ics", headers={"If-None-Match": first.headers["ETag"]})
        assert (known.status, known.content) == (304, b"")
    assert cast.alice.put(f"/api/events/{event['id']}", json={"public": False}).status == 200
    second = cast.anonymous.get("/api/events.ics", headers={"If-None-Match": first.headers["ETag"]})
    assert (second.status, b"All of them" in second.content) == (200, False)
    assert cast.alice.put(f"/api/events/{event['id']}", json={"public": True}).status == 200
    assert b"All of them" in cast.anonymous.get("/api/events.ics").content


def test_a_feed_is_built_by_one_request_at_a_time(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    calendar = a_calendar(cast.alice, public=True)
    path = f"/api/calendars/{calendar['id']}.ics"
    concurrent_responses = []

    def slow(*_: Any, **options: Any) -> bytes:
        with ThreadPoolExecutor(1) as another:
            concurrent_responses.append(another.submit(cast.anonymous.get, path).result(30))
        return b"feed"

    monkeypatch.setattr("kalends.features.events.feeds.steps.feed.build_for_calendar", slow)
    assert cast.anonymous.get(path).content == b"feed"
    assert [(response.status, response.headers["Retry-After"]) for response in concurrent_responses] == [(503, "5")]
    assert cast.anonymous.get(path).content == b"feed"
    assert len(concurrent_responses) == 1


def test_a_guests_search_in_all_public_events_is_bounded(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kalends.features.events.feeds.steps.feed.MAX_FOR_GUESTS", 2)
    tag = cast.alice.user_name
    for day in range(1, 5):
        an_event(cast.alice, title=f"n{day}", start_time=f"2026-06-0{day}", tag_list=tag, public=True)
    for query in (f"tags={tag}", f"tags={tag}&limit=3"):
        assert titles(cast.anonymous, f"/api/events.ics?{query}") == ["n1", "n2"]
    assert titles(cast.alice, f"/api/events.ics?tags={tag}") == ["n1", "n2", "n3", "n4"]
