"""Notices are shown once, on the page after the redirect, and screen readers read them out."""

import re
from pathlib import Path

import pytest

import kalends
from kalends.web.notices import COOKIE, COUNTED, NOTICES, text
from tests.cast import Cast, an_event
from tests.client import Client
from tests.web.axe import COLOURS_AND_TARGETS, violations
from tests.web.windows import PHONE, WIDE, Windows, go

pytestmark = pytest.mark.on_one_database


def test_a_notice_is_shown_once_and_is_in_no_url(cast: Cast) -> None:
    path = f"/events/{an_event(cast.alice, public=True)['id']}"
    typed = {"comment": "Hello", "email_address": "gus@example.org"}
    done = cast.anonymous.post(f"{path}/comment", data=typed)
    assert done.redirect == (path, "waiting")
    flash = done.headers["Set-Cookie"]
    assert {"HttpOnly", "SameSite=Lax", "Path=/"} < set(flash.split("; "))
    page = cast.anonymous.get(path, headers={"Cookie": f"a=b; {COOKIE}=waiting"})
    assert "It will appear once the organiser approves it" in page.text
    assert f"{COOKIE}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0" in page.headers["Set-Cookie"]
    assert page.headers["Cache-Control"] == "no-store"
    assert 'class="notice"' not in cast.anonymous.get(path).text


def test_a_url_cannot_put_a_notice_on_a_page(client: Client) -> None:
    assert "Deleted." not in client.get("/?done=deleted").text


@pytest.mark.parametrize("value", ["", "unheard-of", "deleted.<b>", "deleted.-1", "deleted." + "9" * 5000, '"><b>', "a=b; c"])
def test_a_foreign_notice_cookie_does_no_harm(client: Client, value: str) -> None:
    page = client.get("/", headers={"Cookie": f"{COOKIE}={value}"})
    assert page.status == 200
    assert "<b>" not in page.text


def test_a_notice_has_the_number_of_records() -> None:
    assert text("announced", "1") == "Sending to 1 person."
    assert text("announced", "1400") == "Sending to 1,400 people."


def test_every_notice_used_by_a_page_has_a_text() -> None:
    sources = [path.read_text() for path in Path(kalends.__file__).parent.rglob("*pages.py")]
    words = {word for source in sources for word in re.findall(r'done="([\w-]+)"', source)}
    assert len(words) > 10
    assert words <= NOTICES.keys() | COUNTED.keys()


@pytest.mark.parametrize("script", [True, False])
def test_a_notice_gets_the_focus_and_is_gone_after_a_reload(windows: Windows, people: Cast, script: bool) -> None:
    event = an_event(people.alice, public=True, start_time="2040-06-01T20:00")
    page = windows.open(script=script)
    go(page, f"/events/{event['id']}")
    page.fill("[name=comment]", "See you")
    page.fill("form[action$='/comment'] [name=email_address]", "kim@example.org")
    page.click("form[action$='/comment'] button")
    page.wait_for_selector(".notice:focus")
    assert page.url == f"{windows.url}/events/{event['id']}"
    page.reload()
    assert page.locator(".notice").count() == 0


@pytest.mark.parametrize(("width", "dark"), [(PHONE, True), (WIDE, False)], ids=["phone", "laptop"])
def test_a_notice_above_the_page_can_be_read_and_its_buttons_are_one_line(windows: Windows, people: Cast, width: int, dark: bool) -> None:
    event = an_event(people.alice, title="Concert", start_time="2040-06-01T20:00")
    page = windows.open(people.alice, width=width, dark=dark)
    go(page, f"/events/{event['id']}/edit")
    page.get_by_label("Title").fill("Another title")
    page.get_by_role("button", name="Save", exact=True).click()
    toast = page.locator(".notice.toast")
    undo = toast.get_by_role("button", name="Undo").bounding_box()
    assert undo
    assert undo["height"] < 50
    assert violations(page, COLOURS_AND_TARGETS, within=".toast") == []
