"""Following a calendar that lives elsewhere: what is found, created, changed, removed, and what stays ours."""

from typing import Any

import pytest

from kalends.db import Database
from kalends.features.sources.steps import run as run_steps
from tests.cast import Cast, a_calendar, a_question, a_response, an_event, shared
from tests.client import Client
from tests.conftest import Clock
from tests.events.importing import counts, imported
from tests.pictures.files import a_picture
from tests.sources.server import SOON, Elsewhere, a_feed, an_event_of_feed, events_of_feed, follow, refresh, the_event, titles

HOUR = 3600


def _again(clock: Clock, who: Client, source: dict[str, Any]) -> dict[str, Any]:
    clock.ahead(HOUR)
    reply = refresh(who, source)
    assert reply.status == 201, reply
    run: dict[str, Any] = reply.json
    return run


def test_a_preview_says_what_is_there_and_changes_nothing(people: Cast, elsewhere: Elsewhere) -> None:
    elsewhere.says(a_feed(*events_of_feed(7), head="X-WR-CALNAME:Jazz\\, daily\r\n"))
    calendar = a_calendar(people.alice, name="Town")
    reply = people.alice.post("/api/sources", json={"url": elsewhere.url, "calendar_id": calendar["id"], "dry_run": True})
    found = reply.json["found"]
    assert (found["kind"], found["name"], found["events"], len(found["titles"])) == ("calendar", "Jazz, daily", 7, 5)
    assert (found["first"], found["last"]) == ("2026-07-01T18:00:00Z", "2026-07-07T18:00:00Z")
    assert people.alice.get("/api/sources").json["sources"] == []
    assert titles(people.alice, {"calendar_id": calendar["id"]}) == []


def test_following_creates_the_events_at_once_on_a_new_calendar(people: Cast, elsewhere: Elsewhere) -> None:
    elsewhere.says(a_feed(*events_of_feed(3), head="X-WR-CALNAME:Jazz club\r\n"))
    source = follow(people.alice, elsewhere, tag_list="jazz")
    assert people.alice.get(f"/api/calendars/{source['calendar_id']}").json["name"] == "Jazz club"
    assert titles(people.alice, source) == ["gig 0", "gig 1", "gig 2"]
    assert the_event(people.alice, source, "gig 1")["tag_list"] == "jazz"
    assert (source["state"], source["reason"]) == ("fresh", "")
    runs = people.alice.get(f"/api/sources/{source['id']}/runs").json["runs"]
    assert [(run["state"], run["created"], run["changed"], run["removed"]) for run in runs] == [("applied", 3, 0, 0)]


def test_the_same_address_twice_on_a_calendar_is_a_conflict(people: Cast, elsewhere: Elsewhere) -> None:
    elsewhere.says(a_feed(*events_of_feed(1)))
    source = follow(people.alice, elsewhere)
    again = people.alice.post("/api/sources", json={"url": elsewhere.url, "calendar_id": source["calendar_id"]})
    assert again.status == 409
    assert titles(people.alice, source) == ["gig 0"]


def test_only_who_may_edit_the_calendar_follows_and_sees(people: Cast, elsewhere: Elsewhere) -> None:
    elsewhere.says(a_feed(*events_of_feed(1)))
    calendar = a_calendar(people.alice, name="Town", public=True)
    shared(people.alice, calendar, people.bob, "editor")
    source = follow(people.bob, elsewhere, calendar_id=calendar["id"])
    assert people.alice.get(f"/api/sources/{source['id']}").status == 200
    assert people.carol.get(f"/api/sources/{source['id']}").status == 404
    assert people.carol.post("/api/sources", json={"url": elsewhere.url, "calendar_id": calendar["id"]}).status == 403


