"""Pages for everybody: axe-core finds nothing on any of them, in light and in dark, and nothing too small for a finger."""

import re
from typing import Any

import pytest

from tests.web import pages
from tests.web.axe import ALL_BUT_COLOURS, COLOURS, EVERYTHING, TARGETS, violations
from tests.web.pages import FILES, PAGES, REDIRECTS, VISITS, Visit, address, reader
from tests.web.scene import Scene
from tests.web.windows import HEIGHT, NARROW, WIDE, Windows

FIRST_VISITS = {visits[0] for visits in PAGES.values()}
# Together, they have every class that a page has: the style sheet gives the same colours and sizes to a class on all pages.
VISITS_IN_EACH_LOOK = {
    *(Visit("guest", path) for path in ("/", "/events/{event}", "/embed/calendars/{calendar}", "/docs", "/docs/guide")),
    *(Visit("alice", path) for path in ("/calendar?view=week&date={day}", "/calendars/{calendar}", "/calendars/{calendar}/edit")),
    *(Visit("alice", path) for path in ("/events/{event}/edit", "/events/{event}/responses", "/responses", "/account", "/deliveries")),
    *(Visit("alice", path) for path in ("/contacts", "/contacts/imported", "/comments/{comment}/delete?next=/responses")),
    Visit("guest", "/embed/calendars/{calendar}?view=agenda"),
    # The public events of other tests may fill its days.
    Visit("guest", "/calendar"),
}
# Where an event is in a week: its hour, minute, column and length.
POSITION = re.compile(r"[a-z]\d+")


def _in_short(visit: Visit) -> Any:
    """Each page once; as others see it, and with other things on it, in `make soak`."""
    return visit if visit in FIRST_VISITS | VISITS_IN_EACH_LOOK else pytest.param(visit, marks=pytest.mark.soak)


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


@pytest.mark.parametrize("visit", [_in_short(visit) for visit in VISITS], ids=str)
def test_a_page_is_accessible_also_in_the_dark_and_on_a_phone(looks: Windows, scene: Scene, visit: Visit, soak: bool) -> None:
    in_each_look = soak or visit in VISITS_IN_EACH_LOOK
    page = pages.visit(looks, scene, visit)
    problems = violations(page, EVERYTHING if in_each_look else ALL_BUT_COLOURS)
    if in_each_look:
        page.emulate_media(color_scheme="dark")
        problems += violations(page, COLOURS)
        page.emulate_media(color_scheme="light")
        page.set_viewport_size({"width": NARROW, "height": HEIGHT})
        problems += violations(page, TARGETS)
        page.set_viewport_size({"width": WIDE, "height": HEIGHT})
    assert not problems, "\n".join(problems)
