"""Pages on a phone: one row of navigation that thumbs can hit, and room for places."""

import pytest
from playwright.sync_api import expect

from tests.cast import an_event
from tests.web import pages
from tests.web.pages import Visit
from tests.web.scene import Scene
from tests.web.windows import Windows, go

PHONE = 390
# What WCAG and the makers of phones ask for.
TARGET = 44


@pytest.mark.parametrize("reader", ["guest", "alice"])
def test_the_navigation_is_one_row_of_large_targets(looks: Windows, scene: Scene, reader: str) -> None:
    page = pages.visit(looks, scene, Visit(reader, "/"), PHONE)
    targets = page.locator(".top .brand, .top nav > ul > li > a:visible, .menu > summary")
    boxes = [box for target in targets.all() if (box := target.bounding_box())]
    assert len(boxes) == 4
    assert {round(box["height"]) >= TARGET for box in boxes} == {True}
    assert len({round(box["y"]) for box in boxes}) == 1


def test_the_menu_of_a_phone_has_what_its_bar_has_no_room_for(looks: Windows, scene: Scene) -> None:
    page = pages.visit(looks, scene, Visit("alice", "/"), PHONE)
    page.locator("details.menu > summary").click()
    for name in ("Organisers", "Contacts"):
        expect(page.locator(".menu").get_by_role("link", name=name)).to_be_visible()
    assert min(box["height"] for item in page.locator(".menu li > :visible").all() if (box := item.bounding_box())) >= TARGET


def test_places_have_the_width_of_an_agenda(looks: Windows, scene: Scene) -> None:
    day = scene.day(9)
    an_event(scene.alice, title="Reading", start_time=f"{day}T19:00", location="Library of the Old Harbour, 12 Quay Street, Bristol")
    page = looks.cached(scene.alice, width=PHONE)
    go(page, f"/calendar?view=agenda&date={day}")
    place = page.locator(".rows .what", has_text="Reading")
    assert place.evaluate("element => element.getBoundingClientRect().width") > 300
