"""An event is published with one line and one click; without scripts, the line comes back as a form."""

from datetime import date, timedelta

import pytest
from playwright.sync_api import Page, expect

from tests.cast import Cast, an_event
from tests.web.windows import Windows, go

LINE = "Jazz trio tomorrow 8pm at Le Sextant"


@pytest.mark.parametrize("script", [True, pytest.param(False, marks=pytest.mark.soak)], ids=["with scripts", "without scripts"])
def test_one_line_and_one_click_publish_an_event(windows: Windows, people: Cast, script: bool) -> None:
    page = windows.open(people.alice, script=script)
    go(page, "/events/new")
    page.get_by_label("Describe it in one line").fill(LINE)
    if not script:
        page.get_by_role("button", name="Fill in the form").click()
    expect(page.locator("[data-chips]")).to_contain_text("20:00–22:00")
    expect(page.locator("[name=title]")).to_have_value("Jazz trio")
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Jazz trio")
    [event] = people.alice.get("/api/events").json["events"]
    detail = people.alice.get(f"/api/events/{event['id']}").json
    assert (detail["location"], detail["visibility"]) == ("Le Sextant", "link")
    assert (detail["start_time"][11:16], detail["end_time"][11:16]) == ("20:00", "22:00")
    guest = windows.open()
    go(guest, "/e/" + detail["link_url"].rpartition("/")[2])
    expect(guest.get_by_role("heading", level=1)).to_have_text("Jazz trio")


def test_the_end_moves_with_the_start(windows: Windows, people: Cast) -> None:
    page = windows.open(people.alice)
    go(page, "/events/new?start_time=2030-03-12T20:00")
    page.fill("[name=start_clock]", "23:00")
    _expect_end(page, date(2030, 3, 12) + timedelta(days=1), "01:00")
    page.fill("[name=start_time]", "2030-03-20")
    _expect_end(page, date(2030, 3, 21), "01:00")
    page.fill("[name=start_clock]", "20:00")
    _expect_end(page, None, "22:00")


def test_the_end_moves_with_the_start_of_an_event_that_is_edited(windows: Windows, people: Cast) -> None:
    event = an_event(people.alice, start_time="2030-03-12T14:00", end_time="2030-03-12T16:00")
    page = windows.open(people.alice)
    go(page, f"/events/{event['id']}/edit")
    page.fill("[name=start_clock]", "18:00")
    expect(page.locator("[name=end_clock]")).to_have_value("20:00")
    expect(page.get_by_text("The end has moved along with the start.")).to_be_visible()
    page.get_by_role("button", name="Save").first.click()
    expect(page.locator(".notice")).to_be_visible()
    times = people.alice.get(f"/api/events/{event['id']}").json
    assert (times["start_time"][11:16], times["end_time"][11:16]) == ("18:00", "20:00")


def _expect_end(page: Page, day: date | None, clock: str) -> None:
    expect(page.locator("[name=end_time]")).to_have_value(day.isoformat() if day else "")
    expect(page.locator("[name=end_clock]")).to_have_value(clock)
