"""The calendar page in a browser: the keyboard, shortcuts, new events, cards, calendars that are switched, and phones."""

import re
from datetime import UTC, datetime

from playwright.sync_api import Page, expect

from tests.cast import Cast, a_calendar, an_event
from tests.web.axe import COLOURS, EVERYTHING, violations
from tests.web.test_dragging import HOUR, MONDAY, TUESDAY, an_evening, box, drag, entry, times
from tests.web.windows import Windows, go

PHONE = 390
# The day in focus, or the title of the event.
FOCUSED = """() => { const link = document.activeElement;
  return link.matches('.date') ? link.closest('[data-day]').dataset.day : link.querySelector('span')?.textContent.trim() }"""

# How the text of a bar is drawn on the days on which it goes on: its end, its colours and its opacity.
BARS = """() => [...document.querySelectorAll('.cell .entry.goes-on')].map(bar => {
  const style = getComputedStyle(bar);
  return [style.textOverflow, style.forcedColorAdjust, getComputedStyle(bar.querySelector('span')).opacity];
})"""


def focused(page: Page, *keys: str) -> str:
    """What is in focus after these keys."""
    for key in keys:
        page.keyboard.press(key)
    return str(page.evaluate(FOCUSED))


def test_arrow_keys_walk_through_a_month_that_is_one_tab_stop(looks: Windows, people: Cast) -> None:
    an_event(people.alice, title="Gig", start_time=f"{TUESDAY}T18:00", time_zone="UTC")
    page = looks.cached(people.alice)
    go(page, f"/calendar?date={MONDAY}")
    page.locator(".views [aria-current]").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert focused(page) == MONDAY
    assert page.locator("#calendar [tabindex='0']").count() == 1
    assert focused(page, "ArrowRight") == TUESDAY
    assert focused(page, "ArrowDown") == "18:00 Gig"
    assert focused(page, "Escape") == TUESDAY
    assert focused(page, "ArrowDown", "ArrowDown") == "2026-05-19"
    assert focused(page, "ArrowUp") == "18:00 Gig"
    assert focused(page, "ArrowLeft") == MONDAY
    assert focused(page, "End") == "2026-05-17"
    assert focused(page, "Home") == MONDAY
    with page.expect_navigation():
        page.keyboard.press("PageDown")
    assert focused(page) == "2026-06-11"
    with page.expect_navigation():
        page.keyboard.press("PageUp")
    assert focused(page) == MONDAY
    # The next tab stop is outside of the grid.
    page.keyboard.press("Tab")
    assert not page.evaluate("() => document.activeElement.closest('#calendar') !== null")
    page.keyboard.press("Shift+Tab")
    assert focused(page) == MONDAY
    with page.expect_navigation(url=f"**/calendar?view=day&date={MONDAY}*"):
        page.keyboard.press("Enter")


def test_an_event_is_stretched_by_keyboard(looks: Windows, people: Cast) -> None:
    event = an_evening(people.alice)
    days = an_event(people.alice, title="Fair", start_time=MONDAY)
    page = looks.cached(people.alice)
    go(page, f"/calendar?view=week&date={MONDAY}&time_zone=Europe/Paris")
    entry(page).focus()
    top = page.evaluate("() => scrollY")
    page.keyboard.press("+")
    expect(page.get_by_role("status")).to_contain_text("Now ends at Monday 11 May at 19:15.")
    expect(entry(page)).to_be_focused()
    page.keyboard.press("-")
    expect(page.get_by_role("status")).to_contain_text("Now ends at Monday 11 May at 19:00.")
    assert times(people.alice, event)[1] == f"{MONDAY}T19:00"
    entry(page, "Fair").focus()
    page.keyboard.press("+")
    expect(page.locator(f"[data-day='{TUESDAY}'] .all-day .entry")).to_have_count(1)
    assert times(people.alice, days)[1] == TUESDAY
    assert page.evaluate("() => scrollY") == top


def test_shortcuts_lead_through_the_calendar_and_can_be_switched_off(windows: Windows, people: Cast) -> None:
    page = windows.open(people.alice)
    go(page, f"/calendar?date={MONDAY}")
    today = datetime.now(UTC).date()
    steps = [("w", "week", MONDAY), ("j", "week", "2026-05-18"), ("k", "week", MONDAY), ("d", "day", MONDAY), ("a", "agenda", MONDAY)]
    for key, view, date in [*steps, ("m", "month", MONDAY), ("t", "month", str(today)[:8])]:
        with page.expect_navigation(url=f"**/calendar?view={view}&date={date}*"):
            page.keyboard.press(key)
    page.keyboard.press("/")
    expect(page.locator("#find")).to_be_focused()
    # One letter is no search yet, whose results would cover the heading.
    page.keyboard.type("j")
    expect(page.locator("#find")).to_have_value("j")
    page.locator("h1").click()
    page.keyboard.press("n")
    expect(page.locator("#quick").get_by_label("Title")).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(dialog).to_be_visible()
    assert violations(page, EVERYTHING, "#keys") == []
    dialog.get_by_label("Use single-key shortcuts").uncheck()
    dialog.get_by_role("button", name="Close").click()
    page.keyboard.press("w")
    page.keyboard.press("?")
    expect(dialog).to_be_hidden()
    page.reload()
    assert focused(page, "w", "?") is not None
    expect(dialog).to_be_hidden()
    assert "view=month" in page.url
    page.get_by_role("button", name="Keyboard shortcuts").click()
    dialog.get_by_label("Use single-key shortcuts").check()
    dialog.get_by_role("button", name="Close").click()
    with page.expect_navigation(url="**/calendar?view=week*"):
        page.keyboard.press("w")


