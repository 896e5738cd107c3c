"""Every kind of mail as a real server gets it: its header fields, its size, and texts that try to add to them."""

import email
import email.policy
import re
from collections.abc import Iterator
from email.message import EmailMessage
from typing import Any

import pytest
from msgspec import structs

from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database
from tests.cast import Cast
from tests.conftest import Clock
from tests.deliveries.every_mail import KINDS, Correspondence
from tests.deliveries.servers import Mailbox, real_server

pytestmark = pytest.mark.on_one_database

HEADERS = {"Subject", "From", "To", "Date", "Message-ID", "Auto-Submitted", "MIME-Version", "Content-Type"}
OPTIONAL = {"Reply-To", "List-Unsubscribe", "List-Unsubscribe-Post", "Content-Transfer-Encoding"}
MAX_SIZE = 60_000
LONG = "é" * 5_000
HOSTILE = {
    "a line break": "Jam\r\nBcc: eve@example.org\r\n\r\nHello",
    "a carriage return": "Jam\rBcc: eve@example.org\r\rHello",
    "a line separator": "Jam\u2028Bcc: eve@example.org\x85Bcc: eve@example.org\x0bBcc: eve@example.org",
    "an encoded word": "=?utf-8?q?Jam=0D=0ABcc:_eve@example.org?= =?utf-8?b?DQpCY2M6IGV2ZUBleGFtcGxlLm9yZw==?=",
    "an address": '"Jam" <eve@example.org>, eve@example.org',
    "a long name": "Jam, " * 30 + "eve@example.org, Eve <eve@example.org>",
    "a long text": LONG,
    "a long word": "x" * 5_000,
}
# One of each kind: a line that ends, a word that is decoded, a line that is folded. All of them in `make soak`.
SHORT = {"a line break", "an encoded word", "a long text"}
# The texts of people that are in mails, and whose rows they are in.
OF_EVENT = "event_id IN (SELECT id FROM events WHERE owner_id = :me)"
COLUMNS = {
    "users": (["name"], "id = :me"),
    "events": (["title", "location", "description"], "owner_id = :me"),
    "messages": (["subject", "text"], OF_EVENT),
    "invitations": (["name", "message"], "owner_id = :me"),
    "invitation_notes": (["subject", "text"], "invitation_id IN (SELECT id FROM invitations WHERE owner_id = :me)"),
    "reminders": (["text"], OF_EVENT),
    "responses": (["name", "comment"], OF_EVENT),
    "comments": (["name", "comment"], OF_EVENT),
    "change_notices": (["message"], "owner_id = :me"),
}


@pytest.fixture
def box() -> Mailbox:
    return Everything()


@pytest.fixture
def smtp(settings: Settings, box: Mailbox) -> Iterator[Settings]:
    """Settings with a mail server, and a mailbox for replies."""
    with real_server(box, enable_SMTPUTF8=True) as port:
        yield structs.replace(settings, email=f"smtp://127.0.0.1:{port}", inbound="pipe", inbound_domain="in.example.org")


