"""Pages for everybody: axe-core finds nothing on any of them, in light and in dark, and nothing too small for a finger; the keyboard
reaches everything."""

import re

import pytest

from tests.web import pages
from tests.web.axe import COLOURS, EVERYTHING, STRUCTURE, TARGETS, violations
from tests.web.keyboard import assert_reaches_everything
from tests.web.pages import FILES, FIRST_VISITS, IN_SHORT, PAGES, REDIRECTS, VISITS, VISITS_IN_EACH_LOOK, Visit, address, reader
from tests.web.scene import Scene
from tests.web.windows import HEIGHT, NARROW, WIDE, Windows

# Where an event is in a week: its hour, minute, column and length.
POSITION = re.compile(r"[a-z]\d+")


def _classes(scene: Scene, visit: Visit) -> set[str]:
    person = reader(scene, visit.reader) or scene.guest
    page = person.get(address(scene, visit.path), headers={"Accept": "text/html"})
    if page.status == 303:
        page = person.get(page.headers["Location"], headers={"Accept": "text/html"})
    assert page.status == 200, (str(visit), page)
    classes = {name for value in re.findall(r'class="([^"]*)"', page.text) for name in value.split()}
    return {name for name in classes if not POSITION.fullmatch(name)}


def test_every_page_is_visited() -> None:
    assert {f"GET {endpoint.url}" for endpoint in pages.declared("GET")} - FILES - REDIRECTS == set(PAGES)


def test_every_class_is_on_a_page_that_is_checked_in_each_look(scene: Scene) -> None:
    classes = {visit: _classes(scene, visit) for visit in VISITS}
    checked = set().union(*(classes[visit] for visit in VISITS_IN_EACH_LOOK))
    missing = {f"{name} ({visit})" for visit in VISITS for name in classes[visit] - checked}
    assert len(checked) > 50
    assert missing == set(), "Add a visit of a page with these classes to VISITS_IN_EACH_LOOK."


@pytest.mark.parametrize("visit", IN_SHORT, ids=str)
def test_a_page_is_accessible_by_keyboard_in_the_dark_and_on_a_phone(looks: Windows, scene: Scene, visit: Visit, soak: bool) -> None:
    """In short, what is around the content is walked through on the start page only, and scanned on pages that are checked in each look."""
    in_each_look = soak or visit in VISITS_IN_EACH_LOOK
    page = pages.visit(looks, scene, visit)
    if visit in FIRST_VISITS:
        assert_reaches_everything(page, "body" if soak or visit == FIRST_VISITS[0] else "main")
    problems = violations(page, EVERYTHING if in_each_look else STRUCTURE, around=in_each_look)
    if in_each_look:
        page.emulate_media(color_scheme="dark")
        problems += violations(page, COLOURS)
        page.emulate_media(color_scheme="light")
        page.set_viewport_size({"width": NARROW, "height": HEIGHT})
        problems += violations(page, TARGETS)
        page.set_viewport_size({"width": WIDE, "height": HEIGHT})
    assert not problems, "\n".join(problems)
