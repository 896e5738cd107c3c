"""Whom mail is from, and whom a reply reaches."""

import re
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from kalends.core.records.administration import SiteRow
from kalends.core.settings import Settings
from kalends.features.deliveries import store as deliveries
from kalends.features.deliveries.messages import content_message as content
from kalends.features.site import store as site_store
from kalends.http.context import Context
from tests.cast import Cast, a_response, an_event
from tests.http.stored_rows import FreshService, fresh_service
from tests.pictures.files import a_picture
from tests.subscribers.confirmations import confirmed


@pytest.fixture
def service(settings: Settings, tmp_path: Path) -> Iterator[FreshService]:
    with fresh_service(settings, tmp_path) as fresh:
        yield fresh


def _confirmation(service: FreshService, **changes: str) -> EmailMessage:
    """The mail to a guest who has responded to an event of alice's."""
    alice = Cast(service.guest).alice
    event = an_event(alice, public=True, description="Bring your **favourite** game:\n\n- snacks", start_time="2026-08-01T20:00")
    a_response(service.guest, event, email_address="gus@example.org")
    mail: EmailMessage = _newest(service, "response", **changes)
    mail["X-Organiser"] = alice.email_address
    return mail


def _newest(service: FreshService, kind: str, **changes: str) -> Any:
    """The newest mail of this kind."""
    ctx = Context(service.db, structs.replace(service.settings, **changes), service.clock())
    with ctx.read() as tx:
        delivery = deliveries.get(ctx, tx.value("SELECT max(id) FROM deliveries WHERE kind = :kind", kind=kind))
        assert delivery
        mail = content.build(ctx, delivery)
    assert isinstance(mail, EmailMessage)
    return mail


def _html(mail: Any) -> str:
    return str(mail.get_body(("html",)).get_content())


def _name(service: FreshService, name: str) -> None:
    ctx = Context(service.db, service.settings, service.clock())
    with ctx.write():
        site_store.update(ctx, SiteRow(name=name))


def test_mail_is_from_the_name_of_the_site(service: FreshService) -> None:
    assert _confirmation(service)["From"] == "Kalends <kalends@testserver>"
    _name(service, "TSV Waldheim")
    assert _confirmation(service)["From"] == "TSV Waldheim <kalends@testserver>"
    assert _confirmation(service, email_from="Old <mail@example.org>")["From"] == "TSV Waldheim <mail@example.org>"


def test_a_reply_to_a_confirmation_reaches_the_organiser(service: FreshService) -> None:
    mail = _confirmation(service)
    assert mail["Reply-To"] == mail["X-Organiser"]


def test_replies_go_to_no_address_that_is_not_confirmed(service: FreshService) -> None:
    assert _confirmation(service, email="smtp://localhost:2525")["Reply-To"] is None


def test_an_announcement_can_be_answered(service: FreshService) -> None:
    alice = Cast(service.guest).alice
    event = an_event(alice, public=True, start_time="2026-08-01T20:00")
    assert service.guest.put(f"/api/events/{event['id']}/send_to_me", json={"email": "sue@example.org", "opt_in": True}).status == 202
    confirmed(alice, service.settings, "sue@example.org")
    assert alice.put(f"/api/events/{event['id']}/announce").json["queued"] == 1
    assert _newest(service, "announce")["Reply-To"] == alice.email_address


def test_a_mail_names_the_site_and_has_the_picture_of_a_public_event(service: FreshService) -> None:
    _name(service, "TSV Waldheim")
    html = _html(_confirmation(service))
    assert re.search(r'<a [^>]*href="http://testserver/"[^>]*>TSV Waldheim</a>', html)
    [picture] = re.findall(r'<img src="http://testserver(/[^"]+)"[^>]* alt=""', html)
    reply = service.guest.get(picture)
    assert (reply.status, reply.headers["Content-Type"]) == (200, "image/png")
    assert len(reply.content) < 100_000


def test_the_picture_of_an_event_for_members_is_in_no_mail(service: FreshService) -> None:
    alice = Cast(service.guest).alice
    event = an_event(alice, start_time="2026-08-01T20:00", image_url="https://example.org/picture.png")
    assert a_picture(alice, event)
    a_response(alice, event, email_address="gus@example.org")
    assert "<img" not in _html(_newest(service, "response"))


def test_what_an_organiser_writes_is_shown_as_it_was_marked_up(service: FreshService) -> None:
    alice = Cast(service.guest).alice
    event = an_event(alice, public=True, start_time="2026-08-01T20:00", description="First line\nsecond line\n\nAnother paragraph")
    a_response(service.guest, event, email_address="gus@example.org")
    words = "Bring **chairs**:\n\n- two\n- three"
    path = f"/api/events/{event['id']}"
    assert alice.post(f"{path}/messages", json={"to": ["going"], "subject": "Chairs", "text": words}).status == 202
    assert alice.post(f"{path}/invitations", json={"addresses": ["ana@example.org"], "message": words}).status == 202
    for kind in ("message", "invitation"):
        mail = _newest(service, kind)
        assert "<strong>chairs</strong>" in _html(mail), kind
        assert "<li>two</li>" in _html(mail), kind
        assert words in mail.get_body(("plain",)).get_content().replace("\r\n", "\n"), kind
    assert "First line<br>\nsecond line</p>\n<p>Another paragraph" in _html(mail).replace("<br />", "<br>")
    assert re.search(rf'<a href="http://testserver/events/{event["id"]}"[^>]*>View event</a>', _html(mail))


@pytest.mark.parametrize(("taken", "color"), [(1, "#1f6b3d"), (2, "#7a4d00")])
def test_the_colour_of_a_confirmation_says_whether_there_is_a_spot(service: FreshService, taken: int, color: str) -> None:
    event = an_event(Cast(service.guest).alice, public=True, start_time="2026-08-01T20:00", capacity=2, waiting_list="auto")
    a_response(service.guest, event, email_address="fay@example.org", number=taken)
    a_response(service.guest, event, email_address="gus@example.org")
    assert f"background: {color}" in _html(_newest(service, "response"))


def test_a_confirmation_has_one_button_and_never_offers_what_was_answered(service: FreshService) -> None:
    html = _html(_confirmation(service))
    assert html.count('class="go"') == 1
    assert "response=YES" not in html
    assert "response=NO" in html
