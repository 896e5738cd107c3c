"""GET /search: all that a person can see, past too, and nothing else."""

import re
from uuid import uuid4

from tests.cast import Cast, a_calendar, an_event, shared
from tests.client import Client
from tests.conftest import Clock


def _titles(client: Client, text: str) -> dict[str, list[str]]:
    """The titles that the search finds, by the id of their group."""
    page = client.get("/search", query={"text": text}).text
    sections = re.findall(r'<section aria-labelledby="(\w+)">(.*?)</section>', page, re.S)
    return {name: re.findall(r'<strong dir="auto">([^<]*)</strong>', section) for name, section in sections}


def test_a_search_finds_private_events_of_the_reader_coming_up_and_past(cast: Cast, clock: Clock) -> None:
    word = uuid4().hex
    for title, day in [("Dentist", "2026-07-01"), ("Dentist before", "2026-03-01"), ("Dentist long before", "2019-03-01")]:
        an_event(cast.alice, title=f"{title} {word}", start_time=f"{day}T09:00", public=False)
    expected = {"coming": [f"Dentist {word}"], "past": [f"Dentist before {word}", f"Dentist long before {word}"]}
    assert _titles(cast.alice, f"dentist {word}") == expected
    page = cast.alice.get("/search", query={"text": f"dentist {word}"}).text
    assert page.count('aria-label="Not public"') == 3
    assert f'data-all="All results for “dentist {word}”"' in page
    assert 'href="/calendar?view=day&amp;date=2026-07-01"' in page


def test_a_search_shows_nothing_that_the_reader_cannot_see(cast: Cast, clock: Clock) -> None:
    word = uuid4().hex
    calendar = a_calendar(cast.alice, name="Team")
    shared(cast.alice, calendar, cast.vera, "viewer")
    for title, fields in {
        "Open": {"public": True},
        "Team": {"calendar_id": calendar["id"], "public": False},
        "Mine": {"public": False},
        "By link": {"visibility": "link"},
    }.items():
        an_event(cast.alice, title=f"{title} {word}", start_time="2026-07-01T09:00", **fields)
    found = {name: _titles(reader, word) for name, reader in [("guest", cast.anonymous), ("vera", cast.vera), ("carol", cast.carol)]}
    assert found["guest"] == found["carol"] == {"coming": [f"Open {word}"]}
    assert found["vera"] == {"coming": [f"Open {word}", f"Team {word}"]}
    assert sorted(_titles(cast.alice, word)["coming"]) == sorted(f"{title} {word}" for title in ("Open", "Team", "Mine", "By link"))


def test_a_series_is_one_result_at_its_next_date_and_one_in_the_past(cast: Cast, clock: Clock) -> None:
    word = uuid4().hex
    event = an_event(cast.alice, title=f"Choir {word}", start_time="2026-01-02T20:00", public=False)
    assert cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "WEEKLY"}).status == 200
    assert _titles(cast.alice, word) == {"coming": [f"Choir {word}"], "past": [f"Choir {word}"]}
    assert cast.alice.get("/search", query={"text": word}).text.count("Every Friday") == 2


def test_an_event_that_runs_is_coming_up_and_not_past(cast: Cast, clock: Clock) -> None:
    word = uuid4().hex
    today = "2026-05-28"
    an_event(cast.alice, title=f"Fair {word}", start_time=today, public=True)
    an_event(cast.alice, title=f"Tour {word}", start_time="2026-05-20", end_time="2026-06-20", public=True)
    assert sorted(_titles(cast.anonymous, word)["coming"]) == [f"Fair {word}", f"Tour {word}"]
    assert "past" not in _titles(cast.anonymous, word)


def test_more_results_than_are_shown_are_announced(cast: Cast, clock: Clock) -> None:
    word = uuid4().hex
    for number in range(21):
        an_event(cast.alice, title=f"{word} {number:02}", start_time=f"2026-07-{number + 1:02}T20:00", public=number % 2 == 0)
    assert _titles(cast.alice, word)["coming"] == [f"{word} {number:02}" for number in range(20)]
    assert "There are more." in cast.alice.get("/search", query={"text": word}).text


def test_a_search_without_results_says_so_and_finds_calendars(cast: Cast, client: Client) -> None:
    word = uuid4().hex
    assert f"Nothing found for “{word}”." in client.get("/search", query={"text": word}).text
    a_calendar(cast.alice, name=f"Café {word}", public=True)
    page = client.get("/search", query={"text": word}).text
    assert f"Café {word}" in page
    assert "Nothing found" not in page


def test_each_page_has_the_search(cast: Cast, client: Client) -> None:
    for path in ("/", "/calendar", "/organisers", "/nowhere"):
        assert '<form class="find" method="get" action="/search" role="search">' in client.get(path, headers={"Accept": "text/html"}).text
    assert 'value="x &lt;y&gt;"' in client.get("/search", query={"text": "x <y>"}).text
