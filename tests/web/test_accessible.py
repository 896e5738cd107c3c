"""Pages for everybody: axe-core finds nothing on any of them, in light and in dark."""

import pytest

from tests.web import pages
from tests.web.axe import COLOURS, violations
from tests.web.pages import FILES, PAGES, VISITS, Visit
from tests.web.scene import Scene
from tests.web.windows import Windows

# The API reference says a hundred times the same in other words; a few of them tell what can be wrong.
SHORTENED = "() => [...document.querySelectorAll('article')].slice(12).forEach(article => article.remove())"


def test_every_page_is_visited() -> None:
    assert {f"GET {endpoint.url}" for endpoint in pages.declared("GET")} - FILES == set(PAGES)


@pytest.mark.parametrize("visit", VISITS, ids=str)
def test_a_page_is_accessible(looks: Windows, scene: Scene, visit: Visit) -> None:
    page = pages.visit(looks, scene, visit)
    page.evaluate(SHORTENED)
    found = violations(page)
    page.emulate_media(color_scheme="dark")
    found += violations(page, COLOURS)
    page.emulate_media(color_scheme="light")
    assert not found, "\n".join(found)
