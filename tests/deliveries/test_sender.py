"""Whom mail is from, and whom a reply reaches."""

from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest
from msgspec import structs

from kalends.core.records.administration import SiteRow
from kalends.core.settings import Settings
from kalends.features.deliveries import store as deliveries
from kalends.features.deliveries.messages import content_message as content
from kalends.http.context import Context
from kalends.web import site_store as sites
from tests.cast import Cast, a_response, an_event
from tests.http.stored_rows import FreshService, fresh_service


@pytest.fixture
def service(settings: Settings, tmp_path: Path) -> Iterator[FreshService]:
    with fresh_service(settings, tmp_path) as fresh:
        yield fresh


def _confirmation(service: FreshService, **changes: str) -> EmailMessage:
    """The mail to a guest who has responded to an event of alice's."""
    alice = Cast(service.guest).alice
    event = an_event(alice, public=True, description="Bring your **favourite** game:\n\n- snacks", start_time="2026-08-01T20:00")
    a_response(service.guest, event, email_address="gus@example.org")
    ctx = Context(service.db, structs.replace(service.settings, **changes), service.clock())
    with ctx.read() as tx:
        delivery = deliveries.get(ctx, tx.value("SELECT max(id) FROM deliveries WHERE kind = 'response'"))
        assert delivery
        mail = content.build(ctx, delivery)
    assert isinstance(mail, EmailMessage)
    mail["X-Organiser"] = alice.email_address
    return mail


def _name(service: FreshService, name: str) -> None:
    ctx = Context(service.db, service.settings, service.clock())
    with ctx.write():
        sites.update(ctx, SiteRow(name=name))


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


def test_a_confirmation_has_one_button_and_never_offers_what_was_answered(service: FreshService) -> None:
    [html] = [part.get_content() for part in _confirmation(service).walk() if part.get_content_type() == "text/html"]
    assert html.count('class="go"') == 1
    assert "response=YES" not in html
    assert "response=NO" in html
