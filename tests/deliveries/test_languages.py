"""Mail in the recipient's language: that of their account, else that of the page on which they last gave their address."""

from typing import Any

import pytest
from msgspec import structs

from kalends.core.i18n import locale
from kalends.core.i18n.catalogs import LANGUAGES, Catalog, load_catalog
from kalends.core.settings import Settings
from kalends.db import Database
from kalends.features.deliveries import language_store as languages
from kalends.features.deliveries.store import DAY
from kalends.http.context import Context
from tests.cast import Cast, a_response, an_event, verified
from tests.client import Client
from tests.conftest import Clock
from tests.responses.mail import mails_about, text_of, token_of

GUS = "gus@example.org"
# Whether a catalogue has these messages already is of no account.
MESSAGES = {
    "de": {"You’re going: %(title)s": "Zugesagt: %(title)s", "Change your RSVP": "Antwort ändern"},
    "ar": {"You’re going: %(title)s": "قلتَ نعم: %(title)s", "Change your RSVP": "تغيير الرد"},
}


@pytest.fixture(autouse=True)
def complete(monkeypatch: pytest.MonkeyPatch) -> None:
    def find_catalog(language: str) -> Catalog:
        catalog = load_catalog(language)
        return structs.replace(catalog, messages=catalog.messages | MESSAGES.get(language, {}))

    monkeypatch.setattr(locale, "load_catalog", find_catalog)
    monkeypatch.setattr(locale, "OFFERED", list(LANGUAGES))


def _respond(guest: Client, event: dict[str, Any], accepted: str, address: str = GUS) -> None:
    fields = {"event_id": event["id"], "response": "YES", "email_address": address}
    assert guest.post("/api/responses", json=fields, headers={"accept-language": accepted}).status in (200, 201)


def _html(message: Any) -> str:
    return str(message.get_body(("html",)).get_content())


def test_a_guest_gets_mail_in_the_language_of_their_browser(cast: Cast, db: Database, settings: Settings) -> None:
    event = an_event(cast.alice, public=True, title="Jam")
    _respond(cast.anonymous, event, "de-AT,de;q=0.9,en;q=0.5")
    _respond(cast.anonymous, event, "ar", "amal@example.org")
    a_response(cast.anonymous, event, email_address="eve@example.org")
    german, arabic, english = mails_about(db, settings, event["id"])
    assert german["Subject"] == "Zugesagt: Jam"
    assert "Antwort ändern: http" in text_of(german)
    assert '<html lang="de" dir="ltr">' in _html(german)
    assert arabic["Subject"] == "قلتَ نعم: Jam"
    assert '<html lang="ar" dir="rtl">' in _html(arabic)
    assert "تغيير الرد" in _html(arabic)
    assert (english["Subject"], '<html lang="en" dir="ltr">' in _html(english)) == ("You’re going: Jam", True)


def test_the_language_of_the_account_wins_over_that_of_the_browser(cast: Cast, db: Database, settings: Settings) -> None:
    event = an_event(cast.alice, public=True, title="Jam")
    carol = verified(db, cast.carol)
    with db.write() as tx:
        tx.run("UPDATE users SET language = 'de' WHERE id = :id", id=carol.id)
    assert carol.post("/api/responses", json={"event_id": event["id"], "response": "YES"}, headers={"accept-language": "ar"}).status == 201
    (message,) = mails_about(db, settings, event["id"])
    assert message["Subject"] == "Zugesagt: Jam"


def test_the_language_of_whoever_gives_another_address_is_not_that_of_its_owner(cast: Cast, db: Database, settings: Settings) -> None:
    event = an_event(cast.alice, public=True, title="Jam")
    _respond(cast.alice, event, "de", "nora@example.org")
    assert _language(db, settings, "nora@example.org") == "en"


def test_a_guest_who_is_forgotten_leaves_no_language(cast: Cast, db: Database, settings: Settings) -> None:
    event = an_event(cast.alice, public=True, title="Jam")
    _respond(cast.anonymous, event, "de", "hal@example.org")
    assert _language(db, settings, "Hal+jam@example.org") == "de"
    response = cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"][0]
    assert cast.anonymous.post(f"/r/{token_of(db, settings, response['id'])}/forget").status == 200
    assert _language(db, settings, "hal@example.org") == "en"


def test_languages_are_deleted_after_two_years(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    event = an_event(cast.alice, public=True, title="Jam")
    _respond(cast.anonymous, event, "de", "ida@example.org")
    for days, language in ((700, "de"), (731, "en")):
        ctx = Context(db, settings, clock.now + days * DAY)
        with ctx.write():
            languages.clean_up(ctx)
        assert _language(db, settings, "ida@example.org") == language


def _language(db: Database, settings: Settings, address: str) -> str:
    ctx = Context(db, settings, 0)
    with ctx.read():
        return languages.find_locale(ctx, address).language
