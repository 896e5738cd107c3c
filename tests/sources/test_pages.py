"""The pages of what is followed: which calendar gets the events, and how it is in words."""

import re
from html import unescape
from typing import Any

import pytest

from kalends.features.sources.rules.interval import PAUSED_AFTER
from tests.cast import Cast, a_calendar
from tests.client import Client, Reply
from tests.conftest import Clock
from tests.sources.server import Elsewhere, a_feed, an_event_of_feed, events_of_feed, follow, refresh, titles

pytestmark = pytest.mark.on_one_database


def _look_up(who: Client, calendar_id: int, url: str) -> tuple[Reply, dict[str, Any]]:
    """The page of the preview, and the values of its form."""
    preview = who.post(f"/calendars/{calendar_id}/sources/preview", data={"url": url})
    assert preview.status == 200, preview
    typed = dict(re.findall(r'<input[^>]* name="(address|name)"[^>]* value="([^"]*)"', preview.text))
    chosen = re.search(r'<select id="into" name="into">\s*<option value="([^"]*)" selected>', preview.text)
    assert chosen
    return preview, typed | {"into": chosen[1], "public": "false"}


def _calendars(who: Client) -> dict[str, dict[str, Any]]:
    return {each["name"]: each for each in who.get("/api/calendars").json["calendars"]}


def _words(who: Client, path: str) -> str:
    """What the page says, without its markup."""
    page = who.get(path)
    assert page.status == 200, page
    main = page.text.partition("<main")[2].partition("</main>")[0]
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", main)).split())


def test_a_source_that_fails_says_since_when_why_and_what_to_do(people: Cast, elsewhere: Elsewhere, clock: Clock) -> None:
    elsewhere.says(
        a_feed(*events_of_feed(2), an_event_of_feed("s@club.example", "Choir", "DTSTART:20260701T180000Z", "RRULE:FREQ=DAILY;COUNT=3"))
    )
    source = follow(people.alice, elsewhere, calendar_id=a_calendar(people.alice, name="Town")["id"], name="The Club")
    pages = [f"/calendars/{source['calendar_id']}/sources", f"/sources/{source['id']}"]
    for path in pages:
        assert re.search(r"Last fetched: \d.+ · 5 events · Next: ", _words(people.alice, path))
    elsewhere.says("", 404)
    clock.ahead(3600)
    assert refresh(people.alice, source).json["state"] == "failed"
    for path in pages:
        words = _words(people.alice, path)
        assert "Can’t be fetched" in words
        assert re.search(r"Not updated since \d.+ · 5 events · Next: ", words)
        assert (
            "There is nothing at this address any more (status 404). Its events stay as they are, and it is tried again. "
            "If this goes on, check the address, or stop following it."
        ) in words
    clock.ahead(PAUSED_AFTER)
    refresh(people.alice, source)
    for path in pages:
        words = _words(people.alice, path)
        assert "Paused" in words
        assert "It couldn’t be fetched for seven days, so it is paused. Its events stay as they are." in words


def test_the_list_says_that_an_update_was_held_back_and_nothing_changed(people: Cast, elsewhere: Elsewhere, clock: Clock) -> None:
    elsewhere.says(a_feed(*events_of_feed(1)))
    source = follow(people.alice, elsewhere, calendar_id=a_calendar(people.alice, name="Town")["id"], name="The Club")
    elsewhere.says(a_feed())
    clock.ahead(3600)
    assert refresh(people.alice, source).json["state"] == "held"
    words = _words(people.alice, f"/calendars/{source['calendar_id']}/sources")
    assert "The last update was held back. The calendar is empty now. Nothing was changed." in words
    assert "Needs a look" in words
    assert re.search(r"Not updated since \d.+ · 1 event · Next: ", words)


def test_a_source_is_followed_on_a_new_private_calendar_of_its_own_by_default(people: Cast, elsewhere: Elsewhere) -> None:
    elsewhere.says(a_feed(*events_of_feed(2), head="X-WR-CALNAME:School\r\n"))
    (primary,) = _calendars(people.alice).values()
    preview, typed = _look_up(people.alice, primary["id"], elsewhere.url)
    assert re.findall(r"<option [^>]*>([^<]*)</option>", preview.text) == ["New calendar with this name", "Personal"]
    reply = people.alice.post(f"/calendars/{primary['id']}/sources", data=typed)
    school = _calendars(people.alice)["School"]
    assert reply.redirect == (f"/calendars/{school['id']}/sources", "followed")
    assert (school["public"], school["color"] == primary["color"]) == (False, False)
    assert titles(people.alice, {"calendar_id": school["id"]}) == ["gig 0", "gig 1"]
    assert titles(people.alice, {"calendar_id": primary["id"]}) == []


def test_a_source_is_followed_on_the_chosen_calendar(people: Cast, elsewhere: Elsewhere) -> None:
    elsewhere.says(a_feed(*events_of_feed(1)))
    town, other = a_calendar(people.alice, name="Town"), a_calendar(people.alice, name="Other")
    _, typed = _look_up(people.alice, other["id"], elsewhere.url)
    reply = people.alice.post(f"/calendars/{other['id']}/sources", data=typed | {"into": town["id"]})
    assert reply.redirect == (f"/calendars/{town['id']}/sources", "followed")
    assert titles(people.alice, {"calendar_id": town["id"]}) == ["gig 0"]
    theirs = a_calendar(people.bob, name="Theirs")
    refused = people.alice.post(f"/calendars/{other['id']}/sources", data=typed | {"into": theirs["id"]})
    assert refused.status == 404


@pytest.mark.parametrize("path", ["sources", "sources/imports"])
def test_nothing_is_left_when_following_or_importing_fails(people: Cast, elsewhere: Elsewhere, path: str) -> None:
    elsewhere.says(a_feed(*events_of_feed(1)))
    (primary,) = _calendars(people.alice).values()
    _, typed = _look_up(people.alice, primary["id"], elsewhere.url)
    elsewhere.says("Moved away")
    assert people.alice.post(f"/calendars/{primary['id']}/{path}", data=typed).status == 422
    assert list(_calendars(people.alice).values()) == [primary]
    assert people.alice.get("/api/sources").json["sources"] == []


def test_a_calendar_is_imported_once_into_a_new_calendar(people: Cast, elsewhere: Elsewhere) -> None:
    elsewhere.says(a_feed(*events_of_feed(1), head="X-WR-CALNAME:School\r\n"))
    (primary,) = _calendars(people.alice).values()
    _, typed = _look_up(people.alice, primary["id"], elsewhere.url)
    assert people.alice.post(f"/calendars/{primary['id']}/sources/imports", data=typed).status == 200
    assert titles(people.alice, {"calendar_id": _calendars(people.alice)["School"]["id"]}) == ["gig 0"]
    assert titles(people.alice, {"calendar_id": primary["id"]}) == []
