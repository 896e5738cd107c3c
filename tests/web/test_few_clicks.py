"""How many clicks and fields it takes to find an event and to respond to it."""

import re
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from playwright.sync_api import expect

from tests.cast import Cast, an_event
from tests.web.windows import Windows, go

PHONE = 390


def test_two_clicks_find_what_is_on_on_a_day_with_a_tag(windows: Windows, people: Cast) -> None:
    title, tomorrow = f"Trio {uuid4().hex}", (datetime.now(UTC) + timedelta(days=1)).date()
    for name, tag in [(title, "jazz"), (f"Other {title}", "lecture")]:
        an_event(people.alice, title=name, start_time=f"{tomorrow}T23:00Z", public=True, tag_list=tag)
    page = windows.open()
    go(page, "/")
    choices = page.get_by_role("navigation", name="Days and topics")
    choices.get_by_role("link", name="Tomorrow").click()
    choices.get_by_text("Topics").click()
    choices.get_by_role("link", name=re.compile(r"^jazz \d+$")).click()
    expect(page.get_by_role("link", name=title, exact=True)).to_be_visible()
    expect(page.get_by_role("link", name=f"Other {title}")).to_have_count(0)


def test_a_guest_responds_with_one_tap_and_two_fields(windows: Windows, people: Cast) -> None:
    event = an_event(people.alice, public=True, start_time="2040-06-01T20:00", description="A long text.\n" * 80)
    page = windows.open(width=PHONE, script=False)
    go(page, f"/events/{event['id']}")
    form = page.locator("form[action$='/respond']")
    going = form.get_by_text("Going", exact=True)
    expect(going).to_be_in_viewport()
    going.click()
    for label, text in [("Your name", "Gus"), ("Email", "gus@example.org")]:
        form.get_by_label(label).fill(text)
    form.get_by_role("button", name="I’m going").click()
    expect(page.get_by_text("You’re going")).to_be_visible()
    expect(page.get_by_role("link", name="Going", exact=True)).to_have_count(0)


def test_a_guest_who_lets_the_browser_fill_in_the_form_need_not_wait(windows: Windows, people: Cast) -> None:
    event = an_event(people.alice, public=True, start_time="2040-06-01T20:00")
    page = windows.open()
    go(page, f"/events/{event['id']}")
    by_hand = page.locator("form[action$='/respond'] input[name=by_hand]")
    expect(by_hand).to_have_value("")
    page.get_by_role("heading", level=1).click()
    expect(by_hand).to_have_value("1")
