"""GET /: each series once, tags and calendars to find things by, and what people wrote in its own direction."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from kalends.core.settings import Settings
from tests.cast import Cast, a_calendar, a_comment, a_response, an_event
from tests.client import Client
from tests.conftest import NOON, Clock
from tests.http.stored_rows import fresh_service
from tests.pictures.files import a_picture


def _titles(page: str) -> list[str]:
    return re.findall(r'<h3><a href="/events/\d+" dir="auto">([^<]*)</a></h3>', page)


def _weekly(cast: Cast, title: str, start_time: str, end_date: str = "2026-12-31", **fields: object) -> None:
    event = an_event(cast.alice, title=title, start_time=start_time, public=True, **fields)
    repeated = cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "WEEKLY", "end_date": end_date})
    assert repeated.json["occurrences"] > 2


def test_a_series_is_one_card_with_its_rule(cast: Cast, client: Client, clock: Clock) -> None:
    name = uuid4().hex
    _weekly(cast, f"{name} stage", "2026-05-30T20:00")
    an_event(cast.alice, title=f"{name} night", start_time="2026-07-01T20:00", public=True)
    page = client.get("/", query={"text": name}).text
    assert _titles(page) == [f"{name} stage", f"{name} night"]
    assert "Every Saturday until 31 Dec 2026" in page


def test_a_cancelled_date_does_not_hide_the_next_one_of_its_series(cast: Cast, client: Client) -> None:
    name = uuid4().hex
    _weekly(cast, f"{name} stage", "2026-06-06T20:00")
    dates = cast.alice.get("/api/events", query={"title": f"{name} stage"}).json["events"]
    for date in dates[:2]:
        assert cast.alice.put(f"/api/events/{date['id']}", json={"status": "cancelled"}).status == 200
    cancelled, planned = re.findall(r'<li class="card">.*?</li>', client.get("/", query={"text": name}).text, re.S)
    assert ("Cancelled" in cancelled, "Every Saturday" in cancelled) == (True, False)
    assert ("Cancelled" in planned, "Every Saturday" in planned) == (False, True)
    assert dates[2]["id"] == int(re.search(r"/events/(\d+)", planned)[1])  # type: ignore[index]


def test_a_series_is_not_on_the_next_page_again(cast: Cast, client: Client) -> None:
    name = uuid4().hex
    _weekly(cast, f"{name} stage", "2026-05-30T20:00")
    for number in range(24):
        an_event(cast.alice, title=f"{name} gig {number:02}", start_time=f"2026-07-{number + 1:02}T20:00", public=True)
    first = client.get("/", query={"text": name}).text
    assert _titles(first)[0] == f"{name} stage"
    assert len(_titles(first)) == 24
    next_page = re.search(r'href="(/\?[^"]*)" rel="next"', first)
    assert next_page
    assert _titles(client.get(next_page[1].replace("&amp;", "&")).text) == [f"{name} gig 23"]


def test_tags_are_links_to_what_has_them(cast: Cast, client: Client) -> None:
    tag = f"jazz {uuid4().hex}"
    event = an_event(cast.alice, title="Tagged", start_time="2026-07-01T20:00", public=True, tag_list=tag)
    an_event(cast.alice, title="Untagged", start_time="2026-07-01T20:00", public=True, description=tag)
    link = f"/?tags={tag.replace(' ', '%20')}"
    assert f'href="{link}"' in client.get(f"/events/{event['id']}").text
    assert _titles(client.get(link).text) == ["Tagged"]


def test_a_search_finds_public_calendars_and_their_owners(cast: Cast, client: Client) -> None:
    name = uuid4().hex
    calendar = a_calendar(cast.alice, name=f"Café {name}", public=True)
    a_calendar(cast.alice, name=f"Cafe {name} private")
    page = client.get("/", query={"text": f"cafe {name}"}).text
    assert re.findall(r'href="/calendars/(\d+)"', page) == [str(calendar["id"])]

    organiser = uuid4().hex
    cast.alice.put(f"/api/users/{cast.alice.id}", json={"name": f"Ana {organiser}"})
    assert f'href="/calendars/{calendar["id"]}"' in client.get("/", query={"text": organiser}).text

    cast.alice.put(f"/api/calendars/{calendar['id']}", json={"public": False})
    assert f'href="/calendars/{calendar["id"]}"' not in client.get("/", query={"text": organiser}).text


def test_a_hyphen_stands_for_a_space(cast: Cast, client: Client) -> None:
    name = uuid4().hex
    an_event(cast.alice, title=f"Open stage {name}", start_time="2026-07-01T20:00", public=True)
    assert _titles(client.get("/", query={"text": f"open-stage-{name}"}).text) == [f"Open stage {name}"]


def test_the_name_of_a_day_means_the_day(client: Client) -> None:
    assert re.search('<a href="/" aria-current="true"><bdi>Tomorrow</bdi>', client.get("/?text=Tomorrow").text)


def test_pages_for_search_engines_have_a_description(cast: Cast, client: Client) -> None:
    calendar = a_calendar(cast.alice, public=True, description="Sessions in town")
    for path, text in {
        "/": "What’s on",
        "/calendar": "Public events by month",
        f"/calendars/{calendar['id']}": "Sessions in town",
    }.items():
        assert f'<meta name="description" content="{text}' in client.get(path).text


def test_addresses_in_texts_are_links_and_texts_have_their_own_direction(cast: Cast, client: Client) -> None:
    description = "**Tickets**: https://example.org/t."
    event = an_event(cast.alice, title="حفلة", start_time="2026-07-01T20:00", public=True, description=description)
    a_comment(cast.alice, event, comment="More: https://example.org/c")
    page = client.get(f"/events/{event['id']}").text
    assert "<h1><bdi>حفلة</bdi></h1>" in page
    for url in ("https://example.org/t", "https://example.org/c"):
        assert f'<a href="{url}" rel="nofollow ugc noopener noreferrer">{url}</a>' in page
    assert "<strong>Tickets</strong>" in page


def _chips(page: str) -> dict[str, tuple[str, str]]:
    """The URL and the number of each tag and place to choose."""
    nav = page.partition('<ul class="chips facets">')[2].partition("</ul>")[0]
    chips = re.findall(r'<a href="([^"]*)"[^>]*><bdi>([^<]*)</bdi>(?: <small>(\d+)</small>)?</a>', nav)
    return {name: (url.replace("&amp;", "&"), number) for url, name, number in chips}


def test_tags_and_places_are_counted_and_narrow_the_list(cast: Cast, client: Client, clock: Clock) -> None:
    # On a day of its own, so that other tests' events are not counted.
    day = "2031-03-04"
    events: dict[str, dict[str, Any]] = {
        "Trio": {"tag_list": "jazz,free", "city": "Marseille"},
        "Quartet": {"tag_list": "Jazz", "city": "Lyon"},
        "Talk": {"tag_list": "free", "location": "https://meet.example.org/talk"},
        "Private": {"tag_list": "jazz", "public": False},
    }
    for title, fields in events.items():
        an_event(cast.alice, title=title, start_time=f"{day}T20:00", **{"public": True} | fields)
    _weekly(cast, "Session", f"{day}T21:00", end_date="2031-03-25", tag_list="jazz")
    page = client.get("/", query={"when": day}).text
    chips = _chips(page)
    assert {name: number for name, (_, number) in chips.items()} == {"jazz": "3", "free": "2", "Lyon": "1", "Marseille": "1", "Online": "1"}
    assert _titles(client.get(chips["jazz"][0]).text) == ["Trio", "Quartet", "Session"]
    assert _titles(client.get(chips["Lyon"][0]).text) == ["Quartet"]
    assert _titles(client.get(chips["Online"][0]).text) == ["Talk"]

    both = _chips(client.get(chips["jazz"][0]).text)["Marseille"][0]
    assert _titles(client.get(both).text) == ["Trio"]
    assert _titles(client.get(_chips(client.get(both).text)["jazz"][0]).text) == ["Trio"]
    assert "Nothing found." in client.get("/", query={"when": day, "city": "Nowhere"}).text
    assert "Nowhere" in _chips(client.get("/", query={"when": day, "city": "Nowhere"}).text)


def _featured(page: str) -> str | None:
    title = re.search(r'<h2 id="featured"><a href="/events/[0-9]+" dir="auto">([^<]*)</a>', page)
    return title[1] if title else None


@pytest.mark.on_one_database
def test_the_event_with_a_picture_and_most_people_is_featured(settings: Settings, tmp_path: Path) -> None:
    with fresh_service(settings, tmp_path) as service:
        cast = Cast(service.guest)
        today = datetime.fromtimestamp(NOON, UTC).date()
        assert "No upcoming events yet." in service.guest.get("/").text
        assert "Never miss one" not in service.guest.get("/").text
        events = {}
        for title, days in [("Plain", 1), ("Talk", 2), ("Concert", 3), ("Far", 9)]:
            events[title] = an_event(cast.alice, title=title, start_time=f"{today + timedelta(days=days)}T20:00", public=True)
            if title != "Plain":
                a_picture(cast.alice, events[title])
        for title in ("Plain", "Concert", "Far"):
            a_response(service.guest, events[title], email_address="kim@example.org", number=3)
        page = service.guest.get("/").text
        assert _featured(page) == "Concert"
        assert _titles(page) == ["Plain", "Talk", "Far"]
        assert _featured(service.guest.get("/?when=next-week").text) is None
        cast.alice.put(f"/api/events/{events['Concert']['id']}", json={"status": "cancelled"})
        page = service.guest.get("/").text
        assert _featured(page) == "Talk"
        # A cancelled event has no number.
        assert page.count("3 going") == 2


def test_a_search_without_results_offers_past_events(client: Client) -> None:
    page = client.get("/", query={"text": "no such thing"}).text
    assert '<a href="/search?text=no%20such%20thing">Search past events, too?</a>' in page


def test_a_card_has_the_name_of_the_place_and_the_city(cast: Cast, client: Client) -> None:
    places = {
        "Blue Note, 131 W 3rd St, New York, NY 10012, USA": "Blue Note, New York",
        "Studio 54, Berlin": "Studio 54, Berlin",
        "Café Lotte, Weserstr. 5, 12045 Berlin": "Café Lotte, Berlin",
        "Canal bridge, Kreuzberg": "Canal bridge, Kreuzberg",
        "https://meet.example.org/talk": "meet.example.org",
        "Garden": "Garden",
    }
    for location, short in places.items():
        word = uuid4().hex
        an_event(cast.alice, title=word, location=location, start_time="2026-07-01T20:00", public=True)
        assert f'<p class="meta place" dir="auto">{short}</p>' in client.get("/", query={"text": word}).text
