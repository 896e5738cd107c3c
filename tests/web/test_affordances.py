"""What can be clicked looks like it, is as large as it looks, and is told apart where the browser replaces all colours."""

import re

import pytest
from playwright.sync_api import expect

from tests.web import pages
from tests.web.axe import COLOURS, violations
from tests.web.pages import Visit
from tests.web.scene import Scene
from tests.web.windows import Windows, go

# How the elements that are current look, and how others of the same kind do.
LOOKS = """([current, others]) => [current, others].map(selector => [...document.querySelectorAll(selector)].map(element => {
  const style = getComputedStyle(element);
  // Without its opacity: what is transparent lies on the same colour as what is not.
  const background = style.backgroundColor.match(/\\d+/g).slice(0, 3);
  return [background, style.borderBottomWidth, style.borderBottomColor, style.fontWeight, style.textDecorationLine].join(' ');
}))"""


def test_the_initials_of_a_member_are_a_menu(looks: Windows, scene: Scene) -> None:
    page = looks.cached(scene.alice)
    go(page, "/")
    summary = page.locator(".me > summary")
    expect(summary).to_have_attribute("aria-label", "Menu of Alice Martin")
    expect(page.get_by_role("link", name="Calendars", exact=True)).to_be_hidden()
    summary.click()
    expect(page.get_by_role("link", name="Calendars", exact=True)).to_be_visible()


@pytest.mark.parametrize("place", ["top left", "bottom right"])
def test_the_whole_card_leads_to_its_event(looks: Windows, scene: Scene, place: str) -> None:
    page = looks.cached()
    go(page, "/?text=coltrane")
    card = page.locator(".cards .card", has=page.locator(f"a[href='/events/{scene.event['id']}']"))
    box = card.bounding_box()
    assert box is not None
    card.click(position={"x": 10, "y": 10} if place == "top left" else {"x": box["width"] - 10, "y": box["height"] - 10})
    expect(page).to_have_url(re.compile(f"/events/{scene.event['id']}$"))


@pytest.mark.parametrize(
    ("visit", "kinds"),
    [
        (Visit("guest", "/?when=today"), {".days [aria-current]": ".days a:not([aria-current])"}),
        (
            Visit("alice", "/calendar"),
            {
                ".views [aria-current]": ".views a:not([aria-current])",
                ".date[aria-current]": ".date:not([aria-current])",
            },
        ),
        (Visit("guest", "/calendar"), {".top nav [aria-current]": ".top nav a:not([aria-current])"}),
        (Visit("alice", "/events/{event}/responses"), {"main .chips [aria-current]": "main .chips a:not([aria-current])"}),
    ],
    ids=str,
)
def test_what_is_current_is_told_apart_with_forced_colours(looks: Windows, scene: Scene, visit: Visit, kinds: dict[str, str]) -> None:
    page = pages.visit(looks, scene, visit)
    page.emulate_media(forced_colors="active")
    try:
        appearances = {current: page.evaluate(LOOKS, [current, others]) for current, others in kinds.items()}
        problems = violations(page, COLOURS)
    finally:
        page.emulate_media(forced_colors="none")
    for selector, (current, others) in appearances.items():
        assert current, selector
        assert others, selector
        assert not set(current) & set(others), selector
    assert not problems, "\n".join(problems)
