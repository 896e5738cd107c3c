"""POST /api/contacts/import and keep: from a service to the temporary list, and from there to the primary one."""

import os
from typing import Any

import pytest
from msgspec import structs

from kalends.app.application import application
from kalends.app.worker import clean_up
from kalends.core.settings import Settings
from kalends.db import Database, Transaction
from kalends.features.contacts.steps import bulk_import
from kalends.http.context import Context
from tests.cast import Cast, a_contact
from tests.client import Client, Reply
from tests.conftest import Clock
from tests.contacts.providers.books import PASSWORD, PEOPLE, USER, Book
from tests.contacts.providers.conftest import CANARY, SECRETS
from tests.contacts.providers.stand import Stand
from tests.stored_data import files

DAY = 24 * 60 * 60
# A tenth has no address; a seventh of the others has two more.
WITHOUT = PEOPLE // 10
ADDRESSES = sum(3 if n % 7 == 0 else 1 for n in range(PEOPLE) if n % 10)


@pytest.fixture
def importing(db: Database, settings: Settings, clock: Clock, cast: Cast, books: dict[str, Book]) -> Client:
    """Alice, at a service whose Google is Radicale, and whose Yahoo is Xandikos."""
    with_books = structs.replace(settings, google_carddav_url=books["radicale"].url, yahoo_carddav_url=books["xandikos"].url)
    return Client(application(db, with_books, clock), cast.alice.token)


def imported(who: Client, service: str = "yahoo", **fields: Any) -> Reply:
    return who.post("/api/contacts/import", json={"service": service, "user_name": USER, "password": PASSWORD} | fields)


def total(who: Client, **query: Any) -> int:
    count: int = who.get("/api/contacts", query={"count": "true", "limit": 0} | query).json["total"]
    return count


@pytest.mark.parametrize("service", ["google", "yahoo"])
def test_an_import_fills_the_temporary_list_with_an_entry_for_each_address(importing: Client, service: str) -> None:
    reply = imported(importing, service)
    assert reply.status == 201
    assert (reply.json["service"], reply.json["imported"], reply.json["skipped"]) == (service, ADDRESSES, WITHOUT)
    assert len(reply.json["contacts"]) == ADDRESSES
    by_address = {entry["email_address"]: entry for entry in reply.json["contacts"]}
    assert by_address["person8@example.org"]["name"] == by_address["person8@example.org"]["name"] == "Žofie 李雷 Ødegård 8"
    assert by_address["žofie7@example.net"]["name"] == by_address["person7@example.org"]["name"]
    assert (total(importing), total(importing, list="imported")) == (0, ADDRESSES)
    contact = importing.get(f"/api/contacts/{by_address['person8@example.org']['id']}").json
    assert (contact["last_name"], contact["phone_number"]) == ("Ødegård 8", "+33 6 12 34 56 78")


def test_importing_again_replaces_what_came_from_that_service(importing: Client) -> None:
    imported(importing)
    assert imported(importing, "google").json["imported"] == ADDRESSES
    assert total(importing, list="imported") == 2 * ADDRESSES
    assert imported(importing).status == 201
    assert total(importing, list="imported") == 2 * ADDRESSES


def test_the_temporary_list_expires_after_a_day(importing: Client, clock: Clock, db: Database, settings: Settings) -> None:
    entry = imported(importing).json["contacts"][0]
    clock.ahead(DAY - 1)
    assert total(importing, list="imported") == ADDRESSES
    clock.ahead(1)
    assert total(importing, list="imported") == 0
    assert importing.get(f"/api/contacts/{entry['id']}").status == 404
    assert importing.post("/api/contacts/keep", json={"ids": [entry["id"]]}).status == 404
    clean_up(ctx := Context(db, settings, clock()))
    with ctx.read() as tx:
        assert tx.value("SELECT count(*) FROM contacts WHERE expires_at IS NOT NULL AND expires_at <= :now", now=clock()) == 0


