"""A family responds on the page of an event, and a guest on the page behind a mail, with and without scripts, on a phone and a laptop."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from kalends.core.settings import Settings
from tests.cast import Cast, a_calendar, a_question, an_event, an_invitation
from tests.openapi.serving import Service
from tests.responses.mail import an_invitation_token
from tests.web.axe import COLOURS_AND_TARGETS, violations
from tests.web.windows import HEIGHT, ON_PHONE_AND_LAPTOP, WIDE, Windows, go


@pytest.fixture
def service_settings(folder: Path, service: Service) -> Settings:
    return Settings(data=str(folder), base_url=service.url)


FAMILY = 4
SMALLEST = 320


class Taps:
    """Counts the taps, and the fields that are filled in."""

    def __init__(self) -> None:
        self.taps = self.fields = 0

    def tap(self, target: Locator) -> None:
        self.taps += 1
        target.click()

    def fill(self, target: Locator, text: str) -> None:
        self.fields += 1
        target.fill(text)


def _a_series(people: Cast, **fields: Any) -> dict[str, Any]:
    event = an_event(people.alice, public=True, start_time="2040-06-01T20:00", end_time="2040-06-01T22:00", location="Café Lotte", **fields)
    assert people.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "WEEKLY", "count": 8}).status == 200
    return event


def _card(page: Page) -> Locator:
    return page.locator("#respond")


def _respond_as_family(page: Page, event: dict[str, Any], *, address: str = "ida@example.org", verb: str = "I’m going") -> Taps:
    """Going, the list of numbers, 4, the verb."""
    go(page, f"/events/{event['id']}")
    taps, card = Taps(), _card(page)
    expect(card.get_by_text("Going", exact=True)).to_be_in_viewport()
    taps.tap(card.get_by_text("Going", exact=True))
    taps.fill(card.get_by_label("Your name"), "Ida Berg")
    taps.fill(card.get_by_label("Email"), address)
    # A list on a phone is opened with one tap, and answered with another.
    taps.taps += 2
    card.get_by_label("How many are you?").select_option(str(FAMILY))
    taps.tap(card.get_by_role("button", name=verb))
    expect(page.get_by_role("heading", name=re.compile("^(You’re|Almost) "))).to_be_visible()
    return taps


@ON_PHONE_AND_LAPTOP
def test_a_family_of_four_responds_to_one_date_and_reads_whether_it_has_spots(
    windows: Windows, people: Cast, width: int, script: bool
) -> None:
    event = _a_series(people, capacity=6, waiting_list="auto")
    page = windows.open(width=width, script=script)
    taps = _respond_as_family(page, event)
    assert (taps.taps <= 4, taps.fields <= 2) == (True, True)
    ticket = page.locator("#ticket")
    expect(ticket).to_be_in_viewport()
    expect(ticket.get_by_role("heading", name="Almost done")).to_be_visible()
    expect(ticket).to_contain_text("4 spots are held for you.")
    expect(ticket).to_contain_text("ask the organiser to approve your RSVP by")
    expect(ticket).to_contain_text("Ida Berg and 3 more")
    expect(page.get_by_text("This site sends no email. In this browser, you can change your RSVP here.")).to_be_visible()
    expect(_card(page)).to_have_count(0)
    other = windows.open(width=width, script=script)
    _respond_as_family(other, event, address="eva@example.org", verb="Join the waiting list")
    expect(other.locator("#ticket")).to_contain_text("First in line, for 4 spots.")
    other.get_by_role("button", name="Come with 2 now").click()
    expect(other.locator("#ticket")).to_contain_text("2 spots are held for you.")
    responses = people.alice.get(f"/api/responses?event_id={event['id']}").json["responses"]
    assert [(each["number"], each["place"]["place"]) for each in responses] == [(4, "held"), (2, "held")]


@ON_PHONE_AND_LAPTOP
def test_a_guest_says_yes_with_one_tap_after_the_link_in_the_mail(
    windows: Windows, people: Cast, service_settings: Settings, width: int, script: bool
) -> None:
    event = an_event(people.alice, start_time="2040-06-01T20:00", title="Birthday")
    a_question(people.alice, f"/api/events/{event['id']}", label="What do you bring?", kind="text", required=True)
    invitation = an_invitation(people.alice, event, "ben@example.org")
    page = windows.open(width=width, script=script)
    go(page, f"/i/{an_invitation_token(service_settings, invitation['id'])}?response=YES")
    yes = page.get_by_role("main").get_by_role("button").first
    expect(yes).to_have_text("Yes, I’m coming")
    expect(yes).to_be_in_viewport()
    yes.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("You’re going")
    responses = people.alice.get(f"/api/responses?event_id={event['id']}").json["responses"]
    assert [(each["email_address"], each["response"]) for each in responses] == [("ben@example.org", "YES")]
    # What else there is to say comes afterwards.
    page.get_by_role("link", name="Answer the questions").click()
    page.get_by_label("What do you bring?").fill("Cake")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_label("How many are you?").select_option("6")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#ticket")).to_contain_text("Cake")
    assert people.alice.get(f"/api/responses?event_id={event['id']}").json["responses"][0]["number"] == 6


def test_the_link_of_no_in_the_mail_has_no_first(windows: Windows, people: Cast, service_settings: Settings) -> None:
    event = an_event(people.alice, start_time="2040-06-01T20:00")
    invitation = an_invitation(people.alice, event, "ben@example.org")
    page = windows.open(width=390, script=False)
    go(page, f"/i/{an_invitation_token(service_settings, invitation['id'])}?response=NO")
    expect(page.get_by_role("main").get_by_role("button").first).to_have_text("No, I can’t")
    page.get_by_role("main").get_by_role("button").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("You can’t go")


@ON_PHONE_AND_LAPTOP
def test_a_member_says_yes_with_one_tap(windows: Windows, people: Cast, width: int, script: bool) -> None:
    event = an_event(people.alice, public=True, start_time="2040-06-01T20:00")
    page = windows.open(people.bob, width=width, script=script)
    go(page, f"/events/{event['id']}")
    _card(page).get_by_role("button", name="Going").click()
    ticket = page.locator("#ticket")
    expect(ticket.get_by_role("heading", name="You’re going")).to_be_visible()
    ticket.get_by_label("How many are you?").select_option("3")
    ticket.get_by_role("button", name="Save").click()
    expect(page.locator("#ticket").get_by_label("How many are you?")).to_have_value("3")
    page.get_by_role("link", name="Change or cancel").click()
    _card(page).get_by_role("button", name="Can’t go").click()
    expect(page.get_by_role("heading", name="You can’t go")).to_be_visible()


def test_a_guest_changes_the_response_in_the_browser_in_which_it_was_made(windows: Windows, people: Cast) -> None:
    event = _a_series(people)
    page = windows.open(width=390)
    _respond_as_family(page, event)
    page.get_by_role("button", name="RSVP for all dates").click()
    expect(page.get_by_role("heading", name="You’re going to all dates")).to_be_visible()
    page.get_by_role("link", name="Change or cancel").click()
    card = _card(page)
    expect(card.get_by_label("How many are you?")).to_have_value("4")
    # The person is known.
    expect(card.get_by_label("Your name")).to_be_hidden()
    card.get_by_text("Can’t go", exact=True).click()
    expect(card.get_by_label("How many are you?")).to_be_hidden()
    card.get_by_role("button", name="I can’t go").click()
    expect(page.get_by_role("heading", name="You can’t go")).to_be_visible()


def test_a_guest_says_how_few_would_come_only_where_spots_are_too_few(windows: Windows, people: Cast) -> None:
    event = an_event(people.alice, public=True, start_time="2040-06-01T20:00", capacity=3, waiting_list="auto")
    page = windows.open(width=390, script=False)
    go(page, f"/events/{event['id']}?response=YES")
    fewest = _card(page).get_by_label("If there aren’t enough spots")
    expect(fewest).to_be_hidden()
    _card(page).get_by_label("How many are you?").select_option("4")
    expect(fewest).to_be_visible()
    assert fewest.evaluate(
        "list => [...list.options].filter(each => getComputedStyle(each).display !== 'none').map(each => each.value)"
    ) == [
        "",
        "1",
        "2",
        "3",
    ]


def test_the_button_says_when_a_party_joins_the_waiting_list(windows: Windows, people: Cast) -> None:
    event = an_event(people.alice, public=True, start_time="2040-06-01T20:00", capacity=2, waiting_list="auto")
    page = windows.open(width=390, script=False)
    go(page, f"/events/{event['id']}?response=YES")
    card, number = _card(page), _card(page).get_by_label("How many are you?")
    going, joining = (card.get_by_role("button", name=name, exact=True) for name in ("I’m going", "Join the waiting list"))
    for people_, fewest, expected in (("2", None, going), ("4", None, joining), ("4", "2", going), ("4", "3", joining), ("1", None, going)):
        number.select_option(people_)
        if fewest:
            card.get_by_label("If there aren’t enough spots").select_option(fewest)
        expect(expected).to_be_visible()
        assert card.get_by_role("button", name="Join the waiting list").or_(card.get_by_role("button", name="I’m going")).count() == 1


def test_a_tap_on_going_leads_to_the_name_and_arrow_keys_do_not(windows: Windows, people: Cast) -> None:
    event = _a_series(people)
    page = windows.open(width=390)
    go(page, f"/events/{event['id']}")
    _card(page).get_by_text("Going", exact=True).click()
    expect(_card(page).get_by_label("Your name")).to_be_focused()
    expect(_card(page).get_by_text("Going", exact=True)).to_be_in_viewport()
    expect(_card(page).get_by_label("Your name")).to_be_in_viewport()
    go(page, f"/events/{event['id']}")
    _card(page).get_by_role("radio", name="Going").focus()
    page.keyboard.press("ArrowRight")
    expect(_card(page).get_by_role("radio", name="Maybe")).to_be_focused()


@ON_PHONE_AND_LAPTOP
def test_a_guest_subscribes_to_the_organiser_beside_the_name(windows: Windows, people: Cast, width: int, script: bool) -> None:
    event = _a_series(people, calendar_id=a_calendar(people.alice, public=True)["id"])
    page = windows.open(width=width, script=script)
    go(page, f"/events/{event['id']}")
    page.get_by_text("Subscribe to events by Alice").click()
    form = page.locator(".subscribe form")
    form.get_by_label("Email address").fill("ida@example.org")
    assert not script or violations(page) == []
    form.get_by_role("button", name="Email me about events").click()
    expect(page.locator(".notice")).to_contain_text("nothing would reach you")
    assert page.url.endswith(f"/events/{event['id']}")
    deliveries = people.alice.get("/api/deliveries").json["deliveries"]
    assert [(each["kind"], each["address"]) for each in deliveries] == [("confirm", "ida@example.org")]


def test_the_response_that_holds_is_marked_behind_the_link(windows: Windows, people: Cast, service_settings: Settings) -> None:
    event = an_event(people.alice, start_time="2040-06-01T20:00")
    invitation = an_invitation(people.alice, event, "ben@example.org")
    page = windows.open(width=390, script=False)
    go(page, f"/i/{an_invitation_token(service_settings, invitation['id'])}?response=YES")
    page.get_by_role("button", name="Maybe").click()
    chosen = page.locator(".decide [aria-current]")
    expect(chosen).to_have_text("Maybe")
    expect(chosen.locator("svg")).to_be_visible()
    buttons = page.locator(".decide button").all()
    colors = [each.evaluate("each => getComputedStyle(each).backgroundColor") for each in buttons]
    assert colors[0] == colors[2] != colors[1]


def test_the_buttons_of_the_stepper_stop_at_its_ends(windows: Windows, people: Cast) -> None:
    event = an_event(people.alice, public=True, start_time="2040-06-01T20:00", party_max=2)
    page = windows.open(width=390)
    go(page, f"/events/{event['id']}?response=YES")
    fewer, more = page.get_by_role("button", name="One fewer"), page.get_by_role("button", name="One more")
    expect(fewer).to_be_disabled()
    more.click()
    expect(page.get_by_label("How many are you?")).to_have_value("2")
    expect(more).to_be_disabled()
    expect(fewer).to_be_enabled()


def test_the_bar_under_the_thumb_is_in_view_while_the_card_is_not(windows: Windows, people: Cast) -> None:
    event = an_event(people.alice, public=True, start_time="2040-06-01T20:00", description="A long text.\n" * 80)
    page = windows.open(width=390)
    go(page, f"/events/{event['id']}")
    bar = page.get_by_role("navigation", name="Are you going?")
    expect(bar).to_be_hidden()
    page.get_by_role("contentinfo").scroll_into_view_if_needed()
    bar.get_by_role("link", name="Maybe").click()
    expect(_card(page).get_by_role("button", name="I might go")).to_be_in_viewport()


def test_the_states_of_responding_are_accessible_and_fit(windows: Windows, people: Cast, service_settings: Settings) -> None:
    """On a laptop by daylight, and on the smallest phone in the dark."""
    event = _a_series(people, capacity=6, waiting_list="auto")
    invitation = an_invitation(people.alice, event, "ben@example.org")
    page = windows.open()

    def check(page: Page, state: str) -> None:
        problems = violations(page)
        page.emulate_media(color_scheme="dark")
        page.set_viewport_size({"width": SMALLEST, "height": HEIGHT})
        problems += violations(page, COLOURS_AND_TARGETS)
        assert problems == [], state
        assert page.evaluate("document.documentElement.scrollWidth") <= SMALLEST, state
        page.emulate_media(color_scheme="light")
        page.set_viewport_size({"width": WIDE, "height": HEIGHT})

    go(page, f"/events/{event['id']}?response=YES")
    check(page, "form")
    for number, state in (("4", "spots"), ("3", "change")):
        go(page, f"/events/{event['id']}?response=YES")
        card = _card(page)
        if state == "spots":
            card.get_by_label("Your name").fill("Ida Berg")
            card.get_by_label("Email").fill("ida@example.org")
        card.get_by_label("How many are you?").select_option(number)
        card.get_by_role("button", name="I’m going").click()
        page.locator("#ticket").wait_for()
        page.locator("#ticket").get_by_text("Add to calendar").click()
        check(page, state)
    other = windows.open()
    _respond_as_family(other, event, address="eva@example.org", verb="Join the waiting list")
    check(other, "waiting")
    go(page, f"/i/{an_invitation_token(service_settings, invitation['id'])}")
    check(page, "invitation")
    page.get_by_role("button", name="Maybe").click()
    page.locator("#ticket").wait_for()
    check(page, "link")


def test_the_card_is_mirrored_in_arabic(windows: Windows, people: Cast) -> None:
    event = _a_series(people)
    page = windows.open(width=390, locale="ar")
    go(page, f"/events/{event['id']}?response=YES&lang=ar")
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    boxes = [each.bounding_box() for each in _card(page).locator(".decide label").all()]
    places = [box["x"] for box in boxes if box]
    assert len(places) == 3
    assert places == sorted(places, reverse=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
