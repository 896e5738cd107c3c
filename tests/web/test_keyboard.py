"""Everything by keyboard alone: each clickable element can be focused, in order, with a visible focus."""

from uuid import uuid4

import pytest
from playwright.sync_api import Page

from tests.cast import PASSWORD, Cast, an_event
from tests.web import pages
from tests.web.pages import FIRST_VISITS, Visit
from tests.web.scene import Scene
from tests.web.windows import Windows, go

MOST_STEPS = 45

# Moves the focus to the beginning of a part of the page.
BEGIN = """part => {
  const begin = document.querySelector(part);
  begin.tabIndex = -1;
  begin.focus();
  begin.blur();
}"""
# The elements that the keyboard must reach, in the order of the page: one of each group of radio buttons, and nothing collapsed or hidden.
REACHABLE = """part => {
  const names = new Set();
  return [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex="0"]')]
    .filter(element => element.closest(part) && element.checkVisibility({checkVisibilityCSS: true}) && !element.disabled)
    .filter(element => {
      const group = element.type === 'radio' && `${element.form?.action} ${element.name}`;
      return !group || (!names.has(group) && names.add(group));
    })
    .slice(0, MOST).map((element, number) => { element.dataset.number = number; return element.outerHTML.slice(0, 100); });
}""".replace("MOST", str(MOST_STEPS))

FOCUSED = """() => {
  const element = document.activeElement, style = getComputedStyle(element), box = element.getBoundingClientRect();
  const radio = element.type === 'radio' && (element.form ?? document).querySelector(`[data-number][name="${element.name}"]`);
  return {
    number: Number((radio || element).dataset.number ?? -1), html: element.outerHTML.slice(0, 100),
    is_marked: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2 || style.boxShadow !== 'none',
    is_seen: box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth,
  };
}"""


@pytest.mark.parametrize("visit", FIRST_VISITS, ids=str)
def test_the_keyboard_reaches_everything_in_order_and_shows_where_it_is(looks: Windows, scene: Scene, visit: Visit, soak: bool) -> None:
    """In short, what is around the content is walked through on the start page only."""
    page = pages.visit(looks, scene, visit)
    part = "body" if soak or visit == FIRST_VISITS[0] else "main"
    page.evaluate(BEGIN, part)
    expected = page.evaluate(REACHABLE, part)
    reached: list[int] = []
    # A date or a time takes several steps, one for each of its parts.
    for _ in range(4 * len(expected) + 10):
        page.keyboard.press("Tab")
        focused = page.evaluate(FOCUSED)
        if focused["number"] == -1:
            continue
        if not reached or reached[-1] != focused["number"]:
            assert focused["is_marked"], focused
            assert focused["is_seen"], focused
            reached.append(focused["number"])
        if focused["number"] == len(expected) - 1:
            break
    assert reached == list(range(len(expected))), [expected[number] for number in range(len(expected)) if number not in reached]


def test_the_first_tab_stop_skips_the_navigation(looks: Windows, scene: Scene) -> None:
    page = looks.cached(scene.alice)
    go(page, "/")
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.closest('main') !== null")


def test_the_menu_opens_and_closes_and_gives_the_focus_back(looks: Windows, scene: Scene) -> None:
    page = looks.cached(scene.alice)
    go(page, "/")
    _to(page, "details.menu > summary")
    page.keyboard.press("Enter")
    _to(page, "details.menu a[href='/account']")
    page.keyboard.press("Escape")
    assert page.evaluate("() => document.activeElement.matches('details.menu:not([open]) > summary')")


def test_an_account_and_an_event_are_created_by_keyboard_alone(looks: Windows) -> None:
    page = looks.cached()
    name = f"kim-{uuid4().hex[:8]}"
    go(page, "/")
    _press(page, "a[href='/sign-up']")
    for field, text in {"user_name": name, "email_address": f"{name}@example.org", "password": PASSWORD}.items():
        _type(page, f"[name={field}]", text)
    page.keyboard.press("Enter")
    page.wait_for_selector(".notice")
    _press(page, "header a[href='/events/new']")
    _type(page, "[name=title]", "Chess evening")
    _to(page, "[name=start_time]")
    page.keyboard.type("12122030")
    _to(page, "[name=repeat]")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.wait_for_selector("text=Weekly on Thursday")
    _to(page, "[name=count]")
    page.keyboard.type("3")
    page.wait_for_selector(".dates :text('Thursday, 26 December 2030')")
    _type(page, "[name=location]", "Café Central, Vienna")
    page.keyboard.press("Enter")
    page.wait_for_selector(".notice")
    assert page.locator("h1").inner_text() == "Chess evening"
    assert "12 December 2030" in page.locator("main").inner_text()
    _press(page, "main a[href$='/delete']")
    _press(page, "main button.danger")
    page.wait_for_selector(".notice:has-text('Deleted.')")


def test_a_guest_responds_and_comments_by_keyboard_alone(looks: Windows, people: Cast) -> None:
    event = an_event(people.alice, start_time="2030-05-08T20:00", public=True)
    page = looks.cached()
    go(page, f"/events/{event['id']}")
    _to(page, "form[action$='/respond'] [name=response]")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowRight")
    _type(page, "form[action$='/respond'] [name=email_address]", "kim@example.org")
    page.keyboard.press("Enter")
    page.wait_for_selector(".notice")
    assert people.alice.get(f"/api/responses?event_id={event['id']}").json["responses"][0]["response"] == "MAYBE"
    _type(page, "[name=comment]", "See you")
    _type(page, "form[action$='/comment'] [name=email_address]", "kim@example.org")
    page.keyboard.press("Enter")
    page.wait_for_selector(".notice:has-text('approved')")


def test_an_event_is_moved_by_keyboard_alone(looks: Windows, people: Cast) -> None:
    event = an_event(people.alice, start_time="2030-05-08T20:00")
    page = looks.cached(people.alice)
    go(page, "/calendar?date=2030-05-08")
    _to(page, f"[data-day='2030-05-08'] a[href='/events/{event['id']}']")
    page.keyboard.press("Shift+ArrowRight")
    page.wait_for_selector(f"[data-day='2030-05-09'] a[href='/events/{event['id']}']")
    assert people.alice.get(f"/api/events/{event['id']}").json["start_time"].startswith("2030-05-09T20:00")
    assert page.evaluate("() => document.activeElement.getAttribute('href')") == f"/events/{event['id']}"


def _to(page: Page, selector: str) -> None:
    """Go on, step by step, until the keyboard is there."""
    for _ in range(150):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"the keyboard does not reach {selector}")


def _press(page: Page, selector: str) -> None:
    _to(page, selector)
    with page.expect_navigation():
        page.keyboard.press("Enter")


def _type(page: Page, selector: str, text: str) -> None:
    _to(page, selector)
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type(text)
