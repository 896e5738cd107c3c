"""The page on which an address is followed: which calendar gets the events."""

import re
from typing import Any

import pytest

from tests.cast import Cast, a_calendar
from tests.client import Client, Reply
from tests.sources.server import Elsewhere, a_feed, events_of_feed, titles

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
