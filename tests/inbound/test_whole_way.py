"""Invitations to contacts by a real SMTP server, and the replies from a real mailbox or a pipe: each becomes a response, once."""

import email
import email.policy
import json
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kalends.features.deliveries.steps import dispatcher
from kalends.mail.inbound import imap
from tests.deliveries.servers import Mailbox, certificate, real_server
from tests.inbound import replies
from tests.inbound.dovecot import Dovecot
from tests.inbound.replies import FIXTURES, STATUSES, Fixture
from tests.serve.conftest import Start, database, start  # noqa: F401
from tests.serve.prepared import Forked
from tests.serve.running import TIMEOUT, Running, bearer, environment, eventually, run, run_process

DOMAIN = "in.example.org"
DATES = ("20270601T200000", "20270608T200000", "20270615T200000")


@pytest.fixture(scope="module")
def dovecot() -> Iterator[tuple[Dovecot, Path]]:
    # The folders of pytest are closed to the user as whom Dovecot reads mail.
    with tempfile.TemporaryDirectory(prefix="kalends-imap-") as name:
        certified = certificate(Path(name))
        server = Dovecot(Path(name), certified)
        yield server, certified
        server.stop()


class Host:
    """An organiser with contacts, a series of three dates, and invitations that were sent by a real SMTP server."""

    def __init__(self, service: Running):
        self._service = service
        self._headers = bearer(service.sign_up("alice"))
        self.event_ids: list[int] = []

    def invite_contacts(self, number: int) -> None:
        """Invite contacts to all dates, by their tag."""
        fields = {"title": "Choir", "start_time": "2027-06-01T20:00", "time_zone": "Europe/Paris"}
        event_id = self.ask("POST", "/api/events", fields)["id"]
        self.ask("PUT", f"/api/events/{event_id}/repeat", {"frequency": "WEEKLY", "count": len(DATES)})
        for guest in range(number):
            self.ask("POST", "/api/contacts", {"email_address": f"guest{guest}@example.com", "first_name": "Guest", "tag_list": "choir"})
        assert self.ask("POST", f"/api/events/{event_id}/invitations", {"tag": "choir", "scope": "all"})["invited"] == number
        listed = self.ask("GET", "/api/events?start_time=2027-06-01&text=Choir")["events"]
        self.event_ids = [event["id"] for event in sorted(listed, key=lambda event: str(event["start_time"]))]

    def responses(self) -> dict[str, list[str]]:
        """What each guest said to each date."""
        words: dict[str, list[str]] = {}
        for position, event_id in enumerate(self.event_ids):
            for row in self.ask("GET", f"/api/responses?event_id={event_id}&limit=500")["responses"]:
                row_of_guest = words.setdefault(row["email_address"], ["-"] * len(DATES))
                assert row_of_guest[position] == "-", "a guest has two responses"
                row_of_guest[position] = row["response"]
        return words

    def ask(self, method: str, path: str, fields: Any = None) -> Any:
        reply = self._service.request(method, path, fields, self._headers)
        assert reply.status < 300, reply
        return reply.json


class Worker:
    """A forked `kalends work` that looks at the mailbox often; what it did with each message."""

    def __init__(self, folder: Path, settings: dict[str, Any], certified: Path):
        variables = environment(**settings, log_format="json") | {"SSL_CERT_FILE": str(certified)}
        self._process = Forked(_shorten_pauses, ["work"], folder, variables)
        self._lines: list[bytes] = []
        self._reader = threading.Thread(target=lambda: self._lines.extend(self._process.stderr), daemon=True)
        self._reader.start()

    def kill(self) -> Counter[str]:
        """Kill it; returns how often it came to each outcome."""
        self._process.kill()
        self._process.wait(TIMEOUT)
        self._reader.join(TIMEOUT)
        lines = [json.loads(line) for line in self._lines if line.startswith(b"{") and line.endswith(b"}\n")]
        return Counter(line["outcome"] for line in lines if line["event"] == "inbound_message")


def _shorten_pauses() -> None:
    dispatcher.PAUSE, imap.INTERVAL_SECONDS = 0.05, 1


def expected_words(fixture: Fixture) -> list[str]:
    """What the reply means for each of the dates; it may be about the second one."""
    word = STATUSES[fixture.status]
    return {"date": ["-", word, "-"], "repeated": [word, "NO", word]}.get(fixture.shape, [word] * 3)


def reply_addresses(envelopes: list[Any]) -> dict[str, str]:
    """The address for replies in the calendar of each mail, by its recipient."""
    addresses = {}
    for envelope in envelopes:
        mail = email.message_from_bytes(envelope.content, policy=email.policy.default)
        (calendar,) = (part for part in mail.walk() if part.get_content_type() == "text/calendar")
        text = calendar.get_content().replace("\r\n", "\n").replace("\n ", "")
        assert "METHOD:REQUEST" in text
        organiser = next(line for line in text.splitlines() if line.startswith("ORGANIZER"))
        address = organiser.rpartition("mailto:")[2]
        assert str(mail["Reply-To"].addresses[0].addr_spec) == address
        assert envelope.mail_from.startswith("reply+b")
        addresses[envelope.rcpt_tos[0]] = address
    return dict(sorted(addresses.items(), key=lambda item: (len(item[0]), item[0])))


