"""A guest's whole way on a phone, with a real mail server: respond, follow the link in the mail, change, wait for seats, withdraw."""

import email
import email.policy
from email.message import EmailMessage
from typing import Any

import icalendar
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.contacts.providers.books import free_port
from tests.deliveries.servers import Mailbox, real_server
from tests.responses.mail import links_in, text_of
from tests.serve.conftest import Start, database, start  # noqa: F401
from tests.serve.running import Running, bearer, eventually
from tests.web.windows import Windows, go

PHONE = 390
FAMILY = 4


@pytest.mark.parametrize("script", [pytest.param(True, marks=pytest.mark.soak), False], ids=["with scripts", "without scripts"])
@pytest.mark.parametrize("database", ["sqlite", pytest.param("postgres", marks=pytest.mark.soak)], indirect=True)
def test_a_guest_responds_waits_and_withdraws_on_a_phone(browser: Browser, start: Start, database: str, script: bool) -> None:  # noqa: F811
    with real_server(box := Mailbox()) as mail_port:
        port = free_port()
        service = start(
            work=True,
            database=database,
            port=port,
            base_url=f"http://127.0.0.1:{port}",
            email=f"smtp://127.0.0.1:{mail_port}",
            rate_limits="off",
        )
        windows = Windows(browser, f"http://127.0.0.1:{port}")
        try:
            _follow(windows, Inbox(box), _an_event(service), script)
            windows.check()
        finally:
            windows.close()


def _follow(windows: Windows, inbox: "Inbox", event: dict[str, Any], script: bool) -> None:
    gus, fay = windows.open(width=PHONE, script=script), windows.open(width=PHONE, script=script)
    _respond(gus, event, "Gus", "gus@example.org")
    link = inbox.link_of("gus@example.org", "You have 1 spot.")
    _respond(fay, event, "Fay", "fay@example.org", people=FAMILY)
    family_link = inbox.link_of("fay@example.org", "You’re on the waiting list")
    go(fay, family_link)
    expect(fay.get_by_text("First in line, for 4 spots.")).to_be_visible()

    go(gus, link)
    expect(gus.get_by_text("g•••@example.org")).to_be_visible()
    expect(gus.get_by_role("heading", name="Almost done")).to_be_visible()
    expect(gus.get_by_text("1 spot is held for you.")).to_be_visible()
    expect(gus.get_by_text("open the link in the email")).to_have_count(0)
    gus.get_by_text("Add a message").click()
    gus.get_by_label("Message to the organiser").fill("I am late.")
    gus.get_by_label("How many are you?").select_option("2")
    gus.get_by_role("button", name="Save", exact=True).click()
    expect(gus.get_by_text("2 spots are yours.")).to_be_visible()

    gus.get_by_text("Cancel my RSVP or erase my details").click()
    gus.get_by_role("button", name="Cancel my RSVP", exact=True).click()
    expect(gus.get_by_role("heading", name="You can’t go")).to_be_visible()

    go(fay, inbox.link_of("fay@example.org", "Good news: 4 spots have opened up"))
    expect(fay.get_by_text("4 spots are")).to_be_visible()
    fay.get_by_text("Cancel my RSVP or erase my details").click()
    fay.get_by_role("button", name="Cancel my RSVP and erase my details").click()
    expect(fay.get_by_role("heading", name="Your details are erased")).to_be_visible()
    assert go(fay, family_link).status == 404


def _an_event(service: Running) -> dict[str, Any]:
    fields = {"title": "Harvest supper", "start_time": "2027-05-11T20:00", "time_zone": "Europe/Paris", "public": True}
    room = {"capacity": FAMILY, "waiting_list": "auto"}
    reply = service.post("/api/events", fields | room, headers=bearer(service.sign_up("alice")))
    assert reply.status == 201, reply
    event: dict[str, Any] = reply.json
    return event


def _respond(page: Page, event: dict[str, Any], name: str, address: str, people: int | None = None) -> None:
    """In one tap and two fields; the size of a party is a third."""
    go(page, f"/events/{event['id']}")
    form = page.locator("form[action$='/respond']")
    form.get_by_text("Going", exact=True).or_(form.get_by_text("Join the waiting list", exact=True)).first.click()
    form.locator("[name=name]").fill(name)
    form.locator("[name=email_address]").fill(address)
    if people:
        form.locator("[name=number]").select_option(str(people))
    form.get_by_role("button", name="I’m going").or_(form.get_by_role("button", name="Join the waiting list")).click()
    expect(page.locator("#ticket")).to_be_visible()


class Inbox:
    """The mail that the server received."""

    def __init__(self, box: Mailbox):
        self._box = box

    def link_of(self, address: str, text: str) -> str:
        """The personal link in the mail to the address that has the text; it carries the event as a file."""
        mail = eventually(lambda: self._find(address, text))
        file = next(part for part in mail.iter_attachments() if part.get_content_type() == "text/calendar")
        assert [str(event["SUMMARY"]) for event in icalendar.Calendar.from_ical(file.get_content()).walk("VEVENT")] == ["Harvest supper"]
        return next(link for link in links_in(mail) if link.startswith("/r/"))

    def _find(self, address: str, text: str) -> EmailMessage | None:
        for envelope in self._box.envelopes:
            mail = email.message_from_bytes(envelope.content, policy=email.policy.default)
            assert isinstance(mail, EmailMessage)
            if envelope.rcpt_tos == [address] and text in text_of(mail):
                return mail
        return None
