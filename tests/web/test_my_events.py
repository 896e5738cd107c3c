"""What a member goes to and is invited to, in a browser: answered in the list and in the calendar, with and without scripts."""

import re
from contextlib import closing
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from kalends.core.settings import Settings
from kalends.db import open_database
from tests.cast import Cast, Person, a_response, an_event, an_invitation, verified
from tests.web.axe import EVERYTHING, violations
from tests.web.windows import ON_PHONE_AND_LAPTOP, PHONE, Windows, go

FRIDAY = "2099-11-20"
SMALL = 320
# The title of the event is there for screen readers.
GOING = re.compile("Going.*Picnic")
TOO_WIDE = "() => document.documentElement.scrollWidth > innerWidth"


@pytest.fixture
def guest_of_alice(people: Cast, folder: Any) -> Person:
    """A member with a verified address."""
    with closing(open_database(Settings(data=str(folder)))) as db:
        return verified(db, people.carol)


@pytest.fixture
def picnic(people: Cast, guest_of_alice: Person) -> dict[str, Any]:
    """A private event to which the member is invited."""
    event = an_event(people.alice, title="Picnic", start_time=f"{FRIDAY}T18:00", end_time=f"{FRIDAY}T20:00", visibility="members")
    an_invitation(people.alice, event, guest_of_alice.email_address)
    return event


def entry(page: Page) -> Any:
    return page.locator("#calendar .entry", has_text="Picnic")


def test_an_invited_member_answers_in_the_list_without_scripts(windows: Windows, guest_of_alice: Person, picnic: dict[str, Any]) -> None:
    page = windows.open(guest_of_alice, width=SMALL, script=False)
    go(page, "/my-events")
    assert not page.evaluate(TOO_WIDE)
    page.get_by_role("button", name=GOING).click()
    expect(page.get_by_role("heading", name="Waiting for your answer")).to_have_count(0)
    expect(page.get_by_role("listitem").filter(has_text="Picnic")).to_contain_text("Going")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("button", name=GOING)).to_be_visible()
    go(page, f"/calendar?view=week&date={FRIDAY}")
    entry(page).click()
    expect(page.get_by_role("heading", name="Picnic")).to_be_visible()


@pytest.mark.parametrize("width", [1280, PHONE])
def test_an_invited_member_answers_in_the_calendar(windows: Windows, guest_of_alice: Person, picnic: dict[str, Any], width: int) -> None:
    page = windows.open(guest_of_alice, width=width)
    go(page, f"/calendar?view=week&date={FRIDAY}&time_zone=UTC")
    expect(entry(page)).to_contain_text("Invited")
    entry(page).press("Enter")
    card = page.get_by_role("dialog", name="Picnic")
    expect(card).to_contain_text("Alice invites you")
    expect(card.get_by_role("button", name="Close")).to_be_focused()
    assert violations(page, EVERYTHING, "#card") == []
    card.get_by_role("button", name="Going").press("Enter")
    expect(card.get_by_role("button", name="Going")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#calendar .mine-going")).to_have_count(1)
    card.get_by_role("button", name="Close").press("Enter")
    expect(card).to_be_hidden()
    go(page, "/my-events")
    expect(page.get_by_role("listitem").filter(has_text="Picnic")).to_contain_text("Going")
    assert violations(page, EVERYTHING) == []


def test_a_member_who_said_yes_finds_the_event_in_every_view_of_the_calendar(windows: Windows, people: Cast) -> None:
    event = an_event(people.alice, title="Picnic", start_time=f"{FRIDAY}T18:00", public=True)
    a_response(people.carol, event, number=2)
    page = windows.open(people.carol)
    for view in ("month", "week", "day"):
        go(page, f"/calendar?view={view}&date={FRIDAY}&time_zone=UTC")
        expect(entry(page)).to_contain_text("Going, 2 of you")
    go(page, f"/calendar?view=agenda&date={FRIDAY}&time_zone=UTC")
    expect(page.get_by_role("listitem").filter(has=page.get_by_role("link", name="Picnic"))).to_contain_text("Going, 2 of you")
    page.get_by_role("checkbox", name="Invited and going").press("Space")
    expect(page.get_by_role("link", name="Picnic")).to_have_count(0)


@ON_PHONE_AND_LAPTOP
def test_one_tap_says_yes_and_one_more_finds_the_event_again(windows: Windows, people: Cast, width: int, script: bool) -> None:
    event = an_event(people.alice, title="Picnic", start_time=f"{FRIDAY}T18:00", public=True)
    page = windows.open(people.carol, width=width, script=script)
    go(page, f"/events/{event['id']}")
    page.locator("#respond").get_by_role("button", name="Going").click()
    expect(page.get_by_role("heading", name="You’re going")).to_be_visible()
    page.get_by_role("link", name="My events").locator("visible=true").first.click()
    expect(page.get_by_role("listitem").filter(has_text="Picnic")).to_contain_text("Going")
    go(page, f"/calendar?view=week&date={FRIDAY}&time_zone=UTC")
    expect(entry(page)).to_contain_text("Going")


def test_an_invitation_is_removed_from_the_calendar_and_put_back(windows: Windows, guest_of_alice: Person, picnic: dict[str, Any]) -> None:
    page = windows.open(guest_of_alice)
    go(page, f"/calendar?date={FRIDAY}&time_zone=UTC")
    entry(page).click()
    page.get_by_role("button", name="Remove from my calendar").click()
    expect(entry(page)).to_have_count(0)
    expect(page.get_by_role("status")).to_contain_text("Removed from your calendar. You haven’t answered.")
    page.get_by_role("button", name="Undo").click()
    expect(entry(page)).to_have_count(1)


def test_an_own_event_is_deleted_in_its_card_and_restored(windows: Windows, people: Cast) -> None:
    an_event(people.alice, title="Picnic", start_time=f"{FRIDAY}T18:00", visibility="members")
    page = windows.open(people.alice)
    go(page, f"/calendar?date={FRIDAY}&time_zone=UTC")
    entry(page).click()
    page.get_by_role("dialog", name="Picnic").get_by_role("button", name="Delete").click()
    expect(entry(page)).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(entry(page)).to_have_count(1)


def test_the_list_and_the_calendar_are_mirrored_and_fit_a_small_phone(
    windows: Windows, guest_of_alice: Person, picnic: dict[str, Any]
) -> None:
    page = windows.open(guest_of_alice, width=SMALL, locale="ar", dark=True)
    for path in ("/my-events", f"/calendar?view=week&date={FRIDAY}", f"/calendar?date={FRIDAY}"):
        go(page, path)
        assert page.evaluate("() => document.documentElement.dir") == "rtl"
        assert not page.evaluate(TOO_WIDE)
        assert violations(page, EVERYTHING) == []
