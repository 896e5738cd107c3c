"""Texts of the other direction than that of the page: they begin where readers look, and are cut at their end."""

import pytest

from tests.cast import Cast, an_event
from tests.web.windows import Windows, go

LATIN = "Talk about swing and the music that came before it, and after it?"
ARABIC = "حفلة موسيقية في حديقة المدينة مع فرقة من بيروت وأخرى من القاهرة"
# The direction of the box that cuts the text.
DIRECTION = "element => getComputedStyle(element).direction"
PLACE = "1 rue de la Fontaine aux Lions et du Canal Saint-Martin, 75010 Paris"


@pytest.mark.parametrize(("language", "title", "direction"), [("ar", LATIN, "ltr"), ("en-US", ARABIC, "rtl")], ids=["ar", "en"])
def test_a_text_of_the_other_direction_is_cut_at_its_end(looks: Windows, people: Cast, language: str, title: str, direction: str) -> None:
    event = an_event(people.alice, title=title, start_time="2031-03-12T19:00", location=PLACE, public=True, status="cancelled")
    an_event(people.alice, title=title, start_time="2031-03-13T19:00", public=True)
    page = looks.open(locale=language)
    go(page, "/calendar?date=2031-03-12")
    entries = page.locator(".month .entry").filter(has_text=title)
    assert entries.evaluate_all(f"all => all.map({DIRECTION})") == [direction] * 2
    go(page, "/?when=2031-03-12")
    assert page.locator(".cards .place").first.evaluate(DIRECTION) == "ltr"
    edge = "right" if language == "ar" else "left"
    assert page.locator(".cards .place").first.evaluate("place => getComputedStyle(place).textAlign") == edge
    go(page, f"/events/{event['id']}")
    page_direction = page.locator("html").evaluate(DIRECTION)
    assert page.locator("h1").evaluate(DIRECTION) == page_direction
    assert page.locator("h1 bdi").evaluate(DIRECTION) == direction


def test_the_weekdays_of_the_small_month_are_not_broken(looks: Windows) -> None:
    page = looks.open(locale="ar")
    go(page, "/calendar")
    heights = page.locator(".mini th").evaluate_all("all => all.map(each => each.getClientRects()[0].height)")
    assert len(heights) == 7
    assert max(heights) < 25


@pytest.mark.parametrize("language", ["ar", "de"])
def test_the_preview_of_an_event_is_beside_its_form(looks: Windows, people: Cast, language: str) -> None:
    page = looks.open(people.alice, locale=language, width=1280)
    go(page, "/events/new")
    title, preview = page.locator("#title").bounding_box(), page.locator(".beside").bounding_box()
    assert title
    assert preview
    if language == "ar":
        assert preview["x"] + preview["width"] < title["x"]
    else:
        assert preview["x"] > title["x"] + title["width"]
