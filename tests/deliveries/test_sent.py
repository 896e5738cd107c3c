"""End to end: a running service with its worker, a real mail server and a fake SMS provider."""

import asyncio
import email
import email.policy
import re
import time
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import icalendar
import pytest

from kalends.core.settings import Settings
from kalends.features.deliveries.rules.recipient_links import confirm_url
from tests.deliveries.servers import Mailbox, real_server
from tests.deliveries.test_sms import interface
from tests.serve.conftest import Start, database, start  # noqa: F401
from tests.serve.running import Running, bearer, eventually
from tests.users.account_mail import a_verify_token


def an_event(service: Running, token: str, **fields: Any) -> dict[str, Any]:
    defaults = {"title": "Żółta łódź: “Jazz”", "start_time": "2027-05-11T20:00", "time_zone": "Europe/Warsaw", "public": True}
    response = service.post("/api/events", defaults | fields, headers=bearer(token))
    assert response.status == 201, response
    event: dict[str, Any] = response.json
    return event


def states(service: Running, token: str) -> list[tuple[str, str]]:
    listed = service.get("/api/deliveries", headers=bearer(token)).json["deliveries"]
    return sorted((delivery["channel"], delivery["state"]) for delivery in listed if delivery["kind"] not in ("confirm", "response"))


def confirm(service: Running, token: str) -> None:
    """Follow the links that everybody who opted in was sent."""
    listed = service.get("/api/deliveries", headers=bearer(token)).json["deliveries"]
    settings = Settings(data=str(service.folder / "data"))
    for delivery in listed:
        if delivery["kind"] == "confirm":
            link = confirm_url(settings, delivery["id"]).removeprefix(settings.url)
            assert service.request("POST", link, headers={"Content-Type": "application/x-www-form-urlencoded"}).status == 200


def verify(service: Running) -> None:
    """The first user after the administrator follows the link by which they verify their address."""
    token = a_verify_token(Settings(data=str(service.folder / "data")), 2, int(time.time()) - 1)
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    assert service.request("POST", f"/verify/{token}", headers=form).status == 303


@pytest.mark.on_one_database
def test_mail_and_sms_arrive_and_the_mail_has_an_unsubscribe_link(start: Start, database: str) -> None:  # noqa: F811
    with real_server(box := Mailbox()) as port, interface() as sms:
        service = start(
            work=True,
            database=database,
            base_url="https://calendar.example.org",
            email=f"smtp://127.0.0.1:{port}",
            sms=f"twilio://AC1:secret@127.0.0.1:{sms.server_address[1]}?from=%2B15005550006&scheme=http",
            sms_countries="FR",
            metrics_token="figures",
        )
        token = service.sign_up("alice")
        event = an_event(service, token)
        addresses = {"email": "gus@example.org", "mobile_number": "+33 6 12 34 56 78", "opt_in": True}
        headers = {"Host": "evil.example", "X-Forwarded-Host": "evil.example"}
        assert service.request("PUT", f"/api/events/{event['id']}/send_to_me", addresses, headers).status == 202
        eventually(lambda: len(box.envelopes) == len(sms.requests) == 2)
        confirm_link = next(
            match for envelope in box.envelopes if (match := re.search(rb"example.org(/confirm/[0-9A-Za-z_-]+)", envelope.content))
        )
        text = next(matched for _, _, form in sms.requests if (matched := re.search(r"example.org(/c/[0-9A-Za-z_-]+)$", form["Body"][0])))
        for link in (confirm_link[1].decode(), text[1]):
            assert service.request("POST", link, headers={"Content-Type": "application/x-www-form-urlencoded"}).status == 200
        box.envelopes.clear()
        assert service.request("PUT", f"/api/events/{event['id']}/send_to_me", addresses, headers).status == 202
        eventually(lambda: states(service, token) == [("email", "sent")] * 2 + [("sms", "sent")] * 2)
        figures = service.get("/metrics", headers=bearer("figures")).text
        assert 'kalends_deliveries_last_hour{channel="email",state="sent"} 5.0' in figures

        (envelope,) = box.envelopes
        mail = email.message_from_bytes(envelope.content, policy=email.policy.default)
        assert (mail["Subject"], mail["To"]) == (event["title"], "gus@example.org")
        assert "evil" not in envelope.content.decode()
        file = icalendar.Calendar.from_ical(next(mail.iter_attachments()).get_content())
        assert file.walk("VEVENT")[0].decoded("DTSTART") == datetime(2027, 5, 11, 20, tzinfo=ZoneInfo("Europe/Warsaw"))
        assert len(sms.requests) == 3

        leave = urlsplit(re.fullmatch(r"<(.*)>", mail["List-Unsubscribe"])[1])  # type: ignore[index]
        assert f"{leave.scheme}://{leave.netloc}" == "https://calendar.example.org"
        assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
        response = service.request("POST", leave.path, headers={"Content-Type": "application/x-www-form-urlencoded"})
        assert response.status == 200
        subscribers = service.get("/api/subscribers", headers=bearer(token)).json["subscribers"]
        assert [subscriber["channel"] for subscriber in subscribers] == ["sms"]


