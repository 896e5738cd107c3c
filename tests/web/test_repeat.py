"""The form that repeats an event in a browser: sentences, other rules and the next dates, with and without scripts, wide and narrow."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.cast import Person
from tests.client import Client
from tests.web.axe import violations
from tests.web.test_narrow import STICKING_OUT
from tests.web.windows import WIDE, Windows, go

PHONE = 390
DATES = ".dates li"


def _preview(page: Page, script: bool, sentence: str, first: list[str]) -> None:
    """The sentence and the dates follow by themselves or, without scripts, after one round trip."""
    button = page.get_by_role("button", name="Preview dates")
    expect(button).to_be_visible(visible=not script)
    if not script:
        button.click()
    expect(page.locator(".dates")).to_contain_text(sentence)
    expect(page.locator(DATES)).to_have_count(5)
    assert page.locator(DATES).all_inner_texts()[: len(first)] == first
    assert page.viewport_size
    assert page.viewport_size["width"] == WIDE or not page.evaluate(STICKING_OUT)


def _create_second_tuesday(page: Page, script: bool) -> int:
    go(page, "/events/new")
    page.fill("[name=title]", "Choir")
    page.fill("[name=start_time]", "2030-03-12")
    page.get_by_text("More options", exact=True).first.click()
    if not script:
        page.get_by_role("button", name="Preview dates").click()
    page.get_by_label("Every second Tuesday of the month").check()
    days = ["Tuesday, 12 March 2030", "Tuesday, 9 April 2030", "Tuesday, 14 May 2030", "Tuesday, 11 June 2030", "Tuesday, 9 July 2030"]
    _preview(page, script, "Every second Tuesday of the month", days)
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Choir")
    return int(page.url.rpartition("/")[2].partition("-")[0])


def _change_to_monday_and_thursday(page: Page, script: bool) -> None:
    page.get_by_label("Custom").check()
    page.get_by_label("Unit").select_option("weeks")
    page.get_by_label("Mon", exact=True).check()
    page.get_by_label("Tue", exact=True).uncheck()
    page.get_by_label("Thu", exact=True).check()
    page.get_by_label("Which ones").select_option("every one")
    # A short series is created sooner than an endless one.
    page.get_by_label("Number of dates").fill("8")
    page.get_by_label("After").check()
    days = ["Tuesday, 12 March 2030", "Thursday, 14 March 2030", "Monday, 18 March 2030"]
    _preview(page, script, "Every week on Monday and Thursday, 8 times", days)


def _change_to_last_day_six_times(page: Page, script: bool) -> None:
    page.get_by_label("Custom").check()
    page.get_by_label("Unit").select_option("months")
    for day in ("Mon", "Thu"):
        page.get_by_label(day, exact=True).uncheck()
    page.get_by_label("On these days of the month").fill("last")
    page.get_by_label("Number of dates").fill("6")
    sentence = "Every last day of the month, 6 times"
    _preview(page, script, sentence, ["Tuesday, 12 March 2030", "Sunday, 31 March 2030", "Tuesday, 30 April 2030"])


@pytest.mark.parametrize("script", [pytest.param(True, marks=pytest.mark.soak), False], ids=["with scripts", "without scripts"])
def test_an_event_is_repeated_by_a_sentence_by_weekdays_and_by_the_last_day(
    windows: Windows, guest: Client, script: bool, soak: bool
) -> None:
    owner = Person(guest, "nora")
    changes: list[tuple[Callable[[Page, bool], None], str]] = [
        (_change_to_monday_and_thursday, "FREQ=WEEKLY;COUNT=8;BYDAY=MO,TH"),
        (_change_to_last_day_six_times, "FREQ=MONTHLY;COUNT=6;BYMONTHDAY=-1"),
    ]
    for width in (WIDE, PHONE) if soak else (WIDE,) if script else (PHONE,):
        page = windows.open(owner, width=width, script=script)
        event_id = _create_second_tuesday(page, script)
        assert owner.get(f"/api/events/{event_id}").json["repeat"]["rrule"] == "FREQ=MONTHLY;BYDAY=2TU"
        for change, rrule in changes:
            go(page, f"/events/{event_id}/repeat")
            change(page, script)
            if script and width == WIDE:
                assert violations(page, within=".repetition") == []
            page.get_by_role("button", name="Replace rule").click()
            expect(page.get_by_role("status").first).to_contain_text("Repeat rule saved")
            assert owner.get(f"/api/events/{event_id}").json["repeat"]["rrule"] == rrule
