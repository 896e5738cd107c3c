"""The calendar page in a browser: the keyboard, shortcuts, new events, cards, calendars that are switched, and phones."""

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
    top = page.evaluate("() => scrollY")
    entry(page).focus()
    page.keyboard.press("+")
    expect(page.get_by_role("status")).to_have_text("Now it lasts until Monday 11 May at 19:15.")
    expect(entry(page)).to_be_focused()
    page.keyboard.press("-")
    expect(page.get_by_role("status")).to_have_text("Now it lasts until Monday 11 May at 19:00.")
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
    expect(page.get_by_label("Search")).to_be_focused()
    page.keyboard.type("jazz")
    expect(page.get_by_label("Search")).to_have_value("jazz")
    page.locator("h1").click()
    page.keyboard.press("n")
    expect(page.get_by_label("What, when and where")).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keyboard")
    expect(dialog).to_be_visible()
    assert violations(page, EVERYTHING, "#keys") == []
    dialog.get_by_label("Single-key shortcuts").uncheck()
    dialog.get_by_role("button", name="Close").click()
    page.keyboard.press("w")
    page.keyboard.press("?")
    expect(dialog).to_be_hidden()
    page.reload()
    assert focused(page, "w", "?") is not None
    expect(dialog).to_be_hidden()
    assert "view=month" in page.url
    page.get_by_role("button", name="Keyboard shortcuts").click()
    dialog.get_by_label("Single-key shortcuts").check()
    dialog.get_by_role("button", name="Close").click()
    with page.expect_navigation(url="**/calendar?view=week*"):
        page.keyboard.press("w")


def test_free_time_and_free_days_become_an_event(looks: Windows, people: Cast) -> None:
    page = looks.cached(people.alice)
    go(page, f"/calendar?view=week&date={MONDAY}&time_zone=Europe/Paris")
    column = box(page.locator(f"[data-day='{TUESDAY}'] .blocks"))
    start = (column["x"] + 20, column["y"] + 10.1 * HOUR)
    drag(page, start, (start[0], start[1] + 1.25 * HOUR))
    line = page.get_by_label("What, when and where")
    expect(line).to_be_focused()
    expect(line).to_have_value(" 12 May 2026 10:00–11:30")
    assert violations(page, EVERYTHING, "#quick") == []
    page.keyboard.type("Jazz trio")
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("status")).to_contain_text("Published: Jazz trio.")
    expect(page.locator(f"[data-day='{TUESDAY}'] .entry")).to_contain_text("10:00 Jazz trio")
    [event] = people.alice.get("/api/events").json["events"]
    assert people.alice.get(f"/api/events/{event['id']}").json["time_zone"] == "Europe/Paris"
    go(page, f"/calendar?date={MONDAY}")
    first, last = (box(page.locator(f"[data-day='2026-05-{day}']")) for day in (28, 31))
    drag(page, (first["x"] + 40, first["y"] + 90), (last["x"] + 40, last["y"] + 90))
    expect(line).to_have_value(" 28 May 2026 – 31 May 2026")
    page.keyboard.type("Fair")
    page.get_by_role("button", name="More").click()
    page.wait_for_url("**/events/quick")
    expect(page.locator("[name=title]")).to_have_value("Fair")
    expect(page.locator("[name=start_time]")).to_have_value("2026-05-28")
    expect(page.locator("[name=end_time]")).to_have_value("2026-05-31")
    go(page, f"/calendar?view=week&date={MONDAY}&time_zone=Europe/Paris")
    page.locator(f"[data-day='{MONDAY}'] .blocks").click(position={"x": 40, "y": 9.3 * HOUR})
    expect(line).to_have_value(" 11 May 2026 09:15")
    page.keyboard.press("Escape")
    expect(line).to_be_hidden()


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
        for name, path in [("Edit", "/edit"), ("Responses", "/responses")]:
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
    plain.get_by_role("button", name="Show").click()
    expect(entry(plain)).to_have_count(0)
    go(plain, f"/calendar?date={MONDAY}")
    expect(entry(plain)).to_have_count(0)


def test_on_a_phone_dots_are_above_the_list_of_the_chosen_day(windows: Windows, people: Cast) -> None:
    event = an_event(people.alice, title="Gig", start_time=f"{TUESDAY}T18:00")
    page = windows.open(people.alice, width=PHONE)
    go(page, f"/calendar?date={MONDAY}")
    expect(page.locator("#chosen-day")).to_contain_text("Nothing is on.")
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
