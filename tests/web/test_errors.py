"""Errors are pages for people; forms show the typed values again and name the invalid field."""

from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from typing import Any

import pytest
from playwright.sync_api import Page

from kalends.core.settings import Settings
from kalends.features.events.listing.store import listing
from tests.cast import PASSWORD, Cast
from tests.client import Client
from tests.http.multipart import of_parts
from tests.web import pages
from tests.web.axe import violations
from tests.web.hostile import SHORT, WHAT_GOT_IN
from tests.web.pages import PAGES, Visit, reader, url_of
from tests.web.parsed import Parsed, ParsedPages
from tests.web.scene import Scene
from tests.web.windows import Windows, go

pytestmark = pytest.mark.on_one_database

# Of every page with forms: as everybody meets it, and as an owner does.
FORMS = [visit for visits in PAGES.values() for visit in dict.fromkeys([visits[0], *(v for v in visits if v.reader == "alice")][:2])]

# Forms that are sent in a window too, where axe-core scans what came back. All of them in `make soak`.
IN_WINDOWS = {Visit("guest", "/sign-up"), Visit("alice", "/events/new"), Visit("guest", "/events/{event}")}

TAKES_TEXT = "form[method=post]:has(input:not([type=hidden], [type=checkbox], [type=radio]), textarea)"
# A script sends the line of a new event (`test_quick_event.py`) and the one on a day of the calendar (`test_calendar.py`).
NAVIGATES = f"{TAKES_TEXT}:not([action='/events/quick'])"
# Without the input that people do not see: what is in it tells that a program sent the form.
TEXTS = "input:not([type=hidden], [type=checkbox], [type=radio], [type=file], [name=website]), textarea"
# For every text field, although the browser would object.
FILL = f"""(form, text) => {{
  form.noValidate = true;
  for (const field of form.querySelectorAll('{TEXTS}')) {{
    if (field.tagName === 'INPUT' && field.type !== 'password') field.type = 'text';
    if (!field.readOnly) field.value = text;
  }}
}}"""
SEND = f"(form, text) => {{ ({FILL})(form, text); form.requestSubmit(); }}"
# The forms, filled in: what the browser would send.
FILLED = f"""text => [...document.querySelectorAll('{TAKES_TEXT}')].map(form => {{
  ({FILL})(form, text);
  return {{
    action: form.getAttribute('action'), has_files: form.enctype === 'multipart/form-data',
    fields: [...new FormData(form)].filter(([, value]) => typeof value === 'string'),
  }};
}})"""

# What the summary of a refused form leads to: fields that are marked, and describe what is wrong with them.
NAMED = """() => [...document.querySelectorAll('[role=alert] a')].map(link => {
  const field = document.getElementById(link.getAttribute('href').slice(1));
  const marked = field && (field.closest('[aria-invalid=true]') || field);
  const about = document.getElementById(marked?.getAttribute('aria-describedby'))?.textContent.trim();
  return {link: link.textContent, is_marked: marked?.getAttribute('aria-invalid') === 'true', about};
})"""
# A script shows addresses as chips (`invite.js`): the field that is sent has one on each line, and that for the next one is empty.
LOST = f"""([action, text]) => {{
  const addresses = text => text.split(/[\\s,;]+/).filter(Boolean).join();
  const form = [...document.forms].find(form => form.getAttribute('action') === action);
  return [...form.querySelectorAll('{TEXTS}')]
    .filter(field => !field.readOnly && !['password', 'date', 'time', 'number', 'color'].includes(field.type))
    .filter(field => !field.matches('[data-addresses] input'))
    .filter(field => field.closest('[data-addresses]') ? addresses(field.value) !== addresses(text) : field.value !== text)
    .map(field => field.outerHTML);
}}"""
ALERT = "() => document.querySelector('[role=alert]')?.textContent.trim()"
# All of it in one call.
CAME_BACK = f"""([status, action, text]) => ({{
  got_in: ({WHAT_GOT_IN})(), alert: ({ALERT})(), named: ({NAMED})(), lost: status === 422 ? ({LOST})([action, text]) : [],
}})"""


class Abused:
    """A scene that no other test uses, and no test after one whose forms were accepted: a new password ends the sessions of its user and
    what they share, and a cancelled event has no forms for guests."""

    is_changed = False

    def __init__(self, guest: Client, settings: Settings):
        self._guest = guest
        self._settings = settings

    @cached_property
    def scene(self) -> Scene:
        return Scene(Cast(self._guest), self._settings)

    def renew(self) -> None:
        """Begin another scene, on the same site as before."""
        assert self.scene.ada.put("/api/site", json={"introduction": None, "style": None}).status == 200
        del self.scene
        self.is_changed = False


