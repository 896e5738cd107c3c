"""Pages for everybody: axe-core finds nothing on any of them, in light and in dark, and nothing too small for a finger."""

from typing import Any

import pytest

from tests.web import pages
from tests.web.axe import COLOURS, TARGETS, violations
from tests.web.pages import FILES, PAGES, REDIRECTS, VISITS, Visit
from tests.web.scene import Scene
from tests.web.windows import HEIGHT, NARROW, WIDE, Windows

FIRST_VISITS = {visits[0] for visits in PAGES.values()}
# One page of each feature: the colours and the layout of a phone are the same rules on all of them.
VISITS_IN_EACH_LOOK = set({visits[0].path.split("/")[1]: visits[0] for visits in reversed(PAGES.values())}.values())


def _in_short(visit: Visit) -> Any:
    """Each page once; as others see it, and with other things on it, in `make soak`."""
    return visit if visit in FIRST_VISITS else pytest.param(visit, marks=pytest.mark.soak)


def test_every_page_is_visited() -> None:
    assert {f"GET {endpoint.url}" for endpoint in pages.declared("GET")} - FILES - REDIRECTS == set(PAGES)


@pytest.mark.parametrize("visit", [_in_short(visit) for visit in VISITS], ids=str)
def test_a_page_is_accessible_also_in_the_dark_and_on_a_phone(looks: Windows, scene: Scene, visit: Visit, soak: bool) -> None:
    page = pages.visit(looks, scene, visit)
    problems = violations(page)
    if visit in VISITS_IN_EACH_LOOK or soak:
        page.emulate_media(color_scheme="dark")
        problems += violations(page, COLOURS)
        page.emulate_media(color_scheme="light")
        page.set_viewport_size({"width": NARROW, "height": HEIGHT})
        problems += violations(page, TARGETS)
        page.set_viewport_size({"width": WIDE, "height": HEIGHT})
    assert not problems, "\n".join(problems)
