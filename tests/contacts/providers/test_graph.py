"""Contacts from Microsoft Graph: a token for the password, pages of contacts, and Retry-After."""

import json
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

import msgspec
import pytest

from kalends.features.contacts.model import ImportInput
from kalends.features.contacts.rules.entry import Entry
from kalends.features.contacts.steps.providers import graph
from kalends.features.contacts.steps.providers.fetch import fetch_entries
from tests.contacts.providers.conftest import TOKEN, Fails
from tests.contacts.providers.stand import Request, Stand

PASSWORD = "Secret & sécret+1"
IMPORT = ImportInput(service="outlook", user_name="ana@example.org", password=PASSWORD)
PAGES = 3


def person(number: int) -> dict[str, Any]:
    return {
        "@odata.etag": "W/1",
        "id": f"AAMk{number}",
        "givenName": "Žofie",
        "surname": f"Ødegård {number}",
        "displayName": f"Žofie Ødegård {number}",
        "emailAddresses": [{"name": "Home", "address": f"person{number}@example.org"}, {"name": "", "address": f"p{number}@example.net"}],
        "mobilePhone": "+33 6 12 34 56 78",
        "homePhones": ["+33 1 12 34 56 78"],
        "businessPhones": ["+33 6 12 34 56 78"],
        "birthday": "1990-05-11T11:59:00Z",
        "homeAddress": {},
        "businessAddress": {"street": "1 rue de la Paix", "postalCode": "75002", "countryOrRegion": "France"},
        "otherAddress": {},
        "categories": ["friends"],
    }


class Graph:
    """Three pages of contacts for those who have signed in, and statuses that ask to wait before the second."""

    def __init__(self, stand: Stand, waits: list[int] | None = None) -> None:
        self.stand = stand
        self.waits = waits or []
        stand.behaviour = self

    def __call__(self, request: Request) -> None:
        url = urlsplit(request.target)
        if url.path == "/organizations/oauth2/v2.0/token":
            form = dict(parse_qsl(request.body.decode()))
            known = (form["username"], form["password"]) == (IMPORT.user_name, PASSWORD)
            expected = {"grant_type": "password", "client_id": "an-application", "scope": graph.SCOPE}
            assert expected.items() <= form.items()
            self._say(request, 200, {"access_token": TOKEN}) if known else self._refuse(request, "AADSTS50126: Wrong.", [50126])
        elif f"Authorization: Bearer {TOKEN}" not in request.head or url.path != "/v1.0/me/contacts":
            self._say(request, 401, {})
        elif "skip=1" in url.query and self.waits:
            request.reply(self.waits.pop(), Retry_After="1")
        else:
            self._page(request, int(parse_qs(url.query).get("skip", ["0"])[0]))

    def _page(self, request: Request, number: int) -> None:
        page = {"value": [person(number * 2), person(number * 2 + 1)]}
        more = {"@odata.nextLink": f"{self.stand.url}/v1.0/me/contacts?skip={number + 1}"} if number + 1 < PAGES else {}
        self._say(request, 200, page | more)

    def _say(self, request: Request, status: int, body: dict[str, Any]) -> None:
        request.reply(status, json.dumps(body), Content_Type="application/json")

    def _refuse(self, request: Request, words: str, codes: list[int]) -> None:
        self._say(request, 400, {"error": "invalid_grant", "error_description": words, "error_codes": codes})


@pytest.mark.parametrize("waits", [[], [503, 429]])
def test_every_contact_of_every_page_is_imported(stand: Stand, waits: list[int]) -> None:
    Graph(stand, waits)
    entries = fetch_entries(stand.settings, IMPORT)
    assert [entry.last_name for entry in entries] == [f"Ødegård {number}" for number in range(2 * PAGES)]
    assert entries[0] == Entry(
        first_name="Žofie",
        last_name="Ødegård 0",
        phone_numbers=["+33 6 12 34 56 78", "+33 1 12 34 56 78"],
        email_addresses=["person0@example.org", "p0@example.net"],
        birthday="1990-05-11",
        country="France",
        zip_code="75002",
        tags=["friends"],
        unique_id="AAMk0",
    )


def test_a_token_needs_no_password_and_no_application(stand: Stand) -> None:
    Graph(stand)
    settings = msgspec.structs.replace(stand.settings, graph_client_id="", graph_login_url="http://127.0.0.1:1")
    assert len(fetch_entries(settings, ImportInput(service="outlook", access_token=TOKEN))) == 2 * PAGES


@pytest.mark.parametrize(
    ("fields", "first_name", "birthday"),
    [
        ({"id": "1", "displayName": "Ana"}, "Ana", ""),
        ({"id": "1", "displayName": "a@example.org", "emailAddresses": [{"address": "a@example.org"}]}, "", ""),
        ({"id": "1", "givenName": None, "birthday": "1604-05-11T11:59:00Z", "mobilePhone": None, "homeAddress": None}, "", ""),
        ({}, "", ""),
    ],
)
def test_a_contact_may_have_few_fields(stand: Stand, fields: dict[str, Any], first_name: str, birthday: str) -> None:
    stand.behaviour = lambda request: request.reply(200, json.dumps({"value": [fields]}))
    (entry,) = fetch_entries(stand.settings, ImportInput(service="outlook", access_token=TOKEN))
    assert (entry.first_name, entry.last_name, entry.birthday) == (first_name, "", birthday)


