"""Events of a source are in no public feed, sitemap or webhook, unless the owner says that the source allows it."""

from typing import Any

import pytest

from kalends.features.discovery.sitemap_store import PART
from tests.cast import Cast, a_calendar, an_event
from tests.client import Client
from tests.sources.server import SOON, Elsewhere, a_feed, an_event_of_feed, follow, the_event

JAZZ = an_event_of_feed("jazz@club.example", "Jazz")
WEEKLY = an_event_of_feed("w@club.example", "Weekly", f"DTSTART:{SOON}", "RRULE:FREQ=WEEKLY;COUNT=3")


def _in_feeds(who: Client, source: dict[str, Any]) -> list[str]:
    """The titles in all public feeds; each has the same."""
    calendar_id = source["calendar_id"]
    paths = [
        f"/api/calendars/{calendar_id}.ics",
        f"/api/events.ics?calendar_id={calendar_id}",
        "/api/events.ics",
        f"/feed.xml?calendar_id={calendar_id}",
        f"/atom.xml?text={calendar_id}",
    ]
    found = [[title for title in ("Jazz", "Weekly", "Ours") if f"{title} {calendar_id}" in who.get(path).text] for path in paths]
    assert all(each == found[0] for each in found), found
    return found[0]


@pytest.fixture
def source(people: Cast, elsewhere: Elsewhere) -> dict[str, Any]:
    calendar_id = a_calendar(people.alice, public=True)["id"]
    elsewhere.says(a_feed(JAZZ, WEEKLY).replace("SUMMARY:Jazz", f"SUMMARY:Jazz {calendar_id}").replace(":Weekly", f":Weekly {calendar_id}"))
    source = follow(people.alice, elsewhere, public=True, calendar_id=calendar_id)
    an_event(people.alice, calendar_id=calendar_id, title=f"Ours {calendar_id}", visibility="public", start_time="2026-06-19T18:00:00Z")
    return source


def test_public_feeds_have_events_of_a_source_only_while_it_is_republished(people: Cast, source: dict[str, Any]) -> None:
    path = f"/api/sources/{source['id']}"
    assert _in_feeds(people.anonymous, source) == ["Ours"]
    assert "SUMMARY:Jazz" not in people.carol.get(f"/api/calendars/{source['calendar_id']}.ics").text
    assert people.alice.put(path, json={"republish": True}).json["republish"] is True
    assert _in_feeds(people.anonymous, source) == ["Jazz", "Weekly", "Ours"]
    people.alice.put(path, json={"republish": False})
    assert _in_feeds(people.anonymous, source) == ["Ours"]


def test_members_have_all_events_in_their_feeds(people: Cast, source: dict[str, Any]) -> None:
    path = f"/api/calendars/{source['calendar_id']}"
    assert "SUMMARY:Jazz" in people.alice.get(f"{path}.ics").text
    secret = people.alice.put(path, json={"public": False}).json["feed_url"]
    assert "SUMMARY:Jazz" in people.anonymous.get(secret[secret.index("/api/") :]).text


@pytest.mark.parametrize("way", ["detached", "ended"])
def test_what_is_ordinary_now_is_in_public_feeds(people: Cast, source: dict[str, Any], way: str) -> None:
    assert _in_feeds(people.anonymous, source) == ["Ours"]
    jazz = the_event(people.alice, source, f"Jazz {source['calendar_id']}")
    path = f"/api/sources/{source['id']}"
    assert people.alice.delete(f"{path}/events/{jazz['id']}" if way == "detached" else path).status == 200
    assert _in_feeds(people.anonymous, source) == (["Jazz", "Ours"] if way == "detached" else ["Jazz", "Weekly", "Ours"])


def test_search_engines_learn_of_an_event_of_a_source_only_if_it_is_republished(people: Cast, source: dict[str, Any]) -> None:
    jazz = the_event(people.alice, source, f"Jazz {source['calendar_id']}")

    def seen() -> tuple[bool, bool]:
        sitemap, page = (
            people.anonymous.get(f"/sitemap.xml?part={jazz['id'] // PART}").text,
            people.anonymous.get(f"/events/{jazz['id']}").text,
        )
        return f"/events/{jazz['id']}<" in sitemap, '<meta name="robots" content="noindex">' not in page

    assert seen() == (False, False)
    people.alice.put(f"/api/sources/{source['id']}", json={"republish": True})
    assert seen() == (True, True)
