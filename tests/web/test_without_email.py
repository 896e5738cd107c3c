"""What pages say on a site that sends no email, and on one that does."""

import re

import pytest
from msgspec import structs

from kalends.app.application import application
from kalends.core.i18n.locale import ENGLISH
from kalends.core.settings import Settings
from kalends.db import Database
from kalends.web.environment import environment
from kalends.web.without_email import WITHOUT_EMAIL
from tests.cast import Cast, an_event
from tests.client import Client
from tests.conftest import Clock
from tests.i18n.extraction import find_messages

PROMISES = re.compile(r"we.ll email|we.ve (just )?emailed|will be sent|(?<!won’t )(get|gets) an email|your inbox", re.IGNORECASE)


def _msgids() -> set[str]:
    """What pages say; mails are read by those who got them."""
    on_pages = [each for each in find_messages() if any("/deliveries/" not in path for path, _ in each.locations)]
    return {str(each.id[0] if isinstance(each.id, tuple) else each.id) for each in on_pages}


def test_each_message_without_email_stands_for_one_that_the_code_has() -> None:
    assert WITHOUT_EMAIL.keys() - _msgids() == set()


def test_no_message_without_email_promises_one() -> None:
    for other in WITHOUT_EMAIL.values():
        assert not PROMISES.search(other.msgid + (other.plural or "")), other


def test_each_promise_of_an_email_has_a_message_without_it() -> None:
    missing = {msgid for msgid in _msgids() - WITHOUT_EMAIL.keys() if PROMISES.search(msgid)}
    assert missing == set()


@pytest.mark.parametrize(("sends_email", "words"), [(True, "They get an email."), (False, "let them know yourself")])
def test_a_page_promises_an_email_only_if_the_site_sends_any(sends_email: bool, words: str) -> None:
    assert words in environment(ENGLISH, sends_email=sends_email).from_string('{{ _("They get an email.") }}').render()


def test_the_invitations_of_an_event_have_its_link_if_no_email_is_sent(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    event = an_event(cast.alice, public=True)
    sends = Client(application(db, structs.replace(settings, email="smtp://127.0.0.1:1"), clock)).signed_in(str(cast.alice.token))
    link = f'value="{settings.url}/events/{event["id"]}"'
    for path in ("invitations", "messages", "reminders", "responses?tab=invited"):
        page = cast.alice.get(f"/events/{event['id']}/{path}").text
        assert ("This site sends no email" in page, link in page) == (True, True)
        assert "This site sends no email" not in sends.get(f"/events/{event['id']}/{path}").text


def test_nobody_can_ask_for_a_link_to_reset_a_password_if_no_email_is_sent(
    cast: Cast, db: Database, settings: Settings, clock: Clock
) -> None:
    sends = Client(application(db, structs.replace(settings, email="smtp://127.0.0.1:1"), clock))
    assert "Email me a link" in sends.get("/reset").text
    page = cast.anonymous.get("/reset").text
    assert "Ask whoever runs the server to set a new password for you." in page
    assert "Email me a link" not in page
