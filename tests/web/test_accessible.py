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
def test_a_page_is_accessible(windows: Windows, scene: Scene, visit: Visit) -> None:
    page, _ = pages.visit(windows, scene, visit)
    found = violations(page)
    page.emulate_media(color_scheme="dark")
    assert not found + violations(page, COLOURS), "\n".join(found)
