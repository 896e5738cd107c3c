"""The calendar as a window: a month that fits, the card of a new event, and what a reader finds beside it."""

from playwright.sync_api import expect

from tests.cast import Cast, an_event
from tests.web.windows import HEIGHT, Windows, go

# Six weeks, from a Sunday on.
MONTH = "2037-08-05"
BOTTOM = "() => document.querySelector('table.month').getBoundingClientRect().bottom"


def test_a_month_of_six_weeks_fits_into_the_window(windows: Windows, people: Cast) -> None:
    for number in range(4):
        an_event(people.alice, title=f"Rehearsal {number}", start_time=f"{MONTH}T{10 + number}:00")
    page = windows.open(people.alice)
    go(page, f"/calendar?date={MONTH}")
    # The banner is there until the address is confirmed.
    expect(page.get_by_text("Confirm your email address.")).to_be_visible()
    expect(page.locator("table.month tbody tr")).to_have_count(6)
    assert page.evaluate(BOTTOM) <= HEIGHT


def test_the_plus_of_a_day_opens_the_card_of_a_new_event_with_the_default_of_the_form(windows: Windows, people: Cast) -> None:
    page = windows.open(people.alice)
    go(page, f"/calendar?date={MONTH}")
    day = page.locator(f"[data-day='{MONTH}']")
    day.hover()
    day.get_by_role("link", name="New event").click()
    card = page.get_by_role("dialog", name="New event")
    expect(card.get_by_label("Title")).to_be_focused()
    expect(card.get_by_label("Calendar").locator("option").first).to_have_text("Personal")
    expect(card).to_contain_text("Anyone with the link can see it.")
    card.get_by_label("Title").fill("Haircut")
    card.get_by_role("button", name="Save").click()
    expect(page.locator(".entry", has_text="Haircut")).to_be_visible()
    [event] = people.alice.get("/api/events?text=Haircut").json["events"]
    assert people.alice.get(f"/api/events/{event['id']}").json["visibility"] == "link"


def test_the_rail_leads_to_new_calendars_and_to_calendars_to_follow(windows: Windows, people: Cast) -> None:
    page = windows.open(people.alice)
    go(page, "/calendar")
    rail = page.get_by_role("complementary", name="Dates and calendars")
    expect(rail.get_by_role("link", name="New calendar")).to_have_attribute("href", "/calendars/new")
    rail.get_by_role("link", name="Follow another calendar").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Calendars from elsewhere")


def test_the_form_says_in_words_when_the_event_is(windows: Windows, people: Cast) -> None:
    page = windows.open(people.alice)
    go(page, f"/events/new?start_time={MONTH}T19:00")
    words = page.locator("[data-words]")
    expect(words).to_have_text("Wednesday, 5 August 2037, 19:00–21:00")
    page.get_by_label("Start time").fill("20:30")
    page.get_by_label("Start time").blur()
    expect(words).to_have_text("Wednesday, 5 August 2037, 20:30–22:30")
    page.get_by_label("Start time").fill("")
    page.get_by_label("End time").fill("")
    expect(words).to_have_text("Wednesday, 5 August 2037")
