"""The way of an event through two browsers: created, responded to, moderated, moved, published and deleted; with scripts and without."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from tests.cast import PASSWORD, Cast, a_calendar
from tests.client import Client
from tests.web.windows import Windows, go


@pytest.fixture
def day() -> date:
    """The tenth of next month: the days around it are in its month's grid."""
    return (datetime.now(UTC).date().replace(day=1) + timedelta(days=32)).replace(day=10)


@pytest.mark.parametrize("script", [pytest.param(True, marks=pytest.mark.soak), False], ids=["with scripts", "without scripts"])
def test_the_life_of_an_event(windows: Windows, guest: Client, day: date, script: bool) -> None:
    owner, visitor = windows.open(script=script), windows.open(script=script)
    _sign_up(owner)
    event = _create_series(owner, day)
    _respond_and_comment(visitor, event)
    _approve(owner, event)
    go(visitor, event)
    expect(visitor.get_by_text("Is there a cloak room?")).to_be_visible()
    assert _responses(owner, event) == ["dana@example.org"]
    if script:
        _drag(owner, event, day, day + timedelta(days=1))
    else:
        _move(owner, event, day + timedelta(days=1))
    feed = _feed(owner, guest, event)
    assert f"DTSTART;TZID=Europe/Paris:{day + timedelta(days=1):%Y%m%d}T190000" in feed
    assert f"RECURRENCE-ID;TZID=Europe/Paris:{day:%Y%m%d}T190000" in feed
    _delete_series(owner, event)
    assert go(visitor, event).status == 410
    assert "Open stage" not in _feed(owner, guest)


@pytest.mark.parametrize("script", [True, pytest.param(False, marks=pytest.mark.soak)], ids=["with scripts", "without scripts"])
def test_going_back_and_creating_again_makes_one_event(windows: Windows, people: Cast, script: bool) -> None:
    page = windows.open(people.alice, script=script)
    go(page, "/events/new")
    page.fill("[name=title]", "Backed")
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("status").first).to_contain_text("Published")
    event_url = page.url
    page.go_back()
    expect(page.locator("[name=title]")).to_have_value("Backed")
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Backed")
    assert page.url == event_url
    assert len(people.alice.get("/api/events").json["events"]) == 1


def test_a_calendar_in_search_results_has_a_small_dot(windows: Windows, people: Cast) -> None:
    calendar = a_calendar(people.alice, name=f"Rowers {uuid4().hex}", public=True)
    page = windows.open()
    go(page, f"/?text={calendar['name']}")
    box = page.locator(f"main li:has(a[href='/calendars/{calendar['id']}']) svg").bounding_box()
    assert box is not None
    assert 0 < box["height"] <= 16


def _sign_up(page: Page) -> None:
    name = f"olga-{uuid4().hex[:8]}"
    go(page, "/")
    page.get_by_role("link", name="Sign up").first.click()
    page.fill("[name=user_name]", name)
    page.fill("[name=email_address]", f"{name}@example.org")
    page.fill("[name=name]", "Olga")
    page.fill("[name=password]", PASSWORD)
    page.fill("[name=time_zone]", "Europe/Paris")
    page.get_by_role("button", name="Create account").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Welcome, Olga")
    expect(page.get_by_text("Confirm your email address.")).to_be_visible()


def _create_series(page: Page, day: date) -> str:
    """A weekly series of three; return the path of its first event."""
    page.get_by_role("link", name="New event", exact=True).first.click()
    page.fill("[name=title]", "Open stage")
    page.fill("[name=start_time]", day.isoformat())
    page.fill("[name=start_clock]", "19:00")
    page.fill("[name=end_clock]", "21:30")
    page.fill("[name=location]", "Blue Note, 131 W 3rd St, New York, NY 10012, USA")
    page.select_option("[name=visibility]", "public")
    page.get_by_text("More options", exact=True).first.click()
    preview = page.get_by_role("button", name="Preview dates")
    if preview.is_visible():
        # Without scripts, the sentences are those for the new start after a round trip.
        preview.click()
    page.get_by_label(f"Weekly on {day:%A}").check()
    page.check("[name=ends][value=on]")
    page.fill("[name=end_date]", (day + timedelta(days=14)).isoformat())
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Open stage")
    expect(page.get_by_role("status").first).to_contain_text("Published")
    return page.url.partition("?")[0]


