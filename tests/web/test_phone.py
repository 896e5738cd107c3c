"""Pages on a phone: one row of navigation that thumbs can hit, and room for places."""

import pytest
from playwright.sync_api import expect

from tests.cast import an_event
from tests.web import pages
from tests.web.pages import Visit
from tests.web.scene import Scene
from tests.web.windows import Windows, go

PHONE = 390
# The words of controls and of heads that are broken inside: each is in several lines.
BROKEN = """names => [...document.querySelectorAll(names)].flatMap(element => {
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT), broken = [];
  while (texts.nextNode())
    for (const word of texts.currentNode.data.matchAll(/[^\\s-]+/g)) {
      const range = document.createRange();
      range.setStart(texts.currentNode, word.index);
      range.setEnd(texts.currentNode, word.index + word[0].length);
      if (new Set([...range.getClientRects()].map(box => Math.round(box.top))).size > 1) broken.push(word[0]);
    }
  return broken;
})"""
# Where the text of an element is, from the top.
MIDDLE = "element => { const range = document.createRange(); range.selectNodeContents(element); return range.getBoundingClientRect().top; }"
# What WCAG and the makers of phones ask for.
TARGET = 44


@pytest.mark.parametrize(("reader", "number"), [("guest", 3), ("alice", 3)])
def test_the_header_is_one_row_of_large_targets(looks: Windows, scene: Scene, reader: str, number: int) -> None:
    page = pages.visit(looks, scene, Visit(reader, "/"), PHONE)
    targets = page.locator(".top > a, .top > .menu > summary")
    boxes = [box for target in targets.all() if (box := target.bounding_box())]
    assert len(boxes) == number
    assert {round(box["height"]) >= TARGET for box in boxes} == {True}
    assert len({round(box["y"] + box["height"] / 2) for box in boxes}) == 1


def test_a_member_has_a_bar_under_the_thumb_and_a_page_for_the_rest(looks: Windows, scene: Scene) -> None:
    page = pages.visit(looks, scene, Visit("alice", "/"), PHONE)
    bar = page.locator(".under")
    assert min(box["height"] for item in bar.locator("a").all() if (box := item.bounding_box())) >= TARGET
    expect(bar.get_by_role("link", name="Discover")).to_have_attribute("aria-current", "page")
    bar.get_by_role("link", name="Me", exact=True).click()
    for name in ("Contacts", "Settings", "Organisers"):
        expect(page.locator("main").get_by_role("link", name=name)).to_be_visible()


def test_a_guest_has_a_menu(looks: Windows, scene: Scene) -> None:
    page = pages.visit(looks, scene, Visit("guest", "/"), PHONE)
    expect(page.locator(".under")).to_have_count(0)
    page.locator(".top .menu > summary").click()
    expect(page.locator(".top .menu").get_by_role("link", name="Sign in")).to_be_visible()


def test_a_form_ends_in_its_own_button(looks: Windows, scene: Scene) -> None:
    expect(pages.visit(looks, scene, Visit("alice", "/events/new"), PHONE).locator(".under")).to_have_count(0)


def test_places_have_the_width_of_an_agenda(looks: Windows, scene: Scene) -> None:
    day = scene.day(9)
    an_event(scene.alice, title="Reading", start_time=f"{day}T19:00", location="Library of the Old Harbour, 12 Quay Street, Bristol")
    page = looks.cached(scene.alice, width=PHONE)
    go(page, f"/calendar?view=agenda&date={day}")
    place = page.locator(".rows .what", has_text="Reading")
    assert place.evaluate("element => element.getBoundingClientRect().width") > 300


@pytest.mark.parametrize("language", ["it", "ar"])
def test_words_of_controls_are_not_broken(looks: Windows, scene: Scene, language: str) -> None:
    page = looks.open(scene.alice, width=PHONE, locale=language)
    for path, names in (("/calendar", ".views a, .month th"), (f"/events/{scene.event['id']}/responses", ".chart dt, .tabs a, .button")):
        go(page, path)
        assert page.locator("html").get_attribute("lang") == language
        assert page.evaluate(BROKEN, names) == []


def test_the_bottom_of_a_page_is_in_one_line_and_clear_of_the_bar(looks: Windows, scene: Scene) -> None:
    page = pages.visit(looks, scene, Visit("alice", "/calendar?view=day&date={day}"), PHONE)
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    bar, bottom = page.locator(".under").bounding_box(), page.locator(".bottom").bounding_box()
    assert bar
    assert bottom
    assert bottom["y"] + bottom["height"] <= bar["y"]
    assert page.locator(".plus").get_attribute("href") == f"/events/new?start_time={scene.day(1)}"
    words = [page.locator(".bottom").get_by_text(text).evaluate(MIDDLE) for text in ("RSS", "Made with Kalends")]
    assert words[0] == words[1]
