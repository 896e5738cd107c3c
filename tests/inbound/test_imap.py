"""Replies that arrive in a mailbox of a real IMAP server, and from a mail server's pipe."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from msgspec import structs

from kalends.core.settings import Settings
from kalends.core.transports import Mailbox, mailbox
from kalends.core.values import timestamps
from kalends.db import Database
from kalends.mail.inbound import imap
from tests.cast import Cast, an_event
from tests.conftest import Clock
from tests.deliveries.servers import certificate
from tests.inbound import replies
from tests.inbound.dovecot import Dovecot
from tests.invitations.test_invite import invite
from tests.responses.mail import mails_about
from tests.serve.running import run


@pytest.fixture(scope="module")
def imap_server() -> Iterator[tuple[Dovecot, Path]]:
    # The folders of pytest are closed to the user as whom Dovecot reads mail.
    with tempfile.TemporaryDirectory(prefix="kalends-imap-") as name:
        folder = Path(name)
        certified = certificate(folder)
        dovecot = Dovecot(folder, certified)
        yield dovecot, certified
        dovecot.stop()


@pytest.fixture
def dovecot(imap_server: tuple[Dovecot, Path], monkeypatch: pytest.MonkeyPatch, clock: Clock) -> Dovecot:
    """The server, whose certificate this test trusts."""
    clock.now = timestamps.now()
    monkeypatch.setenv("SSL_CERT_FILE", str(imap_server[1]))
    return imap_server[0]


def _invited(cast: Cast, db: Database, settings: Settings, *addresses: str) -> tuple[dict[str, Any], list[str]]:
    """An event with invited guests, and the addresses for their replies."""
    event = an_event(cast.alice, start_time="2027-06-01T20:00")
    invite(cast.alice, event, *addresses)
    return event, [str(mail["Reply-To"].addresses[0].addr_spec) for mail in mails_about(db, settings, event["id"])]


def _numbers(cast: Cast, event: dict[str, Any]) -> dict[str, int]:
    rows = cast.alice.get(f"/api/responses?event_id={event['id']}&limit=500").json["responses"]
    words = [row["response"] for row in rows]
    return {word: words.count(word) for word in sorted(set(words))}


@pytest.mark.on_one_database
def test_messages_that_fail_hold_up_no_others(dovecot: Dovecot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imap, "MAX_MESSAGES", 2)
    box, handled = _required(mailbox(dovecot.url())), list[bytes]()
    for number in range(5):
        dovecot.deliver(replies.message(b"\r\n" + (b"bad" if number < 3 else b"good")))

    def handle(octets: bytes) -> None:
        handled.append(octets)
        if octets.endswith(b"bad"):
            raise KeyError

    assert imap.poll(box, handle) == 2
    assert sum(octets.endswith(b"good") for octets in handled) == 2
    assert imap.poll(box, handled.append) == 2
    assert imap.poll(box, handled.append) == 1


@pytest.mark.on_one_database
def test_the_doctor_looks_into_the_mailbox(dovecot: Dovecot, tmp_path: Path) -> None:
    url, trusts = dovecot.url(), {"SSL_CERT_FILE": os.environ["SSL_CERT_FILE"]}

    def examine(inbound: str, **variables: str) -> str:
        with patch.dict(os.environ, trusts | variables):
            return run("doctor", folder=tmp_path, inbound=inbound, inbound_domain="in.example.org").stdout

    assert "ok   mailbox for replies\n" in examine(url)
    refused = examine(dovecot.url(password="canary-wrong"))
    assert "BAD  mailbox for replies: The mailbox refused" in refused
    assert "canary" not in refused
    assert "BAD  mailbox for replies: The mailbox refused" in examine(url.replace("/INBOX", "/None"))
    assert "BAD  mailbox for replies: The mail server cannot be reached" in examine("imap://u:p@localhost:1/INBOX")
    assert "BAD  mailbox for replies: No safe connection" in examine(url, SSL_CERT_FILE="/dev/null")
    assert "mailbox" not in examine("pipe")
    assert dovecot.unread() == 0


@pytest.mark.on_one_database
def test_a_message_whose_handling_fails_stays_unread(dovecot: Dovecot) -> None:
    dovecot.deliver(replies.gmail())
    box = mailbox(dovecot.url())
    assert box is not None
    seen: list[bytes] = []

    def fail(octets: bytes) -> None:
        seen.append(octets)
        raise KeyError

    assert imap.poll(box, fail) == 0
    assert imap.poll(box, seen.append) == 1
    assert seen[0].replace(b"\r\n", b"\n") == seen[1].replace(b"\r\n", b"\n") == replies.gmail().replace(b"\r\n", b"\n")


@pytest.mark.on_one_database
def test_a_mailbox_that_cannot_be_read_says_why_without_the_password(dovecot: Dovecot, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong, closed = mailbox(dovecot.url(password="canary-wrong")), mailbox("imap://u:canary-wrong@localhost:1")
    with pytest.raises(imap.MailboxFailed, match="refused") as refusal:
        imap.poll(_required(wrong), print)
    assert "canary" not in str(refusal.value)
    with pytest.raises(imap.MailboxFailed, match="cannot be reached"):
        imap.poll(_required(closed), print)
    monkeypatch.delenv("SSL_CERT_FILE")
    with pytest.raises(imap.MailboxFailed, match="No safe connection"):
        imap.poll(_required(mailbox(dovecot.url())), print)


def _required(box: Mailbox | None) -> Mailbox:
    assert box is not None
    return box


@pytest.mark.parametrize("value", ["imap://u:p@mail.example.org", "imaps://u@host", "imaps://u:p@host?x=1", "pop3://u:p@host", "mailbox"])
def test_a_mailbox_needs_tls_and_a_password(value: str) -> None:
    with pytest.raises(ValueError, match="must be empty, pipe, or look like imaps"):
        mailbox(value)


@pytest.mark.on_one_database
def test_a_reply_from_a_pipe_becomes_a_response_or_is_tried_again_later(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    clock.now = timestamps.now()
    inbound = structs.replace(settings, inbound="pipe", inbound_domain="in.example.org")
    event, (to,) = _invited(cast, db, inbound, replies.GUEST)
    hidden = replies.gmail().replace(b"To: ", b"X-To: ", 1)
    assert _receive(settings, hidden, to) == 0
    assert _numbers(cast, event) == {"YES": 1}
    assert _receive(structs.replace(settings, database="postgresql://127.0.0.1:1/none"), hidden, to) == 75


def _receive(settings: Settings, octets: bytes, *recipients: str) -> int:
    words = ["--data", settings.data, *(["--database", settings.database] if settings.database else []), *recipients]
    command = [sys.executable, "-m", "kalends.cli", "receive", *words]
    return subprocess.run(command, input=octets, check=False, capture_output=True, timeout=60).returncode