@pytest.mark.parametrize(
    ("codes", "user_name", "kind"),
    [
        ([50126], "ana@example.org", "wrong-password"),
        ([50034], "ana@example.org", "wrong-password"),
        ([50053], "ana@example.org", "wrong-password"),
        ([50034], "ana@outlook.com", "oauth-needed"),
        ([50126], "ana@Hotmail.fr", "oauth-needed"),
        ([50076], "ana@example.org", "oauth-needed"),
        ([50079], "ana@example.org", "oauth-needed"),
        ([65001], "ana@example.org", "oauth-needed"),
        ([7000218], "ana@example.org", "oauth-needed"),
    ],
)
@pytest.mark.parametrize("listed", [True, False])
def test_each_refused_sign_in_has_its_own_error(
    stand: Stand, fails: Fails, codes: list[int], user_name: str, kind: str, listed: bool
) -> None:
    error = {"error": "invalid_grant", "error_description": f"AADSTS{codes[0]}: No."} | ({"error_codes": codes} if listed else {})
    stand.behaviour = lambda request: request.reply(400, json.dumps(error))
    problem = fails(stand.settings, "outlook", user_name=user_name)
    assert (problem.status, problem.kind, problem.errors[0].field) == (422, f"provider-{kind}", "password")
    assert ("access_token" in problem.detail) == (kind == "oauth-needed")
    assert len(stand.requests) == 1


def test_without_an_application_a_password_is_sent_nowhere(stand: Stand, fails: Fails) -> None:
    problem = fails(msgspec.structs.replace(stand.settings, graph_client_id=""), "outlook")
    assert problem.kind == "provider-oauth-needed"
    assert "access_token" in problem.detail
    assert stand.requests == []


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_token_is_reported(stand: Stand, fails: Fails, status: int) -> None:
    stand.behaviour = lambda request: request.reply(status)
    problem = fails(stand.settings, "outlook", access_token=TOKEN)
    assert (problem.kind, problem.errors[0].field) == ("provider-wrong-token", "access_token")


def test_a_password_goes_into_no_address_and_no_header(stand: Stand) -> None:
    Graph(stand)
    fetch_entries(stand.settings, IMPORT)
    assert [request.head for request in stand.requests if "ecret" in request.head] == []
    assert [request.target for request in stand.requests if TOKEN in request.target] == []


@pytest.mark.parametrize("body", ["<p>Hello", "", "[]", "{}", '{"value": 1}', '{"value": [1]}', '{"value":' + "[" * 100_000, b"\xff"])
def test_a_reply_that_is_not_a_page_of_contacts_is_an_error(stand: Stand, fails: Fails, body: bytes | str) -> None:
    stand.behaviour = lambda request: request.reply(200, body)
    problem = fails(stand.settings, "outlook", access_token=TOKEN)
    assert problem.kind == "provider-invalid-reply"
    assert "like Microsoft Graph" in problem.detail


@pytest.mark.parametrize("token", ["", "two words", "line\nline", "Žluť"])
def test_a_malformed_token_is_reported(stand: Stand, fails: Fails, token: str) -> None:
    stand.behaviour = lambda request: request.reply(200, json.dumps({"access_token": token}))
    assert fails(stand.settings, "outlook").kind == "provider-invalid-reply"
    assert len(stand.requests) == 1


def test_pages_that_link_in_a_loop_end(stand: Stand, fails: Fails) -> None:
    def behaviour(request: Request) -> None:
        there = "b" if request.target.endswith("?a") else "a"
        request.reply(200, json.dumps({"value": [], "@odata.nextLink": f"{stand.url}/v1.0/me/contacts?{there}"}))

    stand.behaviour = behaviour
    assert "loop" in fails(stand.settings, "outlook", access_token=TOKEN).detail


def test_pages_without_end_are_bounded(stand: Stand, fails: Fails, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph, "MAX_ENTRIES", 50)

    def behaviour(request: Request) -> None:
        link = f"{stand.url}/v1.0/me/contacts?{len(stand.requests)}"
        request.reply(200, json.dumps({"value": [person(1)], "@odata.nextLink": link}))

    stand.behaviour = behaviour
    assert "contacts" in fails(stand.settings, "outlook", access_token=TOKEN).detail
    assert len(stand.requests) == 51


def test_a_page_on_another_host_is_not_fetched(stand: Stand, fails: Fails) -> None:
    with Stand() as other:
        page = json.dumps({"value": [], "@odata.nextLink": f"{other.url}/v1.0/me/contacts"})
        stand.behaviour = lambda request: request.reply(200, page)
        assert "another host" in fails(stand.settings, "outlook", access_token=TOKEN).detail
        assert other.requests == []


def test_a_long_retry_after_is_passed_on(stand: Stand, fails: Fails) -> None:
    stand.behaviour = lambda request: request.reply(429, Retry_After="3000")
    problem = fails(stand.settings, "outlook", access_token=TOKEN)
    assert (problem.status, problem.headers) == (503, {"Retry-After": "3000"})
    assert "asks to wait" in problem.detail