def test_free_time_and_free_days_become_an_event(looks: Windows, people: Cast) -> None:
    page = looks.cached(people.alice)
    go(page, f"/calendar?view=week&date={MONDAY}&time_zone=Europe/Paris")
    column = box(page.locator(f"[data-day='{TUESDAY}'] .blocks"))
    start = (column["x"] + 20, column["y"] + 10.1 * HOUR)
    drag(page, start, (start[0], start[1] + 1.25 * HOUR))
    line = page.locator("#quick").get_by_label("Title")
    expect(line).to_be_focused()
    time = page.locator("#quick [data-when]")
    expect(time).to_contain_text("12 May 2026, 10:00–11:30")
    expect(page.locator(f"[data-day='{TUESDAY}'] .drawn")).to_have_count(1)
    expect(page.locator("#quick")).to_contain_text("Anyone with the link can see it.")
    assert violations(page, EVERYTHING, "#quick") == []
    page.keyboard.type("Jazz trio")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_contain_text("Saved: Jazz trio.")
    expect(page.locator(".drawn")).to_have_count(0)
    expect(page.locator(f"[data-day='{TUESDAY}'] .entry")).to_contain_text("10:00 Jazz trio")
    [event] = people.alice.get("/api/events").json["events"]
    detail = people.alice.get(f"/api/events/{event['id']}").json
    assert (detail["time_zone"], detail["visibility"]) == ("Europe/Paris", "link")
    go(page, f"/calendar?date={MONDAY}")
    first, last = (box(page.locator(f"[data-day='2026-05-{day}']")) for day in (28, 31))
    drag(page, (first["x"] + 40, first["y"] + 90), (last["x"] + 40, last["y"] + 90))
    expect(time).to_have_text(re.compile(r"28\s*–\s*31 May 2026"))
    page.keyboard.type("Fair")
    page.get_by_role("button", name="More options").click()
    page.wait_for_url("**/events/quick")
    expect(page.locator("[name=title]")).to_have_value("Fair")
    expect(page.locator("[name=start_time]")).to_have_value("2026-05-28")
    expect(page.locator("[name=end_time]")).to_have_value("2026-05-31")
    go(page, f"/calendar?view=week&date={MONDAY}&time_zone=Europe/Paris")
    page.locator(f"[data-day='{MONDAY}'] .blocks").click(position={"x": 40, "y": 9.3 * HOUR})
    expect(time).to_have_text("11 May 2026, 09:15")
    page.keyboard.press("Escape")
    expect(line).to_be_hidden()
    page.locator(f"[data-day='{MONDAY}'] .add").press("Enter")
    expect(time).to_have_text("11 May 2026")


def test_in_other_languages_the_time_stands_beside_the_title(looks: Windows, people: Cast) -> None:
    page = looks.open(people.alice, locale="de-DE")
    go(page, f"/calendar?view=week&date={MONDAY}&time_zone=Europe/Paris")
    page.locator(f"[data-day='{MONDAY}'] .blocks").click(position={"x": 40, "y": 9.3 * HOUR})
    expect(page.locator("#quick [data-when]")).to_contain_text("11.05.2026, 09:15")
    page.keyboard.type("Zahnarzt")
    page.locator("#quick button").first.click()
    expect(page.locator(f"[data-day='{MONDAY}'] .entry")).to_contain_text("Zahnarzt")
    [event] = people.alice.get("/api/events").json["events"]
    assert (event["title"], event["start_time"][:16]) == ("Zahnarzt", "2026-05-11T09:15")


def test_a_card_shows_an_event_and_leads_to_it(looks: Windows, people: Cast) -> None:
    event = an_evening(people.alice, location="Le Sextant")
    page = looks.cached(people.alice)
    for view in ("month", "week"):
        go(page, f"/calendar?view={view}&date={MONDAY}&time_zone=Europe/Paris")
        entry(page).click()
        card = page.get_by_role("dialog", name="Gig")
        expect(card).to_contain_text("Mon 11 May, 18:00–19:00")
        expect(card).to_contain_text("Le Sextant")
        assert violations(page, EVERYTHING, "#card") == []
        for name, path in [("Edit", "/edit"), ("Guests", "/responses")]:
            expect(card.get_by_role("link", name=name)).to_have_attribute(
                "href", page.url.partition("/calendar")[0] + f"/events/{event['id']}{path}"
            )
        page.keyboard.press("Escape")
        expect(card).to_be_hidden()
        expect(entry(page)).to_be_focused()
    page.keyboard.press("Enter")
    page.get_by_role("dialog", name="Gig").get_by_role("link", name="Open").press("Enter")
    page.wait_for_url(f"**/events/{event['id']}")


