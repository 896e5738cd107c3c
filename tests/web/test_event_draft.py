"""The form of a new event: its card is shown while it is typed, and a draft stays in the tab until it is published."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.cast import Cast, an_event
from tests.pictures.files import SMALL_PICTURE
from tests.web.windows import Windows, go

# From the title to the button on a phone, in pixels.
FOLDED = 1_050


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


def test_a_line_that_repeats_shows_so_in_the_card_and_the_form(windows: Windows, people: Cast) -> None:
    page = windows.open(people.alice)
    go(page, "/events/new")
    page.get_by_label("Describe it in one line").fill("Choir practice every Tuesday 7pm at St John's")
    expect(page.locator("[data-card] [data-title]")).to_have_text("Choir practice")
    expect(page.locator("[data-card] [data-repeat]")).to_have_text("Weekly on Tuesday")
    expect(page.locator("[data-chips] a[href='#repeat']")).to_have_text("Every Tuesday")
    # The options open for whoever follows it.
    expect(page.get_by_role("radio", name="Weekly on Tuesday")).to_be_hidden()
    page.locator("[data-chips] a[href='#repeat']").click()
    expect(page.get_by_role("radio", name="Weekly on Tuesday")).to_be_visible()
    expect(page.get_by_role("radio", name="Weekly on Tuesday")).to_be_checked()
    expect(page.locator("[data-dates] li")).not_to_have_count(0)
    # The draft keeps it.
    go(page, "/")
    go(page, "/events/new")
    expect(page.get_by_role("radio", name="Weekly on Tuesday")).to_be_checked()
    expect(page.locator("[data-card] [data-repeat]")).to_have_text("Weekly on Tuesday")
    page.get_by_label("Describe it in one line").fill("Every body dance Friday 8pm")
    expect(page.locator("[data-card] [data-title]")).to_have_text("Every body dance")
    expect(page.locator("[data-card] [data-repeat]")).to_have_text("")
    page.get_by_label("Describe it in one line").fill("Choir practice every Tuesday 7pm at St John's")
    expect(page.locator("[data-card] [data-repeat]")).to_have_text("Weekly on Tuesday")
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Choir practice")
    event_id = page.url.rpartition("/")[2].partition("-")[0]
    assert people.alice.get(f"/api/events/{event_id}").json["repeat"]["rrule"] == "FREQ=WEEKLY"


def test_the_card_has_the_clock_of_the_readers_region(windows: Windows, people: Cast) -> None:
    page = windows.open(people.alice, locale="en-US")
    go(page, "/events/new?start_time=2030-03-12T20:00")
    expect(page.locator("[data-card] [data-time]")).to_have_text("Tuesday 12 March, 8:00 pm–10:00 pm")
    expect(page.locator("[data-words]")).to_contain_text("8:00")


def test_a_draft_is_kept_until_it_is_published_or_discarded(windows: Windows, people: Cast) -> None:
    page = windows.open(people.alice)
    go(page, "/events/new")
    expect(page.get_by_text("Draft saved in this tab")).to_be_hidden()
    page.get_by_label("Title").fill("Half an idea")
    page.fill("[name=start_time]", "2030-03-12")
    go(page, "/")
    go(page, "/events/new")
    expect(page.get_by_label("Title")).to_have_value("Half an idea")
    expect(page.locator("[data-words]")).to_contain_text("12 March 2030")
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


def test_the_card_shows_the_picture(windows: Windows, people: Cast) -> None:
    page = windows.open(people.alice)
    go(page, "/events/new")
    page.get_by_text("More options").first.click()
    page.set_input_files("[name=file]", {"name": "a.png", "mimeType": "image/png", "buffer": SMALL_PICTURE})
    expect(page.locator("[data-card] img")).to_have_attribute("src", re.compile("^data:image/png"))
    expect(page.locator("[data-card] img")).to_be_visible()


def test_the_form_fits_a_phone_and_suggests_earlier_locations(windows: Windows, people: Cast) -> None:
    for location in ("Le Sextant, Paris", "Café Lotte", "Le Sextant, Paris"):
        an_event(people.alice, location=location)
    an_event(people.bob, location="Elsewhere")
    page = windows.open(people.alice, width=390)
    go(page, "/events/new")
    locations = page.locator("#locations option").evaluate_all("all => all.map(each => each.value)")
    assert locations == ["Le Sextant, Paris", "Café Lotte"]
    # What it takes: title, when, where, who; the rest is folded.
    button = page.get_by_role("button", name="Publish").bounding_box()
    title = page.get_by_role("heading", level=1).bounding_box()
    assert button is not None
    assert title is not None
    assert button["y"] - title["y"] < FOLDED
    assert page.get_by_label("Visibility").count() == 0


@pytest.mark.parametrize(("language", "line"), [("de", "Abendessen morgen 20 Uhr"), ("fr", "Dîner demain 20h"), ("ja", "夕食 明日20時")])
def test_the_line_is_read_in_the_language_of_the_page(windows: Windows, people: Cast, language: str, line: str) -> None:
    page = windows.open(people.alice, locale=language)
    go(page, "/events/new")
    expect(page.locator("html")).to_have_attribute("lang", language)
    page.locator("#line").fill(line)
    expect(page.locator("[data-chips] a[href='#start_clock']")).to_contain_text("20:00")
    expect(page.locator("[name=title]")).to_have_value(line.split()[0])
    expect(page.locator("[name=start_clock]")).to_have_value("20:00")


@pytest.mark.parametrize("script", [True, False], ids=["with scripts", "without scripts"])
def test_the_rule_of_a_line_is_published(windows: Windows, people: Cast, script: bool) -> None:
    page = windows.open(people.alice, script=script)
    go(page, "/events/new")
    page.get_by_label("Describe it in one line").fill("Yoga every 2 weeks until the cows come home tomorrow 7pm")
    if not script:
        page.get_by_role("button", name="Fill in the form").click()
    expect(page.locator("[data-unread]")).to_contain_text("“until the”")
    page.get_by_label("Describe it in one line").fill("Choir practice every other Tuesday and Thursday 7pm 10 times")
    if not script:
        page.get_by_role("button", name="Fill in the form").click()
    expect(page.locator("[data-chips] a[href='#repeat']")).to_have_text("Every 2 weeks on Tuesday and Thursday, 10 times")
    expect(page.locator("[data-unread]")).to_be_empty()
    if script:
        expect(page.locator("[data-card] [data-repeat]")).to_have_text("Every 2 weeks on Tuesday and Thursday, 10 times")
        # The draft keeps it.
        go(page, "/")
        go(page, "/events/new")
        expect(page.locator("[data-card] [data-repeat]")).to_have_text("Every 2 weeks on Tuesday and Thursday, 10 times")
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Choir practice")
    event_id = page.url.rpartition("/")[2].partition("-")[0]
    assert people.alice.get(f"/api/events/{event_id}").json["repeat"]["rrule"] == "FREQ=WEEKLY;INTERVAL=2;COUNT=10;BYDAY=TU,TH"


def test_the_card_says_until_when_an_event_repeats(windows: Windows, people: Cast) -> None:
    page = windows.open(people.alice)
    go(page, "/events/new")
    page.get_by_label("Describe it in one line").fill("Yoga every Tuesday at 7pm until 20 December 2030")
    expect(page.locator("[data-card] [data-repeat]")).to_have_text("Every week on Tuesday until 20 December 2030")


def test_without_scripts_there_is_neither(windows: Windows, people: Cast) -> None:
    page = windows.open(people.alice, script=False)
    go(page, "/events/new")
    expect(page.locator("[data-card]")).to_be_hidden()
    expect(page.locator("[data-draft]")).to_be_hidden()