def test_keep_moves_those_whose_address_is_new(importing: Client) -> None:
    a_contact(importing, email_address="PERSON8@example.org")
    entries = {entry["email_address"]: entry["id"] for entry in imported(importing).json["contacts"]}
    entry_ids = [entries["person8@example.org"], entries["person9@example.org"]]
    assert importing.post("/api/contacts/keep", json={"ids": entry_ids}).json == {"kept": 1, "skipped": 1}
    assert total(importing) == 2
    again = importing.post("/api/contacts/keep", json={"ids": entry_ids})
    assert (again.status, again.broken) == (409, ["ids"])
    assert importing.post("/api/contacts/keep").json == {"kept": ADDRESSES - 2, "skipped": 1}
    assert (total(importing), total(importing, list="imported")) == (ADDRESSES, 1)
    assert importing.post("/api/contacts/delete_all?list=imported").json == {"deleted": 1}
    assert importing.post("/api/contacts/delete_all").json == {"deleted": ADDRESSES}


def test_keep_drops_a_unique_id_that_another_contact_has(importing: Client) -> None:
    a_contact(importing, unique_id="card-8")
    entries = {entry["email_address"]: entry["id"] for entry in imported(importing).json["contacts"]}
    importing.post("/api/contacts/keep", json={"ids": [entries["person8@example.org"], entries["person9@example.org"]]})
    assert importing.get(f"/api/contacts/{entries['person8@example.org']}").json["unique_id"] is None
    assert importing.get(f"/api/contacts/{entries['person9@example.org']}").json["unique_id"] == "card-9"


def test_imported_entries_belong_to_their_user_alone(importing: Client, cast: Cast) -> None:
    entry = imported(importing).json["contacts"][0]
    assert total(cast.bob, list="imported") == 0
    assert cast.bob.get(f"/api/contacts/{entry['id']}").status == 404
    assert cast.bob.post("/api/contacts/keep").json == {"kept": 0, "skipped": 0}


def test_a_failed_import_keeps_what_came_before(importing: Client) -> None:
    imported(importing)
    refused = imported(importing, password="wrongwrongwrongw")
    assert (refused.status, refused.json["type"], refused.broken) == (422, "/docs/errors#provider-wrong-password", ["password"])
    assert total(importing, list="imported") == ADDRESSES


def test_more_addresses_than_an_import_accepts_are_an_error_of_the_provider(importing: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk_import, "MAX_ENTRIES", ADDRESSES - 1)
    refused = imported(importing)
    assert (refused.status, refused.json["type"], refused.broken) == (422, "/docs/errors#provider-invalid-reply", ["service"])
    assert total(importing, list="imported") == 0


def test_no_credential_is_stored_or_logged(
    db: Database, settings: Settings, clock: Clock, cast: Cast, books: dict[str, Book], stand: Stand, capfd: pytest.CaptureFixture[str]
) -> None:
    """It is searched for in every reply, log line, table and file of the service."""
    with_providers = structs.replace(
        settings,
        google_carddav_url=books["radicale"].url,
        yahoo_carddav_url="http://127.0.0.1:9",
        graph_url=stand.url,
        graph_login_url=stand.url,
    )
    alice = Client(application(db, with_providers, clock), cast.alice.token)
    replies = [imported(alice, service, **credentials) for service in ("google", "yahoo", "outlook") for credentials in _credentials()]
    assert all(reply.status in (422, 503) for reply in replies), replies
    with db.read() as tx:
        tables = [str(tx.rows(f"SELECT * FROM {table}")) for table in _tables(tx)]
    output = "\n".join(
        [
            *(f"{reply.headers}{reply.text}" for reply in replies),
            *tables,
            files(settings).decode(errors="replace"),
            *capfd.readouterr(),
            str(dict(os.environ)),
        ]
    )
    assert [secret for secret in SECRETS if secret in output] == []


def _credentials() -> list[dict[str, str]]:
    return [{"password": CANARY}, {"password": "", "access_token": SECRETS[2]}]


def _tables(tx: Transaction) -> list[str]:
    if "sqlite" in type(tx).__module__:
        return [name for (name,) in tx.rows("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return [name for (name,) in tx.rows("SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'")]