def test_nobody_brings_in_what_an_ex_editor_follows(people: Cast, elsewhere: Elsewhere, clock: Clock) -> None:
    """Its address is theirs, and what is there now may be anything."""
    elsewhere.says(a_feed(*events_of_feed(1)))
    calendar = a_calendar(people.alice, public=True)
    shared(people.alice, calendar, people.bob, "editor")
    source = follow(people.bob, elsewhere, calendar_id=calendar["id"])
    elsewhere.says(a_feed())
    clock.ahead(61)
    held = refresh(people.bob, source).json
    assert people.alice.put(f"/api/calendars/{calendar['id']}/unshare", json={"user_name": people.bob.user_name}).status == 200
    elsewhere.says(a_feed(*events_of_feed(1, "buy pills")))
    clock.ahead(61)
    path = f"/api/sources/{source['id']}"
    replies = [
        refresh(people.alice, source),
        people.alice.put(f"{path}/runs/{held['id']}", json={"accepted": True}),
        people.alice.put(path, json={"paused": False}),
    ]
    assert [reply.status for reply in replies] == [409] * 3
    assert "follow the address yourself" in replies[0].json["detail"]
    assert titles(people.alice, source) == ["gig 0"]
    assert people.alice.delete(path).status == 200
    assert follow(people.alice, elsewhere, calendar_id=calendar["id"])["state"] == "fresh"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("<!doctype html><html><title>Club</title><p>Hello", "a web page without events"),
        ("hello", "is no iCalendar file"),
        ("BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\n", "is cut off"),
    ],
)
def test_what_is_no_calendar_is_refused_with_what_it_is(people: Cast, elsewhere: Elsewhere, content: str, said: str) -> None:
    elsewhere.says(content)
    reply = people.alice.post("/api/sources", json={"url": elsewhere.url})
    assert (reply.status, reply.broken) == (422, ["url"])
    assert said in reply.json["errors"][0]["message"]


@pytest.mark.parametrize("url", ["ftp://club.example/a.ics", "club", "https://", "http://[::1", "javascript:alert(1)", "webcal:"])
def test_what_is_no_address_is_refused(people: Cast, url: str) -> None:
    reply = people.alice.post("/api/sources", json={"url": url})
    assert (reply.status, reply.broken) == (422, ["url"])


def test_a_password_in_the_address_is_sent_there_and_shown_nowhere(people: Cast, elsewhere: Elsewhere, db: Database) -> None:
    elsewhere.says(a_feed(*events_of_feed(1)))
    url = elsewhere.url.replace("http://", "http://ana:geheim@")
    source = people.alice.post("/api/sources", json={"url": url}).json
    assert "Authorization: Basic YW5hOmdlaGVpbQ==" in elsewhere.requests[-1].head
    assert source["url"] == f"http://•••@{elsewhere.stand.host}/…"
    shown = [people.alice.get(path).text for path in ("/api/sources", f"/api/sources/{source['id']}/runs", "/api/changes")]
    assert not any("geheim" in each for each in shown)