@pytest.fixture(scope="session")
def abused_of_session(guest: Client, scene: Scene) -> Abused:
    return Abused(guest, scene.settings)


@pytest.fixture
def abused(abused_of_session: Abused) -> Iterator[Abused]:
    yield abused_of_session
    if abused_of_session.is_changed:
        abused_of_session.renew()


@pytest.mark.parametrize("visit", FORMS, ids=str)
def test_an_invalid_form_comes_back_as_it_was_typed(parsed_pages: ParsedPages, abused: Abused, visit: Visit) -> None:
    person, path = reader(abused.scene, visit.reader), url_of(abused.scene, visit.path)
    page = parsed_pages.get(person, path)
    assert page.status == 200
    assert page.has('action="/sign-out"') == (person is not None)
    forms = page.evaluate(FILLED, SHORT)
    for number in range(len(forms)):
        # What was sent before may have changed the page.
        form = forms[0] if number == 0 else parsed_pages.get(person, path).evaluate(FILLED, SHORT)[number]
        reply = parsed_pages.post(person, form["action"] or path, **_encode(form))
        abused.is_changed |= reply.status < 400
        _assert_comes_back(reply, reply.status, form["action"])


@pytest.mark.parametrize(
    "visit", [visit if visit in IN_WINDOWS else pytest.param(visit, marks=pytest.mark.soak) for visit in FORMS], ids=str
)
def test_an_invalid_form_comes_back_in_a_window(looks: Windows, abused: Abused, visit: Visit) -> None:
    page = pages.visit(looks, abused.scene, visit)
    for number in range(page.locator(NAVIGATES).count()):
        go(page, url_of(abused.scene, visit.path))
        action, status = _send(looks, page, number, SHORT)
        abused.is_changed |= status < 400
        _assert_comes_back(page, status, action)
        assert status < 400 or violations(page, within=f"form[action='{action}']" if action else "main form") == []


def _encode(form: dict[str, Any]) -> dict[str, Any]:
    """The form as arguments of a request, without files."""
    if not form["has_files"]:
        return {"data": [tuple(field) for field in form["fields"]]}
    return of_parts((f'form-data; name="{name}"', value.encode()) for name, value in form["fields"])


def _assert_comes_back(page: Page | Parsed, status: int, action: str | None) -> None:
    assert status != 500, action
    came_back = page.evaluate(CAME_BACK, [status, action, SHORT])
    assert came_back["got_in"] == []
    if status < 400:
        return
    assert came_back["alert"]
    if status == 422:
        _assert_names_fields(came_back)
        assert came_back["lost"] == []


def _assert_names_fields(came_back: dict[str, Any]) -> None:
    named = came_back["named"]
    assert named, came_back
    assert all(field["is_marked"] and field["about"] for field in named), named


def test_most_pages_have_forms_that_come_back(parsed_pages: ParsedPages, scene: Scene) -> None:
    """Without this, the test above might have sent nothing at all."""
    pages = (parsed_pages.get(reader(scene, visit.reader), url_of(scene, visit.path)) for visit in FORMS)
    assert len(list(islice((page for page in pages if page.evaluate(FILLED, SHORT)), 21))) == 21


@pytest.mark.parametrize("visit", sorted(IN_WINDOWS), ids=str)
def test_an_empty_form_names_what_is_missing(looks: Windows, abused: Abused, visit: Visit) -> None:
    page = pages.visit(looks, abused.scene, visit)
    _, status = _send(looks, page, 0, "")
    assert status == 422
    _assert_names_fields({"named": page.evaluate(NAMED)})
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


def _send(looks: Windows, page: Page, number: int, text: str) -> tuple[str | None, int]:
    """Send one of the forms of the page with this text everywhere; return the action and the status of the reply."""
    form = page.locator(NAVIGATES).nth(number)
    action = form.get_attribute("action")
    looks.may_fail = True
    try:
        with page.expect_navigation() as navigation:
            form.evaluate(SEND, text)
    finally:
        looks.may_fail = False
    reply = navigation.value
    assert reply is not None, action
    assert reply.status != 500, action
    return action, reply.status
