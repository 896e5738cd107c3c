"""An event is cancelled and deleted in a dialog over its page; without scripts, on a page."""

import time
from contextlib import closing
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from kalends.core.settings import Settings
from kalends.db import open_database
from tests.cast import Cast, a_response, an_event, an_invitation
from tests.openapi.serving import Service
from tests.responses.mail import mails_about
from tests.web.axe import violations
from tests.web.windows import ON_PHONE_AND_LAPTOP, Windows, go


@pytest.mark.parametrize("width", [390, pytest.param(1280, marks=pytest.mark.soak)])
def test_a_dialog_asks_before_an_event_is_cancelled(windows: Windows, people: Cast, width: int) -> None:
    event = an_event(people.alice, title="Concert", start_time="2027-06-01T20:00", visibility="link")
    page = windows.open(people.alice, width=width)
    go(page, f"/events/{event['id']}")
    address = page.url
    page.get_by_text("More about this event").locator("..").click()
    page.get_by_role("link", name="Cancel event").click()
    dialog = page.get_by_role("dialog", name="Cancel “Concert”?")
    expect(dialog).to_be_visible()
    assert violations(page) == []
    dialog.get_by_role("link", name="Keep it").click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_text("More about this event").locator("..")).to_be_focused()
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Cancel event").click()
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    assert page.url == address
    page.get_by_text("More about this event").locator("..").click()
    page.get_by_role("link", name="Cancel event").click()
    dialog.get_by_label("Why?").fill("Flu")
    dialog.get_by_role("button", name="Cancel event").click()
    expect(page.locator(".notice")).to_contain_text("Event cancelled.")
    expect(page.locator("main")).to_contain_text("Flu")


def test_the_pages_that_ask_work_without_scripts(windows: Windows, people: Cast) -> None:
    event = an_event(people.alice, title="Concert", start_time="2027-06-01T20:00", visibility="link")
    page = windows.open(people.alice, script=False)
    go(page, f"/events/{event['id']}")
    page.get_by_text("More about this event").locator("..").click()
    page.get_by_role("link", name="Delete event").click()
    expect(page.get_by_role("heading", name="Delete “Concert”?")).to_be_visible()
    page.get_by_role("button", name="Delete event").click()
    expect(page.locator(".notice")).to_contain_text("Event moved to the trash.")


@ON_PHONE_AND_LAPTOP
def test_the_number_of_a_cancellation_is_that_of_the_outbox_and_an_undo_mails_nobody(
    windows: Windows, people: Cast, folder: Path, service: Service, width: int, script: bool
) -> None:
    event = an_event(people.alice, title="Concert", start_time="2037-06-01T20:00", public=True)
    a_response(people.anonymous, event, email_address=f"gus-{event['id']}@example.org")
    for number in range(2):
        an_invitation(people.alice, event, f"ines{number}-{event['id']}@example.org")
    settings = Settings(data=str(folder), base_url=service.url)
    _sent(settings, event)
    page = windows.open(people.alice, width=width, script=script)
    for undone in (True, False):
        go(page, f"/events/{event['id']}")
        page.get_by_text("More about this event").locator("..").click()
        page.get_by_role("link", name="Cancel event").click()
        expect(page.get_by_text("3 people would be emailed: 1 going, 2 invited.")).to_be_visible()
        page.get_by_role("button", name="Cancel event").click()
        expect(page.locator(".notice")).to_contain_text("Event cancelled. 3 people should know, but this site sends no email.")
        if undone:
            page.locator(".notice").get_by_role("button", name="Undo").click()
            expect(page.locator(".notice")).to_contain_text("Cancellation undone. Nobody was emailed.")
        assert len(_sent(settings, event)) == (0 if undone else 3)


def _sent(settings: Settings, event: dict[str, Any]) -> list[EmailMessage]:
    """The mails about the event that are due within some minutes, which are sent."""
    with closing(open_database(settings)) as db:
        return mails_about(db, settings, event["id"], int(time.time()) + 300)
