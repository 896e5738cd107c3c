"""RSS and Atom keep the rules of their formats (RSS 2.0.11, RFC 4287), whatever people wrote and whatever the filter."""

from datetime import datetime
from email.utils import parsedate_to_datetime
from urllib.parse import parse_qs, urlencode, urlsplit
from uuid import uuid4
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cast import Cast, a_calendar, an_event
from tests.client import Client

ATOM = "{http://www.w3.org/2005/Atom}"
FEEDS = {"/feed.xml": "application/rss+xml; charset=utf-8", "/atom.xml": "application/atom+xml; charset=utf-8"}
# The elements that a parent must have once, and those that it may have.
RSS_RULES = {
    "channel": ({"title", "link", "description"}, {"item", f"{ATOM}link"}),
    "item": ({"title", "link", "guid", "pubDate"}, {"description", "category"}),
}
ATOM_RULES = {
    "feed": ({"id", "title", "updated", "author"}, {"subtitle", "link", "entry"}),
    "entry": ({"id", "title", "updated"}, {"link", "summary", "category"}),
}


def _get(client: Client, path: str) -> ElementTree.Element:
    reply = client.get(path)
    assert (reply.status, reply.headers["Content-Type"]) == (200, FEEDS[urlsplit(path).path])
    return ElementTree.fromstring(reply.content)  # noqa: S314


def _check_children(parent: ElementTree.Element, required: set[str], optional: set[str]) -> None:
    names = [child.tag for child in parent]
    assert all(names.count(name) == 1 for name in required), names
    assert set(names) <= required | optional, names


def _check_rss(feed: ElementTree.Element, url: str) -> None:
    assert (feed.tag, feed.attrib["version"], [child.tag for child in feed]) == ("rss", "2.0", ["channel"])
    [channel] = feed
    _check_children(channel, *RSS_RULES["channel"])
    [own] = channel.iter(f"{ATOM}link")
    assert (own.attrib["rel"], _key(own.attrib["href"])) == ("self", _key(url))
    for item in channel.iter("item"):
        _check_children(item, *RSS_RULES["item"])
        guid, date = item.find("guid"), item.findtext("pubDate")
        assert guid is not None
        assert guid.attrib == {"isPermaLink": "true"}
        assert urlsplit(guid.text or "").scheme == "http"
        assert parsedate_to_datetime(date or "").utcoffset() is not None
    guids = [item.findtext("guid") for item in channel.iter("item")]
    assert len(guids) == len(set(guids))


def _check_atom(feed: ElementTree.Element, url: str) -> None:
    assert feed.tag == f"{ATOM}feed"
    _check_children(feed, *({f"{ATOM}{name}" for name in names} for names in ATOM_RULES["feed"]))
    links = {link.attrib["rel"]: link.attrib["href"] for link in feed.findall(f"{ATOM}link")}
    assert set(links) == {"self", "alternate"}
    assert _key(links["self"]) == _key(url)
    assert feed.findtext(f"{ATOM}author/{ATOM}name")
    entries = feed.findall(f"{ATOM}entry")
    for entry in entries:
        _check_children(entry, *({f"{ATOM}{name}" for name in names} for names in ATOM_RULES["entry"]))
        [link] = entry.findall(f"{ATOM}link")
        assert link.attrib["rel"] == "alternate"
    for element in (feed, *entries):
        assert urlsplit(element.findtext(f"{ATOM}id") or "").scheme == "http"
        assert datetime.fromisoformat(element.findtext(f"{ATOM}updated") or "").utcoffset() is not None
    ids = [entry.findtext(f"{ATOM}id") for entry in entries]
    assert len(ids) == len(set(ids))


def _key(url: str) -> tuple[str, dict[str, list[str]]]:
    parts = urlsplit(url)
    return parts.path, parse_qs(parts.query)


@pytest.mark.on_one_database
@given(st.text(min_size=1, max_size=30), st.text(max_size=30))
def test_feeds_are_valid_whatever_people_wrote(cast: Cast, title: str, place: str) -> None:
    calendar = a_calendar(cast.alice, public=True)["id"]
    fields = {"title": f"{title}.", "location": place, "tag_list": title, "calendar_id": calendar, "public": True}
    reply = cast.alice.post("/api/events", json=fields | {"start_time": "2026-06-01T20:00"})
    if reply.status == 201:
        for path, check, item in (("/feed.xml", _check_rss, "item"), ("/atom.xml", _check_atom, f"{ATOM}entry")):
            url = f"{path}?calendar_id={calendar}"
            feed = _get(cast.anonymous, url)
            check(feed, url)
            assert len(list(feed.iter(item))) == 1


@pytest.mark.parametrize(
    "filters", [{}, {"text": 'caf\u00e9-jazz "a b"'}, {"tags": "a,b", "city": "K\u00f6ln"}, {"online": "1", "when": "weekend"}], ids=str
)
def test_every_filter_of_the_start_page_can_be_followed(cast: Cast, client: Client, filters: dict[str, str]) -> None:
    an_event(cast.alice, title="Trio", public=True, start_time="2027-06-01T20:00")
    query = urlencode(filters)
    page = client.get(f"/?{query}").text.replace("&amp;", "&")
    for path, check in (("/feed.xml", _check_rss), ("/atom.xml", _check_atom)):
        [url, *others] = [each for each in page.split('href="') if each.startswith(f"http://testserver{path}")]
        assert len(others) == 1
        url = url.partition('"')[0].removeprefix("http://testserver")
        assert _key(url) == _key(f"{path}?{query}")
        check(_get(client, url), url)
    [webcal] = [each.partition('"')[0] for each in page.split('href="') if each.startswith("webcal:")]
    assert webcal.startswith("webcal://testserver/api/events.ics")
    calendar = client.get(webcal.removeprefix("webcal://testserver"))
    assert (calendar.status, calendar.headers["Content-Type"]) == (200, "text/calendar; charset=utf-8")
    assert urlencode({"cid": webcal}) in page
    assert urlencode({"url": webcal.replace("webcal:", "http:")}) in page


def test_a_public_calendar_has_feeds_of_its_own_and_a_private_one_none(cast: Cast, client: Client) -> None:
    name = uuid4().hex
    public, private = a_calendar(cast.alice, public=True), a_calendar(cast.alice)
    an_event(cast.alice, title=f"On it {name}", calendar_id=public["id"], public=True)
    an_event(cast.alice, title=f"Elsewhere {name}", calendar_id=private["id"], public=True)
    for path in FEEDS:
        assert f'href="http://testserver{path}?calendar_id={public["id"]}"' in client.get(f"/calendars/{public['id']}").text
        text = client.get(f"{path}?calendar_id={public['id']}").text
        assert (f"On it {name}" in text, f"Elsewhere {name}" in text) == (True, False)
        assert client.get(f"{path}?calendar_id={private['id']}").status == 404
        assert path not in cast.alice.get(f"/calendars/{private['id']}").text.partition("<footer")[0]
