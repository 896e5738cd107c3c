"""Everything by keyboard alone. That it reaches each element of each page is checked where pages are visited: in `test_accessible`."""

from uuid import uuid4

from playwright.sync_api import Page

from tests.cast import PASSWORD, Cast, an_event
from tests.web.scene import Scene
from tests.web.windows import Windows, go


def test_the_first_tab_stop_skips_the_navigation(looks: Windows, scene: Scene) -> None:
    page = looks.cached(scene.alice)
    go(page, "/")
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.textContent") == "Skip to content"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.closest('main') !== null")


def test_the_second_tab_stop_of_an_event_skips_to_the_response(looks: Windows, scene: Scene) -> None:
    page = looks.cached()
    go(page, f"/events/{scene.event['id']}")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.textContent") == "Skip to your RSVP"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.name") == "response"


def test_the_menu_opens_and_closes_and_gives_the_focus_back(looks: Windows, scene: Scene) -> None:
    page = looks.cached(scene.alice)
    go(page, "/")
    _to(page, ".me > summary")
    page.keyboard.press("Enter")
    _to(page, ".me a[href='/account']")
    page.keyboard.press("Escape")
    assert page.evaluate("() => document.activeElement.matches('.me:not([open]) > summary')")


def test_an_account_and_an_event_are_created_by_keyboard_alone(looks: Windows) -> None:
    page = looks.cached()
    name = f"kim-{uuid4().hex[:8]}"
    go(page, "/")
    _press(page, "a[href='/sign-up']")
    for field, text in {"user_name": name, "email_address": f"{name}@example.org", "password": PASSWORD}.items():
        _type(page, f"[name={field}]", text)
    page.keyboard.press("Enter")
    page.wait_for_selector(".ways")
    _press(page, "header a[href='/events/new']")
    _type(page, "[name=title]", "Chess evening")
    _to(page, "[name=start_time]")
    page.keyboard.type("12122030")
    _to(page, "details > summary")
    page.keyboard.press("Enter")
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
    _to(page, ".organiser summary")
    page.keyboard.press("Enter")
    _to(page, ".organiser a[href$='/delete']")
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog [data-first]:focus")
    _press(page, "dialog button.red")
    page.wait_for_selector(".notice:has-text('Event moved to the trash.')")


def test_a_guest_responds_and_comments_by_keyboard_alone(looks: Windows, people: Cast) -> None:
    event = an_event(people.alice, start_time="2030-05-08T20:00", public=True)
    page = looks.cached()
    go(page, f"/events/{event['id']}")
    _to(page, "form[action$='/respond'] [name=response]")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowRight")
    _type(page, "form[action$='/respond'] [name=name]", "Kim")
    _type(page, "form[action$='/respond'] [name=email_address]", "kim@example.org")
    page.keyboard.press("Enter")
    page.wait_for_selector("#ticket")
    assert people.alice.get(f"/api/responses?event_id={event['id']}").json["responses"][0]["response"] == "MAYBE"
    _type(page, "[name=comment]", "See you")
    # The browser knows the name and the address.
    _press(page, "form[action$='/comment'] button")
    page.wait_for_selector(".notice:has-text('approves it')")


def test_an_event_is_moved_by_keyboard_alone(looks: Windows, people: Cast) -> None:
    event = an_event(people.alice, start_time="2030-05-08T20:00")
    page = looks.cached(people.alice)
    go(page, "/calendar?date=2030-05-08")
    _to(page, "[data-day='2030-05-08'] .date")
    page.keyboard.press("ArrowDown")
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
