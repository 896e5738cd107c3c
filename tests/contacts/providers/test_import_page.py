"""Contacts from services on pages: imported entries wait on a list, and the ticked ones become contacts."""

import re

import pytest
from msgspec import structs

from kalends.app.application import application
from kalends.core.settings import Settings
from kalends.db import Database
from tests.cast import Cast
from tests.client import Client
from tests.conftest import Clock
from tests.contacts.providers.books import PASSWORD, USER, Book
from tests.contacts.providers.conftest import CANARY, SECRETS, TOKEN
from tests.contacts.providers.test_import import ADDRESSES, WITHOUT, importing, total

__all__ = ["importing"]


def import_form(**fields: str) -> dict[str, str]:
    return {"service": "yahoo", "user_name": USER, "password": PASSWORD} | fields


def test_imported_entries_wait_on_a_list_until_they_are_moved_to_the_contacts(importing: Client) -> None:
    done = importing.post("/contacts/import", data=import_form())
    assert (done.status, done.headers["Location"]) == (303, f"/contacts/imported?skipped={WITHOUT}")
    page = importing.get(done.headers["Location"])
    assert f"{ADDRESSES:,} people to review" in page.text
    assert f"{WITHOUT} entries were skipped because they have no email address" in page.text
    assert re.search(r"Yahoo, until \d+ \w+ \d{4}, \d\d:\d\d", page.text)
    assert f"{ADDRESSES:,} imported contacts" in importing.get("/contacts").text
    ticked = re.findall(r'name="ids\[\]" value="(\d+)"', page.text)[:2]
    reply = importing.post("/contacts/keep", data=[("ids[]", each) for each in ticked])
    assert reply.redirect == ("/contacts/imported", "kept")
    assert (total(importing), total(importing, list="imported")) == (2, ADDRESSES - 2)
    assert importing.post("/contacts/keep", data={"all": "true"}).redirect == ("/contacts", "kept")
    assert total(importing, list="imported") == 0
    assert 'class="empty"' in importing.get("/contacts/imported").text


def test_keeping_no_entries_or_missing_ones_is_reported(importing: Client, clock: Clock) -> None:
    importing.post("/contacts/import", data=import_form())
    nobody = importing.post("/contacts/keep", data={})
    assert nobody.status == 422
    assert 'href="#ids"' in nobody.text
    ticked = re.findall(r'name="ids\[\]" value="(\d+)"', nobody.text)[0]
    gone = importing.post("/contacts/keep", data=[("ids[]", ticked), ("ids[]", "999999999")])
    assert gone.status == 404
    assert "includes contact 999999999, which doesn’t exist" in gone.text
    assert re.search(rf'value="{ticked}" checked', gone.text)
    assert total(importing) == 0


def test_a_refused_password_is_reported_at_its_field_and_never_repeated(importing: Client) -> None:
    page = importing.post("/contacts/import", data=import_form(service="google", password=CANARY))
    assert page.status == 422
    assert re.search(r'id="service-password"[^>]*aria-invalid="true"', page.text)
    assert f'value="{USER}"' in page.text
    assert re.search(r'value="google" checked', page.text)
    assert "myaccount.google.com/apppasswords" in page.text
    assert not [secret for secret in SECRETS if secret in page.text]


def test_a_refused_token_is_reported_in_its_own_form_and_never_repeated(importing: Client) -> None:
    page = importing.post("/contacts/import/token", data={"service": "yahoo", "access_token": TOKEN})
    assert page.status == 422
    assert re.search(r'id="token-access_token"[^>]*aria-invalid="true"', page.text)
    assert 'href="#token-access_token"' in page.text
    assert TOKEN not in page.text
    spaced = importing.post("/contacts/import/token", data={"service": "yahoo", "access_token": "no token"})
    assert 'href="#token-access_token"' in spaced.text


@pytest.mark.parametrize(("field", "value"), [("password", ""), ("user_name", ""), ("service", "aol")])
def test_missing_fields_of_an_import_are_named(importing: Client, field: str, value: str) -> None:
    page = importing.post("/contacts/import", data=import_form(**{field: value}))
    assert page.status == 422
    assert f'href="#service-{field}"' in page.text


def test_an_unavailable_service_is_reported(db: Database, settings: Settings, clock: Clock, cast: Cast, books: dict[str, Book]) -> None:
    unreachable = structs.replace(settings, google_carddav_url="http://127.0.0.1:9")
    who = Client(application(db, unreachable, clock), cast.alice.token)
    page = who.post("/contacts/import", data=import_form(service="google"))
    assert page.status == 503
    assert "Google is unavailable" in page.text
    assert f'value="{USER}"' in page.text
    assert PASSWORD not in page.text
