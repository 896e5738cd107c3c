"""Messages of organisers to the guests of an event: who gets them, what they hold, and that nobody gets one twice."""

import re
from email.message import EmailMessage
from typing import Any

import pytest
from msgspec import structs

from kalends.app.application import application
from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database
from kalends.features.deliveries import suppression_store as suppressions
from kalends.http.context import Context
from kalends.mail import sender
from tests.cast import Cast, a_calendar, a_response, an_invitation, shared
from tests.client import Client
from tests.conftest import Clock
from tests.deliveries.samples import empty_queue
from tests.deliveries.servers import Mailbox, real_server
from tests.events.test_notify import an_event_with_guests, names_of, response_id
from tests.responses.mail import read_mail, text_of


def write(owner: Client, event: dict[str, Any], to: Any, **fields: Any) -> dict[str, int]:
    reply = owner.post(f"/api/events/{event['id']}/messages", json={"to": to, "subject": "Chairs", "text": "Bring one.\nOr two."} | fields)
    assert reply.status == 202, reply
    notified: dict[str, int] = reply.json["notified"]
    return notified


def mails_of(db: Database, settings: Settings, clock: Clock, event: dict[str, Any]) -> list[EmailMessage]:
    """The messages to the guests of the event that a worker has sent, after it has sent what is due."""
    run_worker(db, settings, clock)
    with db.read() as tx:
        sql = "SELECT id FROM deliveries WHERE event_id = :id AND kind = 'message' AND state = 'sent' ORDER BY id"
        rows = tx.rows(sql, id=event["id"])
    return [read_mail(settings.folder / "outbox" / f"{number}.eml") for (number,) in rows]


def run_worker(db: Database, settings: Settings, clock: Clock) -> None:
    """Send what is due."""
    while due := sender._due(Context(db, settings, clock()), "email", 50):
        for delivery in due:
            sender.attempt(db, settings, delivery)


@pytest.fixture(autouse=True)
def same_clock(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timestamps, "now", clock)


@pytest.fixture(autouse=True)
def no_other_messages(db: Database) -> None:
    empty_queue(db)


def test_a_message_goes_to_those_whom_it_names_also_when_the_event_is_over(
    cast: Cast, db: Database, settings: Settings, clock: Clock
) -> None:
    event = an_event_with_guests(cast)
    for name in ("gus", "ola"):
        an_invitation(cast.alice, event, f"{name}-{event['id']}@example.org")
    a_response(cast.alice, event, response="MAYBE")
    ida = response_id(cast, event, "ida")
    for to, names in {
        ("going",): ["gus"],
        ("waiting",): ["wim"],
        ("maybe", "no"): ["hal", "ida"],
        ("not_answered",): ["ola"],
        ("going", ida): ["gus", "ida"],
    }.items():
        before = len(mails_of(db, settings, clock, event))
        assert write(cast.alice, event, list(to)) == {"email": len(names), "sms": 0, "skipped": 0}
        assert names_of(mails_of(db, settings, clock, event)[before:]) == names
    assert cast.alice.put(f"/api/events/{event['id']}", json={"start_time": "2020-06-01T20:00", "notify": "none"}).status == 200
    assert write(cast.alice, event, "going,maybe") == {"email": 2, "sms": 0, "skipped": 0}


