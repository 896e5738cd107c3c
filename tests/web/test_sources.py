"""Following a calendar in a browser: paste, preview, follow, held back, accept; and what a guest sees of its events."""

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Page

from kalends.core.settings import Settings
from kalends.db import open_database
from tests.cast import Cast, a_calendar
from tests.sources.server import Elsewhere, a_feed, an_event_of_feed, events_of_feed
from tests.web.axe import violations
from tests.web.windows import HEIGHT, WIDE, Windows, go

PHONE = 390


@pytest.fixture
def elsewhere() -> Iterator[Elsewhere]:
    with Elsewhere() as server:
        yield server


@pytest.mark.parametrize("script", [True, False])
def test_a_calendar_is_pasted_looked_at_followed_held_back_and_accepted(
    people: Cast, windows: Windows, elsewhere: Elsewhere, folder: Path, script: bool
) -> None:
    jazz = an_event_of_feed("jazz@club.example", "Jazz night", "DTSTART:20990601T180000Z", "URL:https://club.example/jazz")
    others = [each.replace("DTSTART:2026", "DTSTART:2098") for each in events_of_feed(8)]
    elsewhere.says(a_feed(jazz, *others, head="X-WR-CALNAME:The Club\r\n"))
    calendar = a_calendar(people.alice, name="Town", public=True)
    page = windows.open(people.alice, script=script)
    go(page, f"{windows.url}/calendars/{calendar['id']}")
    page.get_by_role("link", name="Calendars from elsewhere").click()
    page.get_by_label("Address", exact=True).fill("https://")
    page.get_by_role("button", name="Look what’s there").click()
    assert page.get_by_role("alert").is_visible()
    page.get_by_label("Address", exact=True).fill(elsewhere.url)
    page.get_by_role("button", name="Look what’s there").click()
    assert page.get_by_text("9 events").is_visible()
    problems = violations(page, within="main") if script else []
    assert page.get_by_label("Name").input_value() == "The Club"
    page.get_by_label("Calendar", exact=True).select_option("Town")
    page.get_by_label("Everyone can see its events").check()
    page.get_by_role("button", name="Follow", exact=True).click()
    assert page.locator("strong.source.fresh").inner_text().strip() == "Up to date"
    assert re.search(r"Last fetched: .+ · 9 events · Next: ", page.locator("ul.rows").inner_text())
    problems += _problems(page) if script else []

    listed = people.alice.get("/api/events", query={"calendar_id": calendar["id"], "title": "Jazz night"}).json["events"]
    guest = windows.open(script=script)
    go(guest, f"{windows.url}/events/{listed[0]['id']}")
    origin = guest.get_by_role("link", name="The Club")
    assert origin.get_attribute("href") == "https://club.example/jazz"

    # The source is empty: the update is held back until it is accepted. The clock of the service is that of the wall.
    source = people.alice.get("/api/sources", query={"calendar_id": calendar["id"]}).json["sources"][0]
    with closing(open_database(Settings(data=str(folder)))) as db, db.write() as tx:
        tx.run("UPDATE sources SET checked_at = 0 WHERE id = :id", id=source["id"])
    elsewhere.says(a_feed(jazz))
    page.get_by_role("link", name="The Club").click()
    page.get_by_role("button", name="Fetch now").click()
    assert page.locator("strong.source.held").inner_text().strip() == "Needs a look"
    assert page.get_by_text(re.compile("Not updated since .+ · 9 events")).is_visible()
    assert page.locator("main").get_by_role("link", name="Town").get_attribute("href") == f"/calendars/{calendar['id']}"
    assert page.get_by_text("8 of 9 upcoming events are not there any more.").first.is_visible()
    problems += _problems(page) if script else []
    page.get_by_role("button", name="Accept the update").click()
    assert page.locator("strong.source.fresh").is_visible()
    left = people.alice.get("/api/events", query={"calendar_id": calendar["id"]}).json["events"]
    assert [each["title"] for each in left] == ["Jazz night"]
    assert not problems, "\n".join(problems)


def _problems(page: Page) -> list[str]:
    """What axe-core finds, and whether a phone has to scroll sideways."""
    # Without the notice of what was just done, which fades.
    go(page, page.url)
    problems = violations(page, within="main")
    page.set_viewport_size({"width": PHONE, "height": HEIGHT})
    if page.evaluate("document.documentElement.scrollWidth") > PHONE:
        problems.append(f"{page.url} is wider than a phone")
    page.set_viewport_size({"width": WIDE, "height": HEIGHT})
    return problems
