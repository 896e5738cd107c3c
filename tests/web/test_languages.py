"""A guest who reads German, and one who reads Arabic, on a phone: the start page, an event, a response, and the mail that arrives."""

import email
import email.policy
from email.message import EmailMessage
from typing import Any

from playwright.sync_api import Browser, Page, expect

from kalends.core.i18n import gettext
from kalends.core.i18n.locale import Locale
from tests.contacts.providers.books import free_port
from tests.deliveries.servers import Mailbox, real_server
from tests.responses.mail import links_in, text_of
from tests.serve.conftest import Start, start  # noqa: F401
from tests.serve.running import bearer, eventually
from tests.web.test_narrow import STICKING_OUT
from tests.web.windows import Windows, go

PHONE = 390
TITLE = "Harvest supper"
EVENT = {"title": TITLE, "start_time": "2027-05-11T20:00", "time_zone": "Europe/Paris", "public": True}
GUESTS = {"de": "gerda@example.org", "ar": "amal@example.org"}


def test_guests_read_pages_and_mail_in_their_language(browser: Browser, start: Start) -> None:  # noqa: F811
    with real_server(box := Mailbox()) as mail_port:
        port = free_port()
        url = f"http://127.0.0.1:{port}"
        service = start(work=True, port=port, base_url=url, email=f"smtp://127.0.0.1:{mail_port}", rate_limits="off")
        event = service.post("/api/events", EVENT, headers=bearer(service.sign_up("alice"))).json
        windows = Windows(browser, url)
        try:
            for language in GUESTS:
                _follow(windows.open(width=PHONE, locale=language), Reader(language), event, box)
            windows.check()
        finally:
            windows.close()


def _follow(page: Page, reader: "Reader", event: dict[str, Any], box: Mailbox) -> None:
    go(page, "/")
    reader.looks_at(page)
    expect(page.get_by_role("heading", level=1)).to_have_text(reader.reads("What’s on"))
    page.get_by_role("link", name=TITLE).first.click()
    page.wait_for_url(f"**/events/{event['id']}")
    reader.looks_at(page)

    form = page.locator("form[action$='/respond']")
    form.locator(".decide label").first.click()
    form.locator("[name=name]").fill("Guest")
    form.locator("[name=email_address]").fill(reader.address)
    form.get_by_role("button", name=reader.reads("I’m going")).click()
    expect(page.get_by_role("heading", name=reader.reads("You’re going"))).to_be_visible()
    reader.looks_at(page)

    mail = eventually(lambda: _find(box, reader.address))
    assert mail["Subject"] == reader.reads("You’re going: %(title)s", title=TITLE)
    assert f'<html lang="{reader.locale.language}" dir="{reader.locale.direction}">' in mail.get_body(("html",)).get_content()
    assert reader.reads("Change your RSVP") in text_of(mail)
    go(page, next(link for link in links_in(mail) if link.startswith("/r/")))
    reader.looks_at(page)
    expect(page.get_by_role("button", name=reader.reads("Save"), exact=True)).to_be_visible()


class Reader:
    """A guest, and what they read."""

    def __init__(self, language: str):
        self.locale = Locale(language)
        self.address = GUESTS[language]

    def reads(self, msgid: str, **values: Any) -> str:
        translated = self.locale.translate(gettext(msgid, **values))
        assert translated != msgid, f"{msgid} is not translated"
        return translated

    def looks_at(self, page: Page) -> None:
        """The page says its language and direction, and need not be scrolled sideways."""
        html = page.locator("html")
        assert (html.get_attribute("lang"), html.get_attribute("dir")) == (self.locale.language, self.locale.direction)
        assert page.evaluate("document.scrollingElement.scrollWidth") <= PHONE, page.evaluate(STICKING_OUT)
        assert page.evaluate("getComputedStyle(document.querySelector('main')).direction") == self.locale.direction


def _find(box: Mailbox, address: str) -> EmailMessage | None:
    for envelope in box.envelopes:
        mail = email.message_from_bytes(envelope.content, policy=email.policy.default)
        if envelope.rcpt_tos == [address] and isinstance(mail, EmailMessage):
            return mail
    return None