def test_a_second_run_without_a_change_writes_no_event(
    people: Cast, elsewhere: Elsewhere, clock: Clock, db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    feed = a_feed(*events_of_feed(4), an_event_of_feed("weekly@club.example", "Weekly", f"DTSTART:{SOON}", "RRULE:FREQ=WEEKLY;COUNT=5"))
    elsewhere.says(feed)
    source = follow(people.alice, elsewhere)
    before = _content(db, source)
    assert _again(clock, people.alice, source)["state"] == "unchanged"
    elsewhere.says(feed.replace("DTSTAMP:20260101", "DTSTAMP:20260202"))
    with monkeypatch.context() as patched:
        # Not even read: a large calendar would keep the worker busy each time.
        patched.setattr(run_steps, "read", lambda *args: pytest.fail("it was read"))
        assert _again(clock, people.alice, source)["state"] == "unchanged"
    events = feed.split("BEGIN:VEVENT")
    elsewhere.says("BEGIN:VEVENT".join([events[0], events[3], events[2], events[1], *events[4:]]))
    assert _again(clock, people.alice, source)["state"] == "unchanged"
    assert _content(db, source) == before


def _content(db: Database, source: dict[str, Any]) -> list[Any]:
    with db.read() as tx:
        rows = tx.rows(
            "SELECT id, title, start_at, version, updated_at FROM events WHERE calendar_id = :id ORDER BY id", id=source["calendar_id"]
        )
        return [tuple(row) for row in rows]


def test_a_server_that_knows_versions_is_asked_for_a_change(people: Cast, elsewhere: Elsewhere, clock: Clock) -> None:
    elsewhere.says(a_feed(*events_of_feed(2)), ETag='"one"')
    source = follow(people.alice, elsewhere)
    elsewhere.says("", 304)
    run = _again(clock, people.alice, source)
    assert (run["state"], run["status"]) == ("unchanged", 304)
    assert 'If-None-Match: "one"' in elsewhere.requests[-1].head
    assert people.alice.get(f"/api/sources/{source['id']}").json["state"] == "fresh"


def test_what_changes_there_changes_here_and_what_is_ours_stays(people: Cast, elsewhere: Elsewhere, clock: Clock) -> None:
    first, second = an_event_of_feed("a@club.example", "Jazz"), an_event_of_feed("b@club.example", "Blues")
    elsewhere.says(a_feed(first, second))
    source = follow(people.alice, elsewhere)
    jazz = the_event(people.alice, source, "Jazz")
    ours = people.alice.put(f"/api/events/{jazz['id']}", json={"tag_list": "trio", "capacity": 40, "visibility": "public"})
    assert ours.status == 200, ours
    a_picture(people.alice, jazz)
    image = people.alice.get(f"/api/events/{jazz['id']}").json["image"]
    assert image
    question = a_question(people.alice, f"/api/events/{jazz['id']}", required=False)
    added = people.bob.put(f"/api/events/{jazz['id']}/add", json={})
    assert added.status == 200, added
    a_response(people.alice, jazz, email_address="gus@example.org", response="YES")
    assert people.alice.post("/api/comments", json={"event_id": jazz["id"], "comment": "Bring a chair"}).status == 201
    elsewhere.says(a_feed(first.replace("SUMMARY:Jazz", "SUMMARY:Jazz trio").replace(SOON, "20260621T190000Z"), second))
    run = _again(clock, people.alice, source)
    assert (run["state"], run["created"], run["changed"], run["removed"]) == ("applied", 0, 1, 0)
    after = people.alice.get(f"/api/events/{jazz['id']}", query={"comments": True}).json
    assert (after["title"], after["start_time"]) == ("Jazz trio", "2026-06-21T19:00:00+00:00")
    assert (after["tag_list"], after["capacity"], after["visibility"], after["responses"]["people"]) == ("trio", 40, "public", 1)
    assert after["image"] == image
    assert [each["comment"] for each in after["comments"]] == ["Bring a chair"]
    assert [each["id"] for each in people.alice.get(f"/api/events/{jazz['id']}/questions").json["questions"]] == [question["id"]]
    # A calendar that shows it too shows it as it is now.
    listed = people.bob.get("/api/events", query={"calendar_id": people.bob.primary_calendar_id, "since": "2026-06-01"}).json["events"]
    assert (jazz["id"], "Jazz trio") in [(each["id"], each["title"]) for each in listed]


def test_a_date_of_a_series_that_has_tags_of_ours_follows_the_source(people: Cast, elsewhere: Elsewhere, clock: Clock) -> None:
    weekly = an_event_of_feed("w@club.example", "Weekly", f"DTSTART:{SOON}", "RRULE:FREQ=WEEKLY;COUNT=4")
    elsewhere.says(a_feed(weekly))
    source = follow(people.alice, elsewhere)
    listed = people.alice.get("/api/events", query={"calendar_id": source["calendar_id"]}).json["events"]
    assert people.alice.put(f"/api/events/{listed[1]['id']}", json={"tag_list": "special"}).status == 200
    elsewhere.says(a_feed(weekly.replace("SUMMARY:Weekly", "SUMMARY:Every week")))
    _again(clock, people.alice, source)
    assert titles(people.alice, source) == ["Every week"] * 4
    assert people.alice.get(f"/api/events/{listed[1]['id']}").json["tag_list"] == "special"


@pytest.mark.parametrize(
    "fields",
    [
        {"title": "Mine"},
        {"start_time": "2026-06-22T18:00:00Z"},
        {"location": "Elsewhere"},
        {"description": "x"},
        {"status": "cancelled"},
        {"time_zone": "Asia/Tokyo"},
    ],
)
def test_content_from_a_source_is_read_only_and_the_error_names_the_source(people: Cast, elsewhere: Elsewhere, fields: Any) -> None:
    elsewhere.says(a_feed(an_event_of_feed("a@club.example", "Jazz"), head="X-WR-CALNAME:The Club\r\n"))
    source = follow(people.alice, elsewhere)
    jazz = the_event(people.alice, source, "Jazz")
    reply = people.alice.put(f"/api/events/{jazz['id']}", json=fields)
    assert (reply.status, "The Club" in reply.json["detail"]) == (403, True)
    same = {"title": "Jazz", "start_time": jazz["start_time"], "tag_list": "trio"}
    assert people.alice.put(f"/api/events/{jazz['id']}", json=same).status == 200


def test_a_source_is_not_changed_by_a_rule_a_move_or_a_file(people: Cast, elsewhere: Elsewhere) -> None:
    feed = a_feed(an_event_of_feed("a@club.example", "Jazz"))
    elsewhere.says(feed)
    source = follow(people.alice, elsewhere)
    jazz = the_event(people.alice, source, "Jazz")
    path = f"/api/events/{jazz['id']}"
    assert people.alice.put(f"{path}/repeat", json={"frequency": "WEEKLY", "count": 3}).status == 403
    assert people.alice.put(path, json={"calendar_id": people.alice.primary_calendar_id}).status == 403
    assert counts(imported(people.alice, feed.replace("Jazz", "Mine"), calendar_id=source["calendar_id"])) == (0, 0, 0, 1)
    assert titles(people.alice, source) == ["Jazz"]


def test_a_detached_event_is_ordinary_and_does_not_come_back(people: Cast, elsewhere: Elsewhere, clock: Clock) -> None:
    first, second = an_event_of_feed("a@club.example", "Jazz"), an_event_of_feed("b@club.example", "Blues")
    elsewhere.says(a_feed(first, second))
    source = follow(people.alice, elsewhere)
    jazz = the_event(people.alice, source, "Jazz")
    assert people.alice.delete(f"/api/sources/{source['id']}/events/{jazz['id']}").status == 200
    assert people.alice.delete(f"/api/sources/{source['id']}/events/{jazz['id']}").status == 404
    assert people.alice.put(f"/api/events/{jazz['id']}", json={"title": "Mine"}).status == 200
    elsewhere.says(a_feed(first.replace("Jazz", "Jazz trio"), second))
    _again(clock, people.alice, source)
    assert titles(people.alice, source) == ["Blues", "Mine"]


def test_what_was_deleted_here_does_not_come_back(people: Cast, elsewhere: Elsewhere, clock: Clock) -> None:
    first, second = an_event_of_feed("a@club.example", "Jazz"), an_event_of_feed("b@club.example", "Blues")
    elsewhere.says(a_feed(first, second))
    source = follow(people.alice, elsewhere)
    assert people.alice.delete(f"/api/events/{the_event(people.alice, source, 'Jazz')['id']}").status == 200
    elsewhere.says(a_feed(first.replace("Jazz", "Jazz trio"), second))
    _again(clock, people.alice, source)
    assert titles(people.alice, source) == ["Blues"]


def test_what_is_gone_there_goes_is_cancelled_or_stays(people: Cast, elsewhere: Elsewhere, clock: Clock) -> None:
    past = an_event_of_feed("past@club.example", "Past", "DTSTART:20260101T180000Z")
    others = events_of_feed(3)
    elsewhere.says(a_feed(past, *others, head="X-WR-CALNAME:The Club\r\n"))
    source = follow(people.alice, elsewhere, public=True)
    wanted, unwanted = the_event(people.alice, source, "gig 0"), the_event(people.alice, source, "gig 1")
    a_response(people.bob, wanted, response="YES")
    elsewhere.says(a_feed(others[2]))
    run = _again(clock, people.alice, source)
    assert (run["state"], run["removed"]) == ("applied", 3)
    assert titles(people.alice, source, since="2020-01-01") == ["Past", "gig 0", "gig 2"]
    cancelled = people.alice.get(f"/api/events/{wanted['id']}").json
    assert (cancelled["status"], cancelled["status_note"]) == ("cancelled", "No longer in The Club")
    assert people.alice.get(f"/api/events/{unwanted['id']}").status == 410
    assert str(unwanted["id"]) in people.alice.get("/api/trash").text
    elsewhere.says(a_feed(past, *others))
    assert _again(clock, people.alice, source)["state"] == "applied"
    assert people.alice.get(f"/api/events/{wanted['id']}").json["status"] == "planned"
    assert titles(people.alice, source, since="2020-01-01") == ["Past", "gig 0", "gig 1", "gig 2"]


def test_a_series_that_is_gone_there_gets_no_more_dates(people: Cast, elsewhere: Elsewhere, clock: Clock, db: Database) -> None:
    weekly = an_event_of_feed("w@club.example", "Weekly", "DTSTART:20260501T180000Z", "RRULE:FREQ=WEEKLY;COUNT=8")
    other = an_event_of_feed("o@club.example", "Other")
    elsewhere.says(a_feed(weekly, other))
    source = follow(people.alice, elsewhere)
    assert titles(people.alice, source, since="2020-01-01").count("Weekly") == 8
    elsewhere.says(a_feed(other))
    _again(clock, people.alice, source)
    assert titles(people.alice, source, since="2020-01-01") == ["Other", *["Weekly"] * 4]
    with db.read() as tx:
        sql = "SELECT max(s.end_date) FROM series s JOIN events e ON e.series_id = s.id WHERE e.calendar_id = :id"
        last = tx.value(sql, id=source["calendar_id"])
    assert last < "2026-06-01"
    elsewhere.says(a_feed(weekly, other))
    _again(clock, people.alice, source)
    assert titles(people.alice, source, since="2020-01-01") == ["Other", *["Weekly"] * 8]


@pytest.mark.parametrize("lines", [("RRULE:FREQ=WEEKLY;COUNT=3",), ()])
def test_an_event_that_becomes_a_series_keeps_its_id_and_its_guests(people: Cast, elsewhere: Elsewhere, clock: Clock, lines: Any) -> None:
    single = an_event_of_feed("a@club.example", "Jazz")
    weekly = an_event_of_feed("a@club.example", "Jazz", f"DTSTART:{SOON}", "RRULE:FREQ=WEEKLY;COUNT=3")
    before, after = (single, weekly) if lines else (weekly, single)
    elsewhere.says(a_feed(before))
    source = follow(people.alice, elsewhere)
    jazz = people.alice.get("/api/events", query={"calendar_id": source["calendar_id"]}).json["events"][0]
    a_response(people.alice, jazz, email_address="gus@example.org", response="YES")
    elsewhere.says(a_feed(after))
    assert _again(clock, people.alice, source)["state"] == "applied"
    assert titles(people.alice, source) == ["Jazz"] * (3 if lines else 1)
    assert people.alice.get(f"/api/events/{jazz['id']}").json["responses"]["people"] == 1
    elsewhere.says(a_feed(before))
    assert _again(clock, people.alice, source)["state"] == "applied"
    assert titles(people.alice, source) == ["Jazz"] * (1 if lines else 3)


def test_an_event_that_the_calendar_has_already_is_left_alone(people: Cast, elsewhere: Elsewhere) -> None:
    calendar = a_calendar(people.alice, name="Town")
    an_event(people.alice, calendar_id=calendar["id"], uid="a@club.example", title="Ours")
    elsewhere.says(a_feed(an_event_of_feed("a@club.example", "Theirs"), an_event_of_feed("b@club.example", "Blues")))
    source = follow(people.alice, elsewhere, calendar_id=calendar["id"])
    assert titles(people.alice, source) == ["Blues", "Ours"]


def test_events_that_come_from_here_are_skipped(people: Cast, elsewhere: Elsewhere) -> None:
    calendar = a_calendar(people.alice, name="Town", public=True)
    event = an_event(people.alice, calendar_id=calendar["id"], title="Ours")
    own = people.anonymous.get(f"/api/events/{event['id']}.ics").text
    elsewhere.says(own.replace("END:VCALENDAR\r\n", f"{an_event_of_feed('b@club.example', 'Blues')}END:VCALENDAR\r\n"))
    source = follow(people.alice, elsewhere)
    assert titles(people.alice, source) == ["Blues"]
    assert source["found"]["skipped"] == 1


@pytest.mark.parametrize("events", ["keep", "delete"])
def test_when_a_source_ends_its_events_stay_as_ordinary_ones_or_go(people: Cast, elsewhere: Elsewhere, events: str) -> None:
    elsewhere.says(a_feed(*events_of_feed(3)))
    source = follow(people.alice, elsewhere)
    gig = the_event(people.alice, source, "gig 0")
    assert people.alice.delete(f"/api/sources/{source['id']}", query={"events": events}).status == 200
    assert people.alice.get(f"/api/sources/{source['id']}").status == 404
    if events == "keep":
        assert people.alice.put(f"/api/events/{gig['id']}", json={"title": "Mine"}).status == 200
    else:
        assert titles(people.alice, source) == []


def test_only_titles_with_the_words_are_followed_and_a_change_is_read_anew(people: Cast, elsewhere: Elsewhere, clock: Clock) -> None:
    elsewhere.says(a_feed(an_event_of_feed("a@club.example", "Jazz"), an_event_of_feed("b@club.example", "Blues")), ETag='"one"')
    source = follow(people.alice, elsewhere, title_contains="JAZZ")
    assert titles(people.alice, source) == ["Jazz"]
    changed = people.alice.put(f"/api/sources/{source['id']}", json={"title_contains": "", "name": "The Club", "interval": 30})
    assert (changed.json["name"], changed.json["interval"]) == ("The Club", 30)
    _again(clock, people.alice, source)
    assert titles(people.alice, source) == ["Blues", "Jazz"]


def test_a_source_is_fetched_at_most_once_a_minute_by_hand(people: Cast, elsewhere: Elsewhere, clock: Clock) -> None:
    elsewhere.says(a_feed(*events_of_feed(1)))
    source = follow(people.alice, elsewhere)
    assert refresh(people.alice, source).status == 429
    clock.ahead(61)
    assert refresh(people.alice, source).status == 201


def test_the_last_fifty_runs_are_kept(people: Cast, elsewhere: Elsewhere, clock: Clock) -> None:
    elsewhere.says(a_feed(*events_of_feed(1)))
    source = follow(people.alice, elsewhere)
    for _ in range(52):
        clock.ahead(61)
        assert refresh(people.alice, source).status == 201
    assert people.alice.get(f"/api/sources/{source['id']}/runs", query={"count": True}).json["total"] == 50