def test_calendars_are_switched_at_once_and_stay_switched(windows: Windows, people: Cast) -> None:
    jazz = a_calendar(people.alice, name="Jazz")
    an_evening(people.alice, calendar_id=jazz["id"])
    page = windows.open(people.alice)
    go(page, f"/calendar?date={MONDAY}")
    expect(entry(page)).to_have_count(1)
    tick = page.get_by_role("checkbox", name="Jazz")
    tick.press("Space")
    expect(entry(page)).to_have_count(0)
    expect(tick).to_be_focused()
    go(page, f"/calendar?view=week&date={MONDAY}")
    expect(entry(page)).to_have_count(0)
    expect(tick).not_to_be_checked()
    plain = windows.open(people.alice, script=False)
    go(plain, f"/calendar?date={MONDAY}")
    expect(entry(plain)).to_have_count(1)
    plain.get_by_role("checkbox", name="Jazz").press("Space")
    plain.get_by_role("button", name="Go").click()
    expect(entry(plain)).to_have_count(0)
    go(plain, f"/calendar?date={MONDAY}")
    expect(entry(plain)).to_have_count(0)


def test_on_a_phone_dots_are_above_the_list_of_the_chosen_day(windows: Windows, people: Cast) -> None:
    event = an_event(people.alice, title="Gig", start_time=f"{TUESDAY}T18:00")
    page = windows.open(people.alice, width=PHONE)
    go(page, f"/calendar?date={MONDAY}")
    expect(page.locator("#chosen-day")).to_contain_text("Nothing on this day.")
    page.locator(f"[data-day='{TUESDAY}']").click(position={"x": 20, "y": 40})
    gig = page.locator("#chosen-day").get_by_role("link", name="Gig", exact=True)
    expect(gig).to_be_in_viewport()
    expect(page.get_by_role("link", name="New event").last).to_have_attribute("href", f"/events/new?start_time={TUESDAY}")
    assert page.url.endswith(f"/calendar?view=month&date={TUESDAY}")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert violations(page, COLOURS) == []
    gig.click()
    page.wait_for_url(f"**/events/{event['id']}")


def test_a_bar_has_no_second_text_on_the_days_on_which_it_goes_on(looks: Windows, people: Cast) -> None:
    """Neither an ellipsis at its end nor, with forced colours, a box behind the title that is not seen."""
    an_event(people.alice, title="Parents are visiting", start_time=MONDAY, end_time="2026-05-14")
    page = looks.cached(people.alice)
    go(page, f"/calendar?date={MONDAY}")
    page.emulate_media(forced_colors="active")
    try:
        bars = page.evaluate(BARS)
    finally:
        page.emulate_media(forced_colors="none")
    assert bars == [["clip", "none", "0"]] * 3


def test_hours_open_at_the_working_day_and_the_page_stays_at_its_top(looks: Windows, people: Cast) -> None:
    page = looks.cached(people.alice)
    for view in ("week", "day"):
        go(page, f"/calendar?view={view}&date={MONDAY}")
        assert page.evaluate("() => scrollY") == 0
        hours = page.locator(".hours li")
        expect(hours.nth(8)).to_be_in_viewport()
        expect(hours.nth(2)).not_to_be_in_viewport()
        head = box(page.locator(f"[data-day='{MONDAY}'] .dayhead"))
        page.locator(".week").evaluate("week => { week.scrollTop = 900 }")
        assert box(page.locator(f"[data-day='{MONDAY}'] .dayhead")) == head


# A finger that goes across the calendar by this many pixels.
SWIPE = """by => {
  const target = document.querySelector('#calendar'), at = x => new Touch({ identifier: 1, target, clientX: x, clientY: 300 });
  target.dispatchEvent(new TouchEvent('touchstart', { bubbles: true, touches: [at(200)], changedTouches: [at(200)] }));
  target.dispatchEvent(new TouchEvent('touchend', { bubbles: true, touches: [], changedTouches: [at(200 + by)] }));
}"""


def test_a_finger_goes_on_to_the_next_days_and_back(windows: Windows, people: Cast) -> None:
    page = windows.open(people.alice, width=PHONE)
    go(page, f"/calendar?view=week&date={MONDAY}")
    with page.expect_navigation(url="**/calendar?view=week&date=2026-05-18*"):
        page.evaluate(SWIPE, -120)
    with page.expect_navigation(url=f"**/calendar?view=week&date={MONDAY}*"):
        page.evaluate(SWIPE, 120)
    go(page, f"/calendar?view=week&date={MONDAY}")
    page.evaluate(SWIPE, 20)
    expect(page.locator("#calendar")).to_have_attribute("data-chosen", MONDAY)
