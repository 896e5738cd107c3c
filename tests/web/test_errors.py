"""Errors are pages for people; forms show the typed values again and name the invalid field."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page

from kalends.events import listing
from tests.cast import PASSWORD, Cast
from tests.client import Client
from tests.web import pages
from tests.web.axe import violations
from tests.web.hostile import SHORT, what_got_in
from tests.web.pages import PAGES, Visit, address, reader
from tests.web.scene import Scene
from tests.web.windows import Windows, go

# Of every page with forms: as everybody meets it, and as an owner does.
FORMS = [visit for visits in PAGES.values() for visit in dict.fromkeys([visits[0], *(v for v in visits if v.reader == "alice")][:2])]

# For every text field; submitted although the browser would object.
SEND = """([form, text]) => {
  form.noValidate = true;
  for (const field of form.querySelectorAll('input:not([type=hidden], [type=checkbox], [type=radio], [type=file]), textarea')) {
    if (field.tagName === 'INPUT' && field.type !== 'password') field.type = 'text';
    if (!field.readOnly) field.value = text;
  }
  form.requestSubmit();
}"""
TAKES_TEXT = "form[method=post]:has(input:not([type=hidden], [type=checkbox], [type=radio]), textarea)"

# What the summary of a refused form leads to: fields that are marked, and describe what is wrong with them.
NAMED = """() => [...document.querySelectorAll('[role=alert] a')].map(link => {
  const field = document.getElementById(link.getAttribute('href').slice(1));
  const marked = field && (field.closest('[aria-invalid=true]') || field);
  const about = document.getElementById(marked?.getAttribute('aria-describedby'))?.textContent.trim();
  return {link: link.textContent, is_marked: marked?.getAttribute('aria-invalid') === 'true', about};
})"""
LOST = """([form, text]) => [...form.querySelectorAll('input:not([type=hidden], [type=checkbox], [type=radio], [type=file]), textarea')]
  .filter(field => !field.readOnly && !['password', 'date', 'time', 'number', 'color'].includes(field.type) && field.value !== text)
  .map(field => field.outerHTML)"""


@pytest.fixture(scope="session")
def abused(guest: Client, scene: Scene) -> Scene:
    """A scene that no other test uses."""
    return Scene(Cast(guest), scene.settings)


@pytest.mark.parametrize("visit", FORMS, ids=str)
def test_an_invalid_form_comes_back_as_it_was_typed(looks: Windows, abused: Scene, visit: Visit, soak: bool) -> None:
    """In short, axe-core scans three forms that came back: those of the next test."""
    if not _takes_text(abused, visit):
        return
    page = pages.visit(looks, abused, visit)
    for number in range(page.locator(TAKES_TEXT).count()):
        if number > 0:
            go(page, address(abused, visit.path))
        form, status = _send(looks, page, number, SHORT)
        assert what_got_in(page) == []
        if status < 400:
            continue
        assert page.locator("[role=alert]").inner_text().strip()
        assert not soak or violations(page, within=f"form[action='{form}']") == []
        if status == 422:
            named = page.evaluate(NAMED)
            assert named
            assert all(field["is_marked"] and field["about"] for field in named), named
            again = page.locator(f"form[action='{form}']").first
            assert again.evaluate(f"(form, text) => ({LOST})([form, text])", SHORT) == []


def _takes_text(scene: Scene, visit: Visit) -> bool:
    """Whether the page has a form for texts, which takes less time to know without a browser."""
    html = (reader(scene, visit.reader) or scene.guest).get(address(scene, visit.path), headers={"Accept": "text/html"}).text
    forms = re.findall(r"<form[^>]*method=\"?post.*?</form>", html, re.DOTALL)
    return any(re.search(r"<textarea|<input(?![^>]*type=\"?(?:hidden|checkbox|radio))", form) for form in forms)


def test_most_forms_are_found_without_a_browser(scene: Scene) -> None:
    assert sum(_takes_text(scene, visit) for visit in FORMS) > 20


@pytest.mark.parametrize("visit", [Visit("guest", "/sign-up"), Visit("alice", "/events/new"), Visit("guest", "/events/{event}")], ids=str)
def test_an_empty_form_names_what_is_missing(looks: Windows, abused: Scene, visit: Visit) -> None:
    page = pages.visit(looks, abused, visit)
    _, status = _send(looks, page, 0, "")
    assert status == 422
    named = page.evaluate(NAMED)
    assert named
    assert all(field["is_marked"] and field["about"] for field in named)
    assert violations(page) == []
    assert page.evaluate("() => document.activeElement.getAttribute('role')") == "alert"
    page.locator("[role=alert] a").first.click()
    assert page.evaluate("() => document.activeElement.matches('input, textarea, select')")


def test_an_error_is_a_page_for_people_and_a_problem_for_programs(looks: Windows, scene: Scene) -> None:
    for person, path, status in [
        (None, "/nowhere", 404),
        (scene.alice, "/events/999999999", 404),
        (None, "/events/x", 404),
        (scene.vera, f"/events/{scene.event['id']}/edit", 403),
    ]:
        page = looks.cached(person)
        reply = go(page, path)
        assert reply.status == status
        assert page.locator("h1").inner_text()
        assert page.locator("main a[href='/']").count() == 1
        assert reply.headers["x-request-id"] in page.locator("main").inner_text()
    # All of them are one template.
    assert violations(page) == []
    problem = scene.guest.get("/api/nowhere", headers={"Accept": "text/html"})
    assert problem.headers["Content-Type"] == "application/problem+json"


def test_an_internal_error_is_a_page_without_internal_details(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: Any) -> None:
        raise RuntimeError("the inside")

    monkeypatch.setattr(listing, "find", fail)
    reply = client.get("/", headers={"Accept": "text/html"})
    assert reply.status == 500
    assert reply.headers["Content-Type"].startswith("text/html")
    assert reply.headers["X-Request-Id"] in reply.text
    assert "the inside" not in reply.text
    assert "Traceback" not in reply.text


def test_after_signing_in_users_return_to_the_page_that_required_it(looks: Windows, people: Cast) -> None:
    page = looks.cached()
    go(page, "/events/new?start_time=2026-12-24")
    assert page.url.startswith(f"{looks.url}/sign-in?next=")
    page.fill("[name=user_name]", people.alice.user_name)
    page.fill("[name=password]", "a wrong one")
    page.click("main button")
    assert page.locator("[role=alert]").count() == 1
    assert page.input_value("[name=user_name]") == people.alice.user_name
    page.fill("[name=password]", PASSWORD)
    page.click("main button")
    assert page.url.startswith(f"{looks.url}/events/new?start_time=2026-12-24&")
    assert page.input_value("[name=start_time]") == "2026-12-24"


@pytest.mark.parametrize("elsewhere", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)"])
def test_signing_in_leads_to_our_own_pages_only(looks: Windows, people: Cast, elsewhere: str) -> None:
    page = looks.cached()
    go(page, f"/sign-in?next={elsewhere}")
    page.fill("[name=user_name]", people.alice.user_name)
    page.fill("[name=password]", PASSWORD)
    page.click("main button")
    assert page.url.startswith(f"{looks.url}/")


def _send(looks: Windows, page: Page, number: int, text: str) -> tuple[str, int]:
    """Send one of the forms of the page with this text everywhere; return the action and the status of the reply."""
    form = page.locator(TAKES_TEXT).nth(number)
    action = form.get_attribute("action") or ""
    looks.may_fail = True
    try:
        with page.expect_navigation() as navigation:
            form.evaluate(f"(form, text) => ({SEND})([form, text])", text)
    finally:
        looks.may_fail = False
    reply = navigation.value
    assert reply is not None, action
    assert reply.status != 500, action
    return action, reply.status