def test_an_announcement_reaches_those_who_are_still_on_the_list(start: Start) -> None:  # noqa: F811
    with real_server(box := Mailbox()) as port:
        service = start(email=f"smtp://127.0.0.1:{port}")
        token = service.sign_up("alice")
        verify(service)
        event = an_event(service, token)
        for guest in ("gus", "hal"):
            response = {"event_id": event["id"], "email_address": f"{guest}@example.org", "response": "YES", "opt_in": True}
            assert service.post("/api/responses", response).status == 201
        confirm(service, token)
        assert service.request("PUT", f"/api/events/{event['id']}/announce", {}, bearer(token)).json == {"queued": 2}
        first = service.get("/api/subscribers", headers=bearer(token)).json["subscribers"][0]
        service.request("DELETE", f"/api/subscribers/{first['id']}", headers=bearer(token))
        service.stop()
        again = start(work=True, email=f"smtp://127.0.0.1:{port}")
        eventually(lambda: states(again, token) == [("email", "failed"), ("email", "sent")])
        announced = [
            envelope for envelope in box.envelopes if b"text/calendar" in envelope.content and b"Your RSVP: Going" not in envelope.content
        ]
        assert [envelope.rcpt_tos for envelope in announced] == [["hal@example.org"]]


def test_an_event_deleted_before_sending_is_not_sent(start: Start) -> None:  # noqa: F811
    service = start()
    token = service.sign_up("alice")
    event = an_event(service, token)
    service.request("PUT", f"/api/events/{event['id']}/send_to_me", {"email": "gus@example.org"}, bearer(token))
    service.request("DELETE", f"/api/events/{event['id']}", headers=bearer(token))
    service.stop()
    again = start(work=True)
    eventually(lambda: states(again, token) == [("email", "failed")])
    assert not [file for file in service.folder.rglob("*.eml") if "gus" in file.read_text()]


def test_a_mail_server_that_hangs_does_not_delay_sms(start: Start) -> None:  # noqa: F811
    class Hanging:
        async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
            await asyncio.sleep(60)
            return "250 taken"

    with real_server(Hanging()) as port:
        service = start(work=True, rate_limits="off", email=f"smtp://127.0.0.1:{port}")
        token = service.sign_up("alice")
        path = f"/api/events/{an_event(service, token)['id']}/send_to_me"
        for guest in range(40):
            assert service.request("PUT", path, {"email": f"guest{guest}@example.org"}).status == 202
        eventually(lambda: ("email", "sending") in states(service, token))
        assert service.request("PUT", path, {"mobile_number": "+33612345678"}).status == 202
        eventually(lambda: ("sms", "sent") in states(service, token))
        assert ("email", "sent") not in states(service, token)


def test_without_a_mail_server_messages_are_files(start: Start) -> None:  # noqa: F811
    service = start(work=True)
    token = service.sign_up("alice")
    event = an_event(service, token)
    addresses = {"email": "gus@example.org", "mobile_number": "+33612345678"}
    service.request("PUT", f"/api/events/{event['id']}/send_to_me", addresses, bearer(token))
    eventually(lambda: states(service, token) == [("email", "sent"), ("sms", "sent")])
    files = sorted(file.name for file in (service.folder / "data" / "outbox").iterdir())
    # The first two are the links by which the administrator and alice verify their addresses.
    assert files == ["1.eml", "2.eml", "3.eml", "4.sms.txt"]
