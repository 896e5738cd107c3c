"""Contacts from real CardDAV servers, whatever reports they support."""

import pytest

from kalends.core.settings import Settings
from kalends.features.contacts.model import ImportInput
from kalends.features.contacts.rules.entry import Entry
from kalends.features.contacts.steps.providers.fetch import fetch_entries
from tests.contacts.providers.books import NO_QUERY, NO_REPORT, PASSWORD, PEOPLE, USER, Book
from tests.contacts.providers.conftest import Fails


def imported(book: Book, user_name: str = USER, password: str = PASSWORD, path: str = "/") -> dict[str, Entry]:
    settings = Settings(google_carddav_url=book.url + path)
    entries = fetch_entries(settings, ImportInput(service="google", user_name=user_name, password=password))
    assert len(entries) == PEOPLE
    return {entry.unique_id: entry for entry in entries}


@pytest.mark.parametrize("path", ["/", "/.well-known/carddav", "/nowhere/at/all"])
def test_every_contact_of_every_address_book_is_imported(book: Book, path: str) -> None:
    entries = imported(book, path=path)
    assert set(entries) == {f"card-{number}" for number in range(PEOPLE)}
    assert (entries["card-8"].first_name, entries["card-8"].last_name) == ("Žofie 李雷", "Ødegård 8")
    assert entries["card-8"].phone_numbers == ["+33 6 12 34 56 78"]
    assert entries["card-8"].email_addresses == ["person8@example.org"]
    assert entries["card-7"].email_addresses == ["person7@example.org", "žofie7@example.net", "person7@work.example.com"]
    assert entries["card-10"].email_addresses == []


@pytest.mark.parametrize("user_name", [NO_QUERY, NO_REPORT])
def test_a_server_with_fewer_reports_gives_the_same_contacts(books: dict[str, Book], user_name: str) -> None:
    assert imported(books["xandikos"], user_name) == imported(books["xandikos"])


def test_an_app_password_may_have_the_spaces_that_it_is_shown_with(book: Book) -> None:
    assert imported(book, password="abcd efgh ijkl mnop")


@pytest.mark.parametrize(
    ("service", "credentials", "kind", "field", "words"),
    [
        ("google", {"password": "qrstqrstqrstqrst"}, "wrong-password", "password", "myaccount.google.com/apppasswords"),
        ("yahoo", {"password": "qrst qrst qrst qrst"}, "wrong-password", "password", "login.yahoo.com/account/security"),
        ("google", {}, "app-password-needed", "password", "myaccount.google.com/apppasswords"),
        ("yahoo", {}, "app-password-needed", "password", "login.yahoo.com/account/security"),
        ("google", {"access_token": "canary.token-_~+/=="}, "wrong-token", "access_token", "has expired"),
    ],
)
def test_each_refused_credential_has_its_own_error(
    book: Book, fails: Fails, service: str, credentials: dict[str, str], kind: str, field: str, words: str
) -> None:
    problem = fails(Settings(google_carddav_url=book.url, yahoo_carddav_url=book.url), service, **credentials)
    assert (problem.status, problem.kind, problem.errors[0].field) == (422, f"provider-{kind}", field)
    assert words in problem.detail
    assert ".vcf" in problem.detail
