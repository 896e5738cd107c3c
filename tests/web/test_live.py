"""The calendar in two browsers: what one changes appears in the other by itself."""

import re
from pathlib import Path

from playwright.sync_api import expect

from tests.cast import Cast, a_calendar, an_event, shared
from tests.web.windows import Windows, go

GUIDE = Path(__file__).parents[2] / "docs" / "following-changes.md"
MONDAY, TUESDAY = "2026-05-11", "2026-05-12"


def test_a_change_in_one_browser_appears_in_the_other_without_a_reload(windows: Windows, people: Cast) -> None:
    calendar = a_calendar(people.alice)
    shared(people.alice, calendar, people.bob, "editor")
    event = an_event(people.alice, title="Gig", start_time=MONDAY, calendar_id=calendar["id"])
    alices, bobs = windows.open(people.alice), windows.open(people.bob)
    for page in (alices, bobs):
        go(page, f"/calendar?date={MONDAY}")
    alices.evaluate("document.body.dataset.loaded = 'once'")
    alices.locator(f"[data-day='{MONDAY}'] .entry").focus()
    bobs.locator(f"[data-day='{MONDAY}'] .entry").focus()
    bobs.keyboard.press("Shift+ArrowRight")
    expect(alices.locator(f"[data-day='{TUESDAY}'] .entry")).to_contain_text("Gig")
    expect(alices.locator(f"[data-day='{TUESDAY}'] .entry")).to_be_focused()
    assert people.alice.delete(f"/api/events/{event['id']}").status in (200, 204)
    expect(alices.locator(".entry")).to_have_count(0)
    expect(bobs.locator(".entry")).to_have_count(0)
    assert alices.evaluate("document.body.dataset.loaded") == "once"


def test_a_guest_sees_the_changes_of_a_public_calendar(windows: Windows, people: Cast) -> None:
    calendar = a_calendar(people.alice, public=True)
    page = windows.open()
    go(page, f"/calendar?date={MONDAY}&view=agenda&calendar_ids={calendar['id']}")
    expect(page.get_by_text("Gig")).to_have_count(0)
    an_event(people.alice, title="Gig", start_time=MONDAY, calendar_id=calendar["id"], public=True)
    expect(page.get_by_text("Gig").first).to_be_visible()


def test_the_javascript_example_of_following_changes_logs_each_change(windows: Windows, people: Cast) -> None:
    calendar = a_calendar(people.alice)
    [example] = re.findall(r"```js\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    script = example.replace("calendar_id=5", f"calendar_id={calendar['id']}")
    page = windows.open(people.alice)
    go(page, "/account")
    page.evaluate(f"{script}; new Promise(open => stream.onopen = open)")
    with page.expect_console_message() as logged:
        event = an_event(people.alice, calendar_id=calendar["id"])
    assert logged.value.text == f"put event {event['id']}"
