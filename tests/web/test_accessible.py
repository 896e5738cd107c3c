"""Pages for everybody: axe-core finds nothing on any of them, in light and in dark, and nothing too small for a finger; the keyboard
reaches everything."""

import re

import pytest
from playwright.sync_api import Browser

from tests.web import pages
from tests.web.axe import COLOURS_AND_TARGETS, EVERYTHING, FEW, violations
from tests.web.keyboard import assert_reaches_everything
from tests.web.pages import (
    FILES,
    FIRST_VISITS,
    IN_EACH_LOOK,
    IN_SHORT,
    PAGES,
    REDIRECTS,
    VISITS,
    VISITS_IN_EACH_LOOK,
    Visit,
    fetched,
)
from tests.web.parsed import ParsedPages
from tests.web.scene import Scene
from tests.web.windows import HEIGHT, NARROW, WIDE, Windows

# What axe would find without drawing the page: fields, links, buttons and pictures without a name, an id used twice, regions of the same
# name, a level of headings left out, no heading of the first level, no title.
UNNAMED = """() => {
  const named = element => element.labels?.length || element.getAttribute('aria-label') || element.getAttribute('aria-labelledby')
    || element.title || (!element.matches('input, select, textarea') && element.textContent.trim())
    || element.querySelector('img[alt]:not([alt=""])');
  const things = 'input:not([type=hidden]), select, textarea, a[href], button, summary';
  const unnamed = [...document.querySelectorAll(things)].filter(element => !element.hidden && !named(element));
  const problems = unnamed.map(element => element.outerHTML);
  problems.push(...[...document.querySelectorAll('img:not([alt])')].map(element => element.outerHTML));
  const ids = [...document.querySelectorAll('[id]')].map(element => element.id);
  problems.push(...ids.filter((id, n) => ids.indexOf(id) < n));
  const regions = [...document.querySelectorAll('section, [role=region]')].map(element => element.getAttribute('aria-label')
    ?? document.getElementById(element.getAttribute('aria-labelledby'))?.textContent.trim()).filter(Boolean);
  problems.push(...regions.filter((name, n) => regions.indexOf(name) < n));
  let level = 0;
  for (const heading of document.querySelectorAll('h1, h2, h3, h4, h5, h6')) {
    if (heading.tagName[1] > level + 1) problems.push(heading.outerHTML);
    level = +heading.tagName[1];
  }
  if (document.querySelectorAll('h1').length !== 1) problems.push('headings of the first level');
  if (!document.title.trim() || !document.documentElement.lang) problems.push('title and language');
  return problems;
}"""
# More than any page has.
MANY = 100_000
DARK, PALE = '<p><a href="/">Concert</a></p>', '<p><a href="/" style="color: #ddd">Concert</a></p>'
# Where an event is in a week: its hour, minute, column and length.
POSITION = re.compile(r"[a-z]\d+")


def _classes(scene: Scene, visit: Visit) -> set[str]:
    classes = {name for value in re.findall(r'class="([^"]*)"', fetched(scene, visit).text) for name in value.split()}
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
def test_what_a_page_has_is_named(parsed_pages: ParsedPages, scene: Scene, visit: Visit) -> None:
    assert parsed_pages.parse(fetched(scene, visit)).evaluate(UNNAMED) == []


@pytest.mark.parametrize("visit", IN_EACH_LOOK, ids=str)
def test_a_page_is_accessible_by_keyboard_in_the_dark_and_on_a_phone(scans: Windows, scene: Scene, visit: Visit, soak: bool) -> None:
    """In short, what is around the content is walked through on the start page only, and a few of the elements that look alike are
    scanned for their colours and sizes."""
    page = pages.visit(scans, scene, visit)
    if visit in FIRST_VISITS:
        assert_reaches_everything(page, "body" if soak or visit == FIRST_VISITS[0] else "main")
    most_alike = MANY if soak else FEW
    problems = violations(page, EVERYTHING, most_alike=most_alike)
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": NARROW, "height": HEIGHT})
    problems += violations(page, COLOURS_AND_TARGETS, most_alike=most_alike)
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": WIDE, "height": HEIGHT})
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize(("most_alike", "noticed"), [(FEW, FEW), (MANY, 5)])
def test_a_pale_link_is_noticed_among_many_others(scanning_browser: Browser, most_alike: int, noticed: int) -> None:
    with scanning_browser.new_page() as page:
        page.set_content(f'<main style="font: 20px sans-serif">{DARK * 9}{PALE * 5}{DARK * 9}</main>')
        assert len(violations(page, COLOURS_AND_TARGETS, most_alike=most_alike)) == noticed
