"""Pages on a small phone: nothing sticks out sideways, however long the words, whichever way they are written."""

import pytest

from tests.cast import Cast, an_event
from tests.client import Client
from tests.web import pages
from tests.web.pages import IN_EACH_LOOK, Visit
from tests.web.scene import Scene, at_length
from tests.web.windows import Windows, go

# The width at which WCAG asks for pages that need not be scrolled sideways.
SMALLEST = 320
# Elements beyond an edge that nothing around them scrolls or hides. The skip link is there on purpose.
STICKING_OUT = """[...document.body.querySelectorAll('*:not(.skip)')]
  .filter(element => element.checkVisibility())
  .filter(element => element.getBoundingClientRect().right > innerWidth + 1 || element.getBoundingClientRect().left < -1)
  .filter(element => {
    for (let around = element.parentElement; around; around = around.parentElement)
      if (getComputedStyle(around).overflowX !== 'visible' && around.getBoundingClientRect().right <= innerWidth + 1
        && around.getBoundingClientRect().left >= -1) return false;
    return element.getBoundingClientRect().width > 1;
  })
  .map(element => element.outerHTML.slice(0, 120))"""
# As it opens, with all that unfolds, and written the other way.
MEASURED = f"""() => {{
  const stickingOut = () => {STICKING_OUT};
  const measured = {{width: document.scrollingElement.scrollWidth, viewport_width: innerWidth, closed: stickingOut()}};
  document.querySelectorAll('details').forEach(details => {{ details.open = true; }});
  measured.open = stickingOut();
  document.documentElement.dir = 'rtl';
  measured.mirrored = stickingOut();
  return measured;
}}"""


@pytest.fixture(scope="session")
def long_scene(guest: Client, scene: Scene) -> Scene:
    """The scene in words that no phone is wide enough for."""
    return Scene(Cast(guest), scene.settings, at_length)


@pytest.mark.parametrize("visit", IN_EACH_LOOK, ids=str)
def test_a_page_fits_a_phone(looks: Windows, long_scene: Scene, visit: Visit) -> None:
    page = pages.visit(looks, long_scene, visit, SMALLEST)
    measured = page.evaluate(MEASURED)
    assert measured["width"] <= measured["viewport_width"] == SMALLEST, measured
    assert not measured["closed"] + measured["open"] + measured["mirrored"], measured


def test_the_chip_of_a_search_does_not_widen_the_start_page_of_a_phone(looks: Windows) -> None:
    page = looks.cached(width=SMALLEST)
    go(page, "/?text=nothing-of-the-kind")
    assert page.locator(".days [aria-current]").last.inner_text().startswith("nothing-of-the-kind")
    assert page.evaluate("document.scrollingElement.scrollWidth") == SMALLEST


@pytest.mark.parametrize("language", ["de", "fr", "pt"])
def test_a_page_fits_a_phone_in_languages_with_longer_words(looks: Windows, scene: Scene, language: str) -> None:
    page = looks.open(width=SMALLEST, locale=language)
    for path in ("/", f"/events/{an_event(scene.alice, public=True, start_time='2040-06-01T20:00')['id']}"):
        go(page, path)
        assert page.locator("html").get_attribute("lang") == language
        assert page.evaluate("document.scrollingElement.scrollWidth") == SMALLEST
