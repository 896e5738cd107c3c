"""Messages of forms in the reader's language; programs get them in English."""

import pytest
from msgspec import structs

from kalends.core.i18n import locale
from kalends.core.i18n.catalogs import LANGUAGES, Catalog, load_catalog
from tests.cast import Cast, an_event
from tests.client import Client

pytestmark = pytest.mark.on_one_database

# Whether the catalogue has these messages already is of no account.
MESSAGES = {
    "must be an email address such as ana@example.org": "muss eine E-Mail-Adresse wie ana@example.org sein",
    "must not be before start_time": "darf nicht vor start_time liegen",
    "Start": "Beginn",
    "Wrong username or password.": "Benutzername oder Passwort ist falsch.",
    "This event is full.": "Diese Veranstaltung ist ausgebucht.",
}
GERMAN = {"accept-language": "de", "accept": "text/html"}


@pytest.fixture(autouse=True)
def complete(monkeypatch: pytest.MonkeyPatch) -> None:
    def find_catalog(language: str) -> Catalog:
        catalog = load_catalog(language)
        return structs.replace(catalog, messages=catalog.messages | MESSAGES) if language == "de" else catalog

    monkeypatch.setattr(locale, "load_catalog", find_catalog)
    monkeypatch.setattr(locale, "OFFERED", list(LANGUAGES))


def test_a_wrong_password_is_told_in_the_language_of_the_reader(client: Client) -> None:
    page = client.post("/sign-in", data={"user_name": "nobody", "password": "none of these"}, headers=GERMAN)
    assert "Benutzername oder Passwort ist falsch." in page.text


def test_a_broken_field_is_told_with_the_labels_of_the_language(cast: Cast) -> None:
    fields = {"title": "Jam", "start_time": "2027-06-02T20:00", "end_time": "2027-06-01T20:00"}
    page = cast.alice.post("/events", data=fields, headers=GERMAN)
    assert "arf nicht vor “Beginn” liegen" in page.text
    reply = cast.alice.post("/api/events", json=fields, headers=GERMAN)
    assert reply.json["errors"][0]["message"] == "must not be before start_time"


def test_a_refused_response_is_told_in_the_language_of_the_guest(cast: Cast) -> None:
    event = an_event(cast.alice, public=True, capacity=1)
    fields = {"event_id": event["id"], "response": "YES"}
    assert cast.carol.post("/api/responses", json=fields).status == 201
    wrong = cast.bob.post(f"/events/{event['id']}/respond", data={"response": "YES"}, headers=GERMAN)
    assert "Diese Veranstaltung ist ausgebucht." in wrong.text
    assert cast.bob.post("/api/responses", json=fields, headers=GERMAN).json["detail"] == "This event is full."