def test_a_mail_has_the_guests_own_links_and_names_no_other_guest(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    event = an_event_with_guests(cast)
    an_invitation(cast.alice, event, f"ola-{event['id']}@example.org")
    write(cast.alice, event, ["going", "maybe", "not_answered"])
    mails = mails_of(db, settings, clock, event)
    assert names_of(mails) == ["gus", "hal", "ola"]
    links = set()
    for mail in mails:
        text, whole = text_of(mail), mail.as_bytes()
        name = mail["To"].partition("-")[0]
        assert (mail["Subject"], mail["Reply-To"]) == ("Chairs", cast.alice.get(f"/api/users/{cast.alice.id}").json["email_address"])
        assert cast.alice.get(f"/api/users/{cast.alice.id}").json["email_address"] not in mail["From"]
        assert "Bring one.\r\nOr two." in text
        assert [other for other in ("gus", "wim", "hal", "ida", "ola") if other != name and f"{other}-".encode() in whole] == []
        link = re.search(r"http://testserver(/[ri]/\S+)", text)
        assert link is not None
        assert cast.anonymous.get(link[1]).status == 200
        links.add(link[1])
        assert f"Stop messages about this event: {mail['List-Unsubscribe'].strip('<>')}" in text
    assert len(links) == len(mails)
    stop = mails[0]["List-Unsubscribe"].strip("<>").partition("testserver")[2]
    assert cast.anonymous.post(stop, data={"List-Unsubscribe": "One-Click"}).status == 200
    assert write(cast.alice, event, ["going", "maybe"]) == {"email": 1, "sms": 0, "skipped": 1}


def test_who_is_suppressed_has_withdrawn_or_does_not_see_a_private_event_gets_nothing(
    cast: Cast, db: Database, settings: Settings, clock: Clock
) -> None:
    event = an_event_with_guests(cast)
    ctx = Context(db, settings, clock())
    with ctx.write():
        suppressions.insert(ctx, "notice", "refused", "email", f"hal-{event['id']}@example.org", owner_id=cast.alice.id)
    assert write(cast.alice, event, ["going", "maybe", "waiting"]) == {"email": 2, "sms": 0, "skipped": 1}
    gus = response_id(cast, event, "gus")
    assert cast.alice.delete(f"/api/responses/{gus}", json={"notify": False}).status == 200
    assert names_of(mails_of(db, settings, clock, event)) == ["wim"]
    an_invitation(cast.alice, event, f"wim-{event['id']}@example.org")
    write(cast.alice, event, ["maybe", "going", "no"])
    assert cast.alice.put(f"/api/events/{event['id']}", json={"public": False}).status == 200
    assert names_of(mails_of(db, settings, clock, event)) == ["wim", "wim"]
    assert write(cast.alice, event, ["going", "no"]) == {"email": 1, "sms": 0, "skipped": 1}


def test_only_editors_write_and_what_is_wrong_is_refused(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    calendar = a_calendar(cast.alice)
    event, other = an_event_with_guests(cast, calendar_id=calendar["id"]), an_event_with_guests(cast)
    shared(cast.alice, calendar, cast.bob, "viewer")
    path, body = f"/api/events/{event['id']}/messages", {"to": ["going"], "subject": "Chairs", "text": "Bring one."}
    assert [who.post(path, json=body).status for who in (cast.anonymous, cast.bob, cast.carol)] == [401, 403, 403]
    for wrong in ([], ["everyone"], [0], [response_id(cast, other, "gus")]):
        reply = cast.alice.post(path, json=body | {"to": wrong})
        assert (reply.status, reply.json["errors"][0]["field"]) == (422, "to"), wrong
    limited = Client(application(db, structs.replace(settings, rate_limits="on", account_announcements_per_day=0), clock), cast.alice.token)
    assert limited.post(path, json=body).status == 429
    real = Client(application(db, structs.replace(settings, email="smtp://127.0.0.1:1"), clock), cast.alice.token)
    assert real.post(path, json=body).status == 403
    reply = cast.alice.post(f"{path}?dry_run=true", json=body)
    assert (reply.json["notified"]["email"], reply.json["would_notify"]["email"]) == (1, 1)
    assert mails_of(db, settings, clock, event) == []


def test_the_list_tells_editors_what_was_sent_to_how_many(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    event = an_event_with_guests(cast)
    write(cast.alice, event, ["going", "maybe"])
    assert cast.alice.delete(f"/api/responses/{response_id(cast, event, 'hal')}", json={"notify": False}).status == 200
    with real_server(Mailbox()) as port:
        run_worker(db, structs.replace(settings, email=f"smtp://127.0.0.1:{port}"), clock)
    write(cast.alice, event, ["going"], subject="Doors")
    path = f"/api/events/{event['id']}/messages"
    listed = cast.alice.get(f"{path}?limit=1&count=true").json
    assert (listed["total"], listed["next"]) == (2, f"{path}?count=true&limit=1&offset=1")
    listed["messages"] += cast.alice.get(listed["next"]).json["messages"]
    shown = [(each["subject"], each["text"], each["mails"], each["sent"], each["failed"]) for each in listed["messages"]]
    assert shown == [("Doors", "Bring one.\nOr two.", 1, 0, 0), ("Chairs", "Bring one.\nOr two.", 2, 1, 1)]
    assert [who.get(path).status for who in (cast.anonymous, cast.carol)] == [401, 403]


def test_a_message_that_was_only_written_to_a_file_does_not_count_as_sent(
    cast: Cast, db: Database, settings: Settings, clock: Clock
) -> None:
    event = an_event_with_guests(cast)
    write(cast.alice, event, ["going"])
    assert len(mails_of(db, settings, clock, event)) == 1
    (message,) = cast.alice.get(f"/api/events/{event['id']}/messages").json["messages"]
    assert (message["mails"], message["sent"], message["failed"]) == (1, 0, 1)
    page = cast.alice.get(f"/deliveries?event_id={event['id']}").text
    assert ">not sent</strong>" in page
    assert "It was written to a file." in page


def test_a_subject_is_one_line_and_adds_no_header(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    event = an_event_with_guests(cast)
    for line_break in ("\r\n", "\n", "\r", "\u2028", "\x85", "\0"):
        body = {"to": ["going"], "subject": f"Chairs{line_break}Bcc: eve@example.org", "text": "Bring one."}
        reply = cast.alice.post(f"/api/events/{event['id']}/messages", json=body)
        assert (reply.status, reply.json["errors"][0]["field"]) == (422, "subject"), repr(line_break)
    encoded = "=?utf-8?q?Chairs=0D=0ABcc:_eve@example.org?="
    write(cast.alice, event, ["going"], subject=encoded, text="Hello\r\nBcc: eve@example.org\r\n\r\nBring one.")
    (mail,) = mails_of(db, settings, clock, event)
    assert (mail["Bcc"], mail["Subject"], mail["To"]) == (None, encoded, f"gus-{event['id']}@example.org")


def test_the_page_shows_a_preview_with_the_count_and_a_second_click_sends_nothing(cast: Cast) -> None:
    event = an_event_with_guests(cast)
    path = f"/events/{event['id']}/messages"
    assert f'href="{path}"' in cast.alice.get(f"/events/{event['id']}").text
    assert f'href="{path}"' not in cast.anonymous.get(f"/events/{event['id']}").text
    form = [("to[]", "going"), ("to[]", "maybe"), ("subject", "Chairs"), ("text", "Bring one.")]
    preview = cast.alice.post(f"{path}/check", data=form)
    assert (preview.status, "Send to 2 people" in preview.text, "Bring one." in preview.text) == (200, True, True)
    assert "Nothing sent yet." in cast.alice.get(path).text
    hidden = re.findall(r'<input type="hidden" name="([\w\[\]]+)" value="([^"]*)"', preview.text)
    assert [cast.alice.post(f"{path}/send", data=hidden).status for _ in range(2)] == [303, 303]
    page = cast.alice.get(path).text
    assert page.count("Sending to 2 people") == 1
    wrong = cast.alice.post(f"{path}/check", data=[("to[]", "no"), ("subject", ""), ("text", "Bring one.")])
    assert (wrong.status, bool(re.search(r'value="no"[^>]*checked', wrong.text)), "Bring one." in wrong.text) == (422, True, True)
    assert cast.alice.post(f"{path}/check", data=form[2:]).status == 422
