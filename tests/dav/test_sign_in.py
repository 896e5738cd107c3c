"""Signing in to CalDAV, and finding it."""

import pytest

from tests.cast import PASSWORD, Cast, a_key
from tests.client import Client
from tests.dav.clients import C, D, device, propfind, report, responses


@pytest.mark.on_one_database
@pytest.mark.parametrize("path", ["/.well-known/caldav", "/.well-known/carddav", "/.well-known/caldav/", "/principals/"])
@pytest.mark.parametrize("method", ["GET", "PROPFIND", "OPTIONS"])
def test_the_well_known_path_leads_there_without_a_password(client: Client, path: str, method: str) -> None:
    reply = client.request(method, path)
    assert (reply.status, reply.headers["Location"]) == (301, "/dav/")


@pytest.mark.on_one_database
def test_options_needs_no_password_and_names_the_features(client: Client) -> None:
    reply = client.request("OPTIONS", "/dav/users/1/calendars/2/")
    assert reply.status == 200
    assert "calendar-access" in reply.headers["DAV"]
    assert {"PROPFIND", "REPORT", "GET", "HEAD", "OPTIONS"} <= set(reply.headers["Allow"].split(", "))


@pytest.mark.on_one_database
def test_options_of_the_bare_host_names_the_features_and_the_methods_of_the_page(client: Client) -> None:
    reply, refused = client.request("OPTIONS", "/"), client.request("BREW", "/")
    assert (reply.status, reply.content, refused.status) == (200, b"", 405)
    assert reply.headers["DAV"] == client.request("OPTIONS", "/dav/").headers["DAV"]
    for each in (reply, refused):
        assert each.headers["Allow"] == "GET, HEAD, OPTIONS, PROPFIND, REPORT"


@pytest.mark.on_one_database
@pytest.mark.parametrize("path", ["/", "/dav", "/dav/", "/dav/users/1/", "/dav/nothing"])
def test_without_a_credential_a_client_is_asked_for_one(client: Client, path: str) -> None:
    reply = client.request("PROPFIND", path)
    assert reply.status == 401
    assert reply.headers["WWW-Authenticate"] == 'Basic realm="Kalends", charset="UTF-8"'


def test_a_device_finds_its_calendars_from_a_bare_host(cast: Cast, client: Client) -> None:
    alice = cast.alice
    headers = device(alice)
    for path in ("/", "/dav", "/dav/"):
        _, props = responses(propfind(client, path, "D:current-user-principal", **headers)).popitem()[1]
        principal = props[f"{D}current-user-principal"].findtext(f"{D}href")
        assert principal == f"/dav/users/{alice.id}/"
    _, props = responses(propfind(client, str(principal), "C:calendar-home-set", "D:displayname", **headers)).popitem()[1]
    home = props[f"{C}calendar-home-set"].findtext(f"{D}href")
    assert props[f"{D}displayname"].text == "Alice"
    listed = responses(propfind(client, str(home), "D:resourcetype", depth="1", **headers))
    assert str(alice.primary_calendar_id) in listed
    assert listed[str(alice.primary_calendar_id)][1][f"{D}resourcetype"].find(f"{C}calendar") is not None


def test_a_client_that_knows_the_bare_host_searches_for_its_principal_there(cast: Cast, client: Client) -> None:
    search = (
        "<D:property-search><D:prop><D:displayname/></D:prop><D:match>Alice</D:match></D:property-search><D:prop><D:displayname/></D:prop>"
    )
    for path in ("/", "/dav/"):
        reply = report(client, path, "D:principal-property-search", search, **device(cast.alice))
        assert list(responses(reply)) == [str(cast.alice.id)], path
    assert client.request("REPORT", "/").status == 401


def test_an_app_password_may_be_typed_without_hyphens_and_with_the_address(cast: Cast, client: Client) -> None:
    password = cast.alice.post("/api/keys", json={"name": "phone", "kind": "dav"}).json["wkey"]
    for typed, name in ((password, None), (password.replace("-", ""), None), (password.upper(), cast.alice.email_address.upper())):
        assert propfind(client, "/dav/", "D:displayname", **device(cast.alice, typed, name)).status == 207
    assert propfind(client, "/dav/", "D:displayname", **device(cast.alice, password, cast.bob.user_name)).status == 401


def test_the_password_of_the_account_is_refused_with_words_that_say_what_to_do(cast: Cast, client: Client) -> None:
    reply = propfind(client, "/dav/", "D:displayname", **device(cast.alice, PASSWORD))
    assert reply.status == 401
    assert "/account/devices" in reply.text


def test_an_app_password_opens_nothing_but_caldav(cast: Cast, client: Client) -> None:
    key = cast.alice.post("/api/keys", json={"name": "phone", "kind": "dav"}).json
    assert (key["kind"], key["shared_secret"]) == ("dav", None)
    assert client.get("/api/events", headers={"Authorization": f"Bearer {key['wkey']}"}).status == 401
    assert client.post("/api/session", json={"wkey": key["wkey"]}).status == 401
    assert client.post("/api/session", json={"wkey": key["wkey"].replace("-", "")}).status == 401


def test_an_api_key_is_no_app_password_but_works_as_a_bearer_token(cast: Cast, client: Client) -> None:
    wkey = a_key(cast.alice)["wkey"]
    assert propfind(client, "/dav/", "D:displayname", **device(cast.alice, wkey)).status == 401
    assert propfind(client, "/dav/", "D:displayname", Authorization=f"Bearer {wkey}").status == 207


def test_a_deleted_app_password_stops_working(cast: Cast, client: Client) -> None:
    key = cast.alice.post("/api/keys", json={"name": "phone", "kind": "dav"}).json
    headers = device(cast.alice, key["wkey"])
    assert propfind(client, "/dav/", "D:displayname", **headers).status == 207
    cast.alice.delete(f"/api/keys/{key['id']}")
    assert propfind(client, "/dav/", "D:displayname", **headers).status == 401


def test_a_cookie_means_nothing(cast: Cast, client: Client) -> None:
    assert cast.alice.token
    assert propfind(client, "/dav/", "D:displayname", Cookie=f"kalends_session={cast.alice.token}").status == 401


def test_wrong_passwords_are_limited_and_missing_ones_are_not(cast: Cast, limited: Client) -> None:
    right = device(cast.alice)
    wrong = device(cast.alice, "aaaa-bbbb")
    statuses = [propfind(limited, "/dav/", "D:displayname", **wrong).status for _ in range(12)]
    assert statuses == [401] * 10 + [429] * 2
    assert propfind(limited, "/dav/", "D:displayname").status == 401
    assert propfind(limited, "/dav/", "D:displayname", **right).status == 207


def test_a_device_with_a_stale_password_locks_nobody_out_of_the_website(cast: Cast, limited: Client) -> None:
    stale = device(cast.alice, "aaaa-bbbb")
    assert [propfind(limited, "/dav/", "D:displayname", **stale).status for _ in range(11)][-1] == 429
    assert limited.post("/api/session", json={"user_name": cast.alice.user_name, "password": PASSWORD}).status == 201


@pytest.mark.on_one_database
@pytest.mark.parametrize("credential", ["", "Basic", "Basic !!!", "Basic OjpvOg==", "Digest x", "Basic " + "QQ" * 5_000, "unreadable"])
def test_a_credential_that_cannot_be_read_is_wrong(client: Client, credential: str) -> None:
    assert propfind(client, "/dav/", "D:displayname", Authorization=credential).status == 401
