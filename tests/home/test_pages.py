"""GET /: each series once, tags and calendars to find things by, and what people wrote in its own direction."""

import re
from uuid import uuid4

from tests.cast import Cast, a_calendar, an_event
from tests.client import Client
from tests.conftest import Clock


def _titles(page: str) -> list[str]:
    return re.findall(r'<h3><a href="/events/\d+" dir="auto">([^<]*)</a></h3>', page)


def _weekly(cast: Cast, title: str, start_time: str, **fields: object) -> None:
    event = an_event(cast.alice, title=title, start_time=start_time, public=True, **fields)
    repeated = cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "WEEKLY", "end_date": "2026-12-31"})
    assert repeated.json["occurrences"] > 20


def test_a_series_is_one_card_with_its_rule(cast: Cast, client: Client, clock: Clock) -> None:
    name = uuid4().hex
    _weekly(cast, f"{name} stage", "2026-05-30T20:00")
    an_event(cast.alice, title=f"{name} night", start_time="2026-07-01T20:00", public=True)
    page = client.get("/", query={"text": name}).text
    assert _titles(page) == [f"{name} stage", f"{name} night"]
    assert re.search(r"Every week on Saturday until 31 December 2026 · 30 more dates", page), page


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


def test_addresses_in_texts_are_links_and_texts_have_their_own_direction(cast: Cast, client: Client) -> None:
    event = an_event(cast.alice, title="حفلة", start_time="2026-07-01T20:00", public=True, description="Tickets: https://example.org/t.")
    page = client.get(f"/events/{event['id']}").text
    assert '<h1 dir="auto">حفلة</h1>' in page
    assert '<a href="https://example.org/t" rel="nofollow ugc noopener noreferrer">https://example.org/t</a>.' in page