def _respond_and_comment(page: Page, event: str) -> None:
    go(page, event)
    form = page.locator("form[action$='/respond']")
    form.get_by_text("Going", exact=True).click()
    form.locator("[name=number]").select_option("3")
    form.locator("[name=name]").fill("Dana")
    form.locator("[name=email_address]").fill("dana@example.org")
    form.get_by_role("button", name="I’m going").click()
    expect(page.get_by_role("heading", name="You’re going")).to_be_visible()
    expect(page.get_by_text("Dana and 2 more")).to_be_visible()
    comment = page.locator("form[action$='/comment']")
    comment.locator("[name=comment]").fill("Is there a cloak room?")
    comment.locator("[name=name]").fill("Dana")
    comment.locator("[name=email_address]").fill("dana@example.org")
    comment.get_by_role("button").click()
    expect(page.get_by_role("status").first).to_contain_text("once the organiser approves it")
    expect(page.get_by_text("Is there a cloak room?")).to_have_count(0)


def _approve(page: Page, event: str) -> None:
    go(page, event)
    expect(page.get_by_text("awaiting approval")).to_be_visible()
    page.get_by_role("button", name="Approve").click()
    assert page.url.partition("?")[0] == event
    expect(page.get_by_text("awaiting approval")).to_have_count(0)


def _responses(page: Page, event: str) -> list[str]:
    """The addresses in the file of responses."""
    go(page, event)
    page.get_by_role("link", name="Guests", exact=True).click()
    expect(page.get_by_role("row", name="dana@example.org").get_by_role("cell", name="3", exact=True)).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="Export", exact=True).click()
    lines = Path(download.value.path()).read_text(encoding="utf-8-sig").splitlines()
    column = lines[0].split(",").index("email_address")
    return [line.split(",")[column] for line in lines[1:]]


def _drag(page: Page, event: str, day: date, to: date) -> None:
    """Drag it from one day of the month to another, that one alone."""
    go(page, f"/calendar?date={day}")
    entry = page.locator(f"[data-day='{day}'] a[href='{event.removeprefix(_host(page))}']")
    target = page.locator(f"[data-day='{to}']")
    entry.scroll_into_view_if_needed()
    start, end = entry.bounding_box(), target.bounding_box()
    assert start
    assert end
    page.mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(end["x"] + end["width"] / 2, end["y"] + end["height"] / 2, steps=8)
    page.mouse.up()
    page.get_by_role("button", name="This date only").click()
    page.get_by_role("button", name="Save and email 1 person").click()
    expect(page.get_by_text("Moved to")).to_be_visible()
    expect(target.get_by_text("Open stage")).to_be_visible()
    go(page, f"/calendar?date={day}")
    expect(page.locator(f"[data-day='{to}']").get_by_text("Open stage")).to_be_visible()
    expect(page.locator(f"[data-day='{day}']").get_by_text("Open stage")).to_have_count(0)


def _move(page: Page, event: str, to: date) -> None:
    """The same without dragging."""
    go(page, event)
    page.get_by_role("link", name="Edit", exact=True).click()
    page.fill("[name=start_time]", to.isoformat())
    page.fill("[name=end_time]", to.isoformat())
    page.get_by_label("this date only").check()
    page.get_by_role("button", name="Save", exact=True).click()
    # A guest said yes: the page says how many get mail, before anything is saved.
    expect(page.get_by_role("heading", name="Email 1 person about the new time?")).to_be_visible()
    page.get_by_label("Add a message to the email").fill("See you then")
    page.get_by_role("button", name="Save and email 1 person").click()
    expect(page.get_by_role("status").first).to_contain_text("Event saved. 1 person should know, but this site sends no email.")


def _feed(page: Page, guest: Client, event: str = "/calendars") -> str:
    """The feed of the owner's calendar, by the URL on its page."""
    go(page, "/calendars")
    page.locator("main a[href^='/calendars/']").and_(page.locator(":not([href$='/new'], [href$='/offers'])")).first.click()
    url = next(_feed_urls(page))
    return guest.get(url.removeprefix(_host(page))).text.replace("\r\n ", "")


def _feed_urls(page: Page) -> Iterator[str]:
    for field in page.locator("main input[readonly]").all():
        if ".ics" in field.input_value():
            yield field.input_value()


def _delete_series(page: Page, event: str) -> None:
    go(page, event)
    page.locator("summary").filter(has_text="More about this event").click()
    page.get_by_role("link", name="Delete event").click()
    page.get_by_role("group", name="Which dates?").get_by_label("all ").check()
    page.get_by_role("button", name="Delete event").click()
    expect(page.get_by_role("status").first).to_contain_text("Event moved to the trash.")


def _host(page: Page) -> str:
    return "/".join(page.url.split("/")[:3])
