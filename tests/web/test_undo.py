"""Undo, the history and the trash, in a browser."""

from playwright.sync_api import Page, expect

from tests.cast import Cast, an_event
from tests.web.windows import ON_PHONE_AND_LAPTOP, Windows, go


@ON_PHONE_AND_LAPTOP
def test_a_change_and_a_deletion_are_undone_by_a_click(windows: Windows, people: Cast, width: int, script: bool) -> None:
    event = an_event(people.alice, title="Concert", start_time="2027-06-01T20:00")
    page: Page = windows.open(people.alice, width=width, script=script)
    go(page, f"/events/{event['id']}/edit")
    page.get_by_label("Title").fill("Another title")
    page.get_by_role("button", name="Save").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Another title")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Concert")
    expect(page.locator(".notice")).to_contain_text("Change undone.")

    page.get_by_role("link", name="History").click()
    expect(page.get_by_text("Another title → Concert")).to_be_visible()

    go(page, f"/events/{event['id']}/delete")
    page.get_by_role("button", name="Delete event").click()
    expect(page.locator(".notice")).to_contain_text("Event moved to the trash.")
    go(page, "/trash")
    page.get_by_role("button", name="Restore").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Concert")
