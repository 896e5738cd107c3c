"""The form of a new event: its card is shown while it is typed, and a draft stays in the tab until it is published."""

from playwright.sync_api import Page, expect

from tests.cast import Cast
from tests.web.windows import Windows, go


def _preview(page: Page, part: str) -> str:
    return page.locator(f"[data-card] [data-{part}]").inner_text()


def test_the_card_follows_the_form_and_the_line(windows: Windows, people: Cast) -> None:
    page = windows.open(people.alice)
    go(page, "/events/new?start_time=2030-03-12T20:00")
    page.get_by_label("Title").fill("Jazz <trio>")
    page.fill("[name=location]", "Le Sextant")
    assert (_preview(page, "title"), _preview(page, "place")) == ("Jazz <trio>", "Le Sextant")
    assert _preview(page, "time") == "Tuesday 12 March, 20:00–22:00"
    page.get_by_label("Describe it in one line").fill("Chess Friday 6pm at Café Central")
    expect(page.locator("[data-card] [data-title]")).to_have_text("Chess")
    expect(page.locator("[data-chips] a[href='#title']")).to_have_text("Chess")
    assert "18:00–20:00" in _preview(page, "time")


def test_a_draft_is_kept_until_it_is_published_or_discarded(windows: Windows, people: Cast) -> None:
    page = windows.open(people.alice)
    go(page, "/events/new")
    expect(page.get_by_text("Draft saved in this tab")).to_be_hidden()
    page.get_by_label("Title").fill("Half an idea")
    go(page, "/")
    go(page, "/events/new")
    expect(page.get_by_label("Title")).to_have_value("Half an idea")
    page.get_by_role("button", name="Discard draft").click()
    expect(page.get_by_label("Title")).to_have_value("")
    go(page, "/events/new")
    expect(page.get_by_label("Title")).to_have_value("")
    page.get_by_label("Title").fill("A whole one")
    page.fill("[name=start_time]", "2030-03-12")
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("A whole one")
    go(page, "/events/new")
    expect(page.get_by_label("Title")).to_have_value("")


def test_without_scripts_there_is_neither(windows: Windows, people: Cast) -> None:
    page = windows.open(people.alice, script=False)
    go(page, "/events/new")
    expect(page.locator("[data-card]")).to_be_hidden()
    expect(page.locator("[data-draft]")).to_be_hidden()
