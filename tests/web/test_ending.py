"""An event is cancelled and deleted in a dialog over its page; without scripts, on a page."""

import pytest
from playwright.sync_api import expect

from tests.cast import Cast, an_event
from tests.web.axe import violations
from tests.web.windows import Windows, go


@pytest.mark.parametrize("width", [390, 1280])
def test_a_dialog_asks_before_an_event_is_cancelled(windows: Windows, people: Cast, width: int) -> None:
    event = an_event(people.alice, title="Concert", start_time="2027-06-01T20:00", visibility="link")
    page = windows.open(people.alice, width=width)
    go(page, f"/events/{event['id']}")
    address = page.url
    page.get_by_text("More about this event").locator("..").click()
    page.get_by_role("link", name="Cancel event").click()
    dialog = page.get_by_role("dialog", name="Cancel “Concert”?")
    expect(dialog).to_be_visible()
    assert violations(page) == []
    dialog.get_by_role("link", name="Keep it").click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_text("More about this event").locator("..")).to_be_focused()
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Cancel event").click()
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    assert page.url == address
    page.get_by_text("More about this event").locator("..").click()
    page.get_by_role("link", name="Cancel event").click()
    dialog.get_by_label("Why?").fill("Flu")
    dialog.get_by_role("button", name="Cancel event").click()
    expect(page.locator(".notice")).to_contain_text("Event cancelled.")
    expect(page.locator("main")).to_contain_text("Flu")


def test_the_pages_that_ask_work_without_scripts(windows: Windows, people: Cast) -> None:
    event = an_event(people.alice, title="Concert", start_time="2027-06-01T20:00", visibility="link")
    page = windows.open(people.alice, script=False)
    go(page, f"/events/{event['id']}")
    page.get_by_text("More about this event").locator("..").click()
    page.get_by_role("link", name="Delete event").click()
    expect(page.get_by_role("heading", name="Delete “Concert”?")).to_be_visible()
    page.get_by_role("button", name="Delete event").click()
    expect(page.locator(".notice")).to_contain_text("Event moved to the trash.")