def hostile(to: str, bounced: str) -> dict[str, tuple[bytes, str]]:
    """Messages that change no response, each with its outcome; to: the reply address of a guest, bounced: where reports go to."""
    wrong = to.replace(to[to.index("-") + 1], "0" if to[to.index("-") + 1] != "0" else "1", 1)
    forged = replies.gmail("DECLINED", to=wrong).replace(b"From: Ana <ana@example.com>", b"From: guest0@example.com")
    many = replies.calendar(replies.vevent(slot="RECURRENCE-ID:20270608T180000Z\n") * 10_000, "x")
    html = replies.part("<p>Can I bring <b>my dog</b>?</p>", "text/html; charset=utf-8")
    return {
        "forged From and a wrong MAC": (forged, "unknown"),
        "an unknown invitation": (replies.gmail(to=f"reply+999999-{'0' * 24}@{DOMAIN}"), "unknown"),
        "an old reply with another Message-ID": (replies.outlook("DECLINED", to=to, stamp="20200101T000000Z"), "ignored"),
        "10,000 exceptions": (replies.message(replies.part(many, "text/calendar"), to, Message_ID="<many@x>"), "noted"),
        "50 MB": (replies.message(b"\r\n" + b"x" * 50_000_000, to, Message_ID="<large@x>"), "noted"),
        "HTML only": (replies.message(html, to, Message_ID="<html@x>"), "noted"),
        "an automatic reply": (replies.message(replies.part("Away.", "text/plain"), to, Auto_Submitted="auto-replied"), "ignored"),
        "a bounce": (replies.bounce(to=bounced), "bounced"),
    }


@pytest.mark.on_one_database
@pytest.mark.parametrize("guests", [len(FIXTURES), pytest.param(200, marks=pytest.mark.soak)])
def test_contacts_are_invited_and_their_replies_land_once_each(
    start: Start,  # noqa: F811
    database: str,  # noqa: F811
    tmp_path: Path,
    dovecot: tuple[Dovecot, Path],
    guests: int,
) -> None:
    assert len(FIXTURES) >= 40
    box, certified = dovecot
    inbound = {"inbound": box.url(), "inbound_domain": DOMAIN, "rate_limits": "off", "notice_delay": 0}
    host = Host(start(database=database, **inbound))
    host.invite_contacts(guests)
    mailbox = Mailbox()
    with real_server(mailbox) as port:
        settings = {"data": tmp_path / "data", "database": database, "email": f"smtp://127.0.0.1:{port}", **inbound}
        worker = Worker(tmp_path, settings, certified)
        try:
            eventually(lambda: len(mailbox.envelopes) >= guests, within=300)
            addresses = reply_addresses(mailbox.envelopes)
            assert len(addresses) == guests
            expected = deliver_replies(box, addresses)
            eventually(lambda: box.unread() < guests // 2, within=300)
            outcomes = worker.kill()
            worker = Worker(tmp_path, settings, certified)
            eventually(lambda: box.unread() == 0, within=300)
            bounced = next(each.mail_from for each in mailbox.envelopes if each.rcpt_tos == ["guest0@example.com"])
            messages = hostile(addresses["guest0@example.com"], bounced)
            for octets, _ in messages.values():
                box.deliver(octets)
            eventually(lambda: box.unread() == 0, within=300)
        finally:
            outcomes += worker.kill()
    assert host.responses() == expected
    repeats = guests // 10 + bool(guests % 10)
    counted = Counter(outcome for _, outcome in messages.values())
    # A message whose handling was recorded and not logged, or not marked as read, when the worker was killed is one more or less.
    assert abs(outcomes["responded"] - guests) <= 1
    assert abs(outcomes["repeated"] - repeats) <= 1
    assert {name: outcomes[name] for name in counted} == dict(counted)


def deliver_replies(box: Dovecot, addresses: dict[str, str]) -> dict[str, list[str]]:
    """Put a reply of each guest into the mailbox, some twice; returns what each of them means."""
    expected = {}
    for number, (guest, to) in enumerate(addresses.items()):
        fixture = FIXTURES[number % len(FIXTURES)]
        octets = fixture.write(to, guest, DATES[1])
        expected[guest] = expected_words(fixture)
        for _ in range(2 if number % 10 == 0 else 1):
            box.deliver(octets)
    return expected


@pytest.mark.soak
@pytest.mark.on_one_database
def test_a_pipe_does_the_same_as_a_mailbox(start: Start, database: str, tmp_path: Path, soak: bool) -> None:  # noqa: F811
    fixtures = FIXTURES if soak else FIXTURES[::10]
    inbound = {"inbound": "pipe", "inbound_domain": DOMAIN, "rate_limits": "off", "notice_delay": 0}
    host = Host(start(database=database, **inbound))
    host.invite_contacts(len(fixtures))
    settings: dict[str, Any] = {"data": tmp_path / "data", "database": database, **inbound}
    mailbox = Mailbox()
    with real_server(mailbox) as port:
        worker = Worker(tmp_path, settings | {"email": f"smtp://127.0.0.1:{port}"}, tmp_path)
        try:
            eventually(lambda: len(mailbox.envelopes) >= len(fixtures), within=300)
        finally:
            worker.kill()
    addresses = reply_addresses(mailbox.envelopes)
    expected = {}
    for fixture, (guest, to) in zip(fixtures, addresses.items(), strict=True):
        expected[guest] = expected_words(fixture)
        for _ in range(2):
            assert run("receive", to, folder=tmp_path, stdin=fixture.write(to, guest, DATES[1]), **settings).returncode == 0
    bounced = next(each.mail_from for each in mailbox.envelopes if each.rcpt_tos == ["guest0@example.com"])
    messages = hostile(addresses["guest0@example.com"], bounced)
    for name in messages if soak else ("50 MB", "forged From and a wrong MAC"):
        octets, outcome = messages[name]
        done = run_process("receive", folder=tmp_path, stdin=octets, **settings, log_format="json")
        assert (done.returncode, f'"outcome":"{outcome}"' in done.stderr) == (0, True), (name, done.stderr)
    assert host.responses() == expected
