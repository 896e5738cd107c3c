"""Pages for everybody: axe-core finds nothing on any of them, in light and in dark."""

import pytest

from tests.web import pages
from tests.web.axe import COLOURS, violations
from tests.web.pages import FILES, PAGES, VISITS, Visit
from tests.web.scene import Scene
from tests.web.windows import Windows


def test_every_page_is_visited() -> None:
    assert {f"GET {endpoint.url}" for endpoint in pages.declared("GET")} - FILES == set(PAGES)


@pytest.mark.parametrize("visit", VISITS, ids=str)
def test_a_page_is_accessible(looks: Windows, scene: Scene, visit: Visit) -> None:
    page = pages.visit(looks, scene, visit)
    found = violations(page)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("visit", [visits[0] for visits in PAGES.values()], ids=str)
def test_a_page_is_readable_in_the_dark(looks: Windows, scene: Scene, visit: Visit) -> None:
    page = pages.visit(looks, scene, visit)
    page.emulate_media(color_scheme="dark")
    found = violations(page, COLOURS)
    page.emulate_media(color_scheme="light")
    assert not found, "\n".join(found)