@pytest.fixture
def letters(cast: Cast, db: Database, smtp: Settings, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Correspondence:
    monkeypatch.setattr(timestamps, "now", clock)
    return Correspondence(cast, db, smtp, clock)


def parse(content: bytes) -> EmailMessage:
    message = email.message_from_bytes(content, policy=email.policy.default)
    assert isinstance(message, EmailMessage)
    return message


class Everything(Mailbox):
    """A server that keeps the mail to new users, too."""

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        self.envelopes.append(envelope)
        return "250 OK"


def send_all(letters: Correspondence, box: Mailbox) -> dict[str, list[EmailMessage]]:
    """The mails that the server got, by their kinds, after checks that hold for all of them."""
    sent = letters.send()
    assert not letters.failed
    invited = next(parse(each.content) for each in box.envelopes if each.rcpt_tos == [letters.address("ana")])
    letters.queue_more(invited["Reply-To"].addresses[0].addr_spec)
    sent += letters.send()
    assert len(sent) == len(box.envelopes)
    mails: dict[str, list[EmailMessage]] = {}
    for (kind, _), envelope in zip(sent, box.envelopes, strict=True):
        mail = parse(envelope.content)
        mails.setdefault(kind, []).append(mail)
        names = mail.keys()
        assert len(names) == len(set(names)), (kind, names)
        assert set(names) - OPTIONAL == HEADERS, (kind, names)
        assert envelope.rcpt_tos == [mail["To"].addresses[0].addr_spec], kind
        assert [each.addr_spec for each in mail["From"].addresses] == ["kalends@testserver"], kind
        assert mail["Auto-Submitted"] == "auto-generated"
        assert re.fullmatch(r"<\d+\.[\w-]{22}@testserver>", mail["Message-ID"])
        assert not any(part.defects for part in mail.walk()), kind
        assert {part.get_content_type() for part in mail.walk() if not part.is_multipart()} <= {"text/plain", "text/html", "text/calendar"}
        assert max(map(len, envelope.content.split(b"\r\n"))) <= 998, kind
        assert envelope.content.count(b"\r") == envelope.content.count(b"\n") == envelope.content.count(b"\r\n"), kind
        assert envelope.content.isascii(), kind
    return mails


def test_every_kind_of_mail_has_its_header_fields_and_is_small(letters: Correspondence, box: Mailbox) -> None:
    letters.cast.alice.put(f"/api/events/{letters.event['id']}", json={"description": "Doors open at seven. " * 950})
    letters.queue()
    mails = send_all(letters, box)
    assert set(mails) == KINDS
    assert {mail["Message-ID"] for each in mails.values() for mail in each} == {parse(each.content)["Message-ID"] for each in box.envelopes}
    for kind in ("announce", "cancel", "change", "invitation", "message", "reminder", "notice response_news"):
        for mail in mails[kind]:
            assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click", kind
            assert re.fullmatch(r"<http://testserver/\S+>", mail["List-Unsubscribe"]), kind
    sizes = {kind: max(len(mail.as_bytes()) for mail in each) for kind, each in mails.items()}
    assert max(sizes.values()) < MAX_SIZE, sizes
    html = mails["invitation"][0].get_body(("html",))
    assert html is not None
    assert re.findall(r">(Going|Maybe|Can’t go)</a>", html.get_content()) == ["Going", "Maybe", "Can’t go"]


@pytest.mark.parametrize(
    "text", [text if name in SHORT else pytest.param(text, marks=pytest.mark.soak) for name, text in HOSTILE.items()], ids=HOSTILE
)
@pytest.mark.on_one_database
def test_no_text_of_people_adds_a_header_field_or_a_recipient(letters: Correspondence, box: Mailbox, db: Database, text: str) -> None:
    letters.queue()
    _poison(letters, db, text)
    mails = send_all(letters, box)
    assert set(mails) == KINDS
    line = mails["message"][0]["Subject"]
    assert line.startswith("=?utf-8?q?Jam" if text.startswith("=?") else text[:3])


@pytest.mark.parametrize("break_", ["\r\n", "\r", "\n", "\u2028", "\0", ">\r\nDATA\r\n"])
@pytest.mark.on_one_database
def test_no_address_adds_a_recipient_or_a_command(letters: Correspondence, box: Mailbox, db: Database, break_: str) -> None:
    letters.queue()
    with db.write() as tx:
        tx.run("UPDATE deliveries SET address = address || :more WHERE state = 'queued'", more=f"{break_}RCPT TO:<eve@example.org>")
    assert letters.send()
    # The request of a new password is read when it is sent.
    assert [each.rcpt_tos for each in box.envelopes] == [[letters.address("new")]]


def _poison(letters: Correspondence, db: Database, text: str) -> None:
    """Write the text, which the API would refuse, into every column whose text is in a mail."""
    with db.write() as tx:
        for table, (names, rows) in COLUMNS.items():
            tx.run(f"UPDATE {table} SET {', '.join(f'{name} = :text' for name in names)} WHERE {rows}", text=text, me=letters.cast.alice.id)
