"""Users' texts are displayed as text and never run: hostile texts in every field, on every page."""

import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Page

from kalends.http.input.fields import fields_of
from tests.cast import Cast
from tests.client import Client
from tests.openapi.serving import Service
from tests.web import pages
from tests.web.hostile import LONG, SHORT, examine, hostile, lines, mark, what_got_in
from tests.web.pages import PAGES, VISITS, VISITS_IN_EACH_LOOK, Visit, declared, fetched, reader, url_of
from tests.web.parsed import Parsed, ParsedPages
from tests.web.scene import Say, Scene
from tests.web.windows import Windows, go

# Together, these pages have every class and every script. All pages in `make soak`.
IN_WINDOWS = [visit if visit in VISITS_IN_EACH_LOOK else pytest.param(visit, marks=pytest.mark.soak) for visit in VISITS]


class Hostility:
    """A scene in hostile words, and the fields that were filled with them."""

    def __init__(self, guest: Client, scene: Scene):
        self.fields: set[str] = set()
        self.scene = Scene(Cast(guest), scene.settings, self._say())

    def _say(self) -> Say:
        def say(field: str, words: str) -> str:
            self.fields.add(field)
            return hostile(field, words)

        return say


@pytest.fixture(scope="session")
def hostility(guest: Client, scene: Scene) -> Hostility:
    return Hostility(guest, scene)


@pytest.mark.parametrize("visit", VISITS, ids=str)
def test_a_page_shows_hostile_texts_as_they_are(parsed_pages: ParsedPages, hostility: Hostility, visit: Visit) -> None:
    _assert_shows_texts_as_they_are(parsed_pages.parse(fetched(hostility.scene, visit)), hostility)


@pytest.mark.parametrize("visit", IN_WINDOWS, ids=str)
def test_the_scripts_of_a_page_leave_hostile_texts_as_they_are(looks: Windows, hostility: Hostility, visit: Visit) -> None:
    _assert_shows_texts_as_they_are(pages.visit(looks, hostility.scene, visit), hostility)


def _assert_shows_texts_as_they_are(page: Page | Parsed, hostility: Hostility) -> None:
    got_in, text = examine(page)
    assert got_in == []
    # In descriptions, which are Markdown, stars are emphasis.
    page_text = _plain(text)
    for field in hostility.fields - {"email", "image"}:
        for number, line in enumerate(lines(field)):
            assert _is_whole_on_page(_plain(line), mark(field, number), page_text), (field, line)


def test_a_text_that_gets_in_is_noticed(browser: Browser, service: Service) -> None:
    # In a window that nobody watches, since the content policy reports these texts too.
    with browser.new_page() as window:
        window.goto(f"{service.url}/docs/errors")
        for text in LONG[:6]:
            assert what_got_in(Parsed(window, f"<!doctype html><title>A page</title><p>{text}</p>")) != [], text


def test_every_field_is_on_some_page(hostility: Hostility) -> None:
    """Without this, the walk above might have met nothing hostile at all."""
    unseen = hostility.fields - {"email", "image"}
    for visit in VISITS:
        page = fetched(hostility.scene, visit).text
        unseen = {field for field in unseen if mark(field) not in page}
        if not unseen:
            break
    assert unseen == set()


@pytest.mark.parametrize("name", PAGES)
def test_hostile_query_parameters_are_harmless(parsed_pages: ParsedPages, scene: Scene, name: str, soak: bool) -> None:
    """Whatever a URL contains, the page or error does not run it. One parameter alone in the long form."""
    visit, param_names = PAGES[name][0], _param_names(name)
    for parameters in [param_names, *([each] for each in param_names if soak)]:
        page = parsed_pages.get(reader(scene, visit.reader), _with_hostile_query(scene, visit, parameters))
        assert page.status < 500, parameters
        # Of most pages, no parameter is shown.
        assert not page.has("x-hit") or what_got_in(page) == [], parameters


@pytest.mark.soak
@pytest.mark.parametrize("name", PAGES)
def test_hostile_query_parameters_are_harmless_in_windows(looks: Windows, scene: Scene, name: str) -> None:
    visit, param_names = PAGES[name][0], _param_names(name)
    page = looks.cached(reader(scene, visit.reader))
    for parameters in [param_names, *([each] for each in param_names)]:
        go(page, _with_hostile_query(scene, visit, parameters))
        assert what_got_in(page) == [], parameters


def _param_names(name: str) -> list[str]:
    endpoint = next(each for each in declared("GET") if f"GET {each.url}" == name)
    return ["done", "next", *(field.name for field in fields_of(endpoint.params))] if endpoint.params else ["done", "next"]


def _with_hostile_query(scene: Scene, visit: Visit, parameters: list[str]) -> str:
    return f"{url_of(scene, visit.path).partition('?')[0]}?{urlencode(dict.fromkeys(parameters, SHORT))}"


def _plain(text: str) -> str:
    return " ".join(text.replace("*", "").split())


def _is_whole_on_page(line: str, start: str, page_text: str) -> bool:
    """Whether the line, if the page has it at all, is there as it was typed, or truncated with three dots."""
    occurrences = [start + part for part in page_text.split(start)[1:]]
    return all(text.startswith(line) or line.startswith(re.split(r"\.\.\.|…", text)[0]) for text in occurrences)
