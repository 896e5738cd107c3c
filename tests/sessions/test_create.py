"""POST /api/session: logging in with a password or a key."""

from hashlib import sha256
from pathlib import Path
from typing import Any
from unicodedata import normalize
from uuid import uuid4

import pytest
from msgspec.structs import replace

from kalends.app.application import application
from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database
from kalends.features.users.rules import passwords
from tests.cast import PASSWORD, Cast, a_key
from tests.client import HOST, Client, Reply
from tests.conftest import NOON, Clock
from tests.http.stored_rows import fresh_service
from tests.sessions.digests import signed
from tests.stored_data import encodings, everything
from tests.users.hashers import Counting, Meanwhile
from tests.users.registration import a_registration

pytestmark = pytest.mark.on_one_database

DAY = 86_400


def _login(guest: Client, **credentials: Any) -> Reply:
    return guest.post("/api/session", json=credentials)


def _login_in_browser(guest: Client, **credentials: Any) -> Reply:
    return guest.post("/api/session", json=credentials, headers={"Sec-Fetch-Site": "same-origin"})


def test_a_login_returns_a_token_that_signs_in(cast: Cast, clock: Clock) -> None:
    response = _login(cast.anonymous, user_name=cast.alice.user_name, password=PASSWORD)
    assert response.status == 201
    assert set(response.json) == {"id", "user_id", "user_name", "token", "expires_at"}
    assert (response.json["user_id"], response.json["user_name"]) == (cast.alice.id, cast.alice.user_name)
    assert response.json["expires_at"] == timestamps.format_utc(NOON + 14 * DAY)
    assert response.headers["Location"] == f"/api/session/{response.json['id']}"
    assert cast.anonymous.signed_in(response.json["token"]).get(f"/api/users/{cast.alice.id}").status == 200


def test_every_login_opens_a_separate_session(cast: Cast) -> None:
    new_sessions = [_login(cast.anonymous, user_name=cast.alice.user_name, password=PASSWORD).json for _ in range(5)]
    assert len({session["id"] for session in new_sessions}) == len({session["token"] for session in new_sessions}) == 5
    assert not {session["id"] for session in new_sessions} & {session["token"] for session in new_sessions}


def test_people_log_in_with_their_name_or_their_address_in_any_case(cast: Cast) -> None:
    for name in (cast.alice.user_name, cast.alice.email_address):
        for spelled in (name, name.upper(), f"  {name} "):
            assert _login(cast.anonymous, user_name=spelled, password=PASSWORD).status == 201


def test_a_name_may_be_typed_composed_or_decomposed(client: Client) -> None:
    registration = a_registration()
    registration["user_name"] = f"José-{registration['user_name']}"
    assert client.post("/api/users", json=registration).status == 201
    for form in ("NFC", "NFD"):
        assert _login(client, user_name=normalize(form, registration["user_name"]), password=PASSWORD).status == 201


def test_the_longest_address_logs_in(client: Client) -> None:
    registration = a_registration()
    registration["email_address"] = f"{registration['user_name']}@{'.'.join(['d' * 60] * 3)}.{'e' * 40}.org"
    assert client.post("/api/users", json=registration).status == 201
    assert _login(client, user_name=registration["email_address"], password=PASSWORD).status == 201


def test_a_key_logs_in(cast: Cast) -> None:
    response = _login(cast.anonymous, wkey=a_key(cast.alice)["wkey"])
    assert (response.status, response.json["user_id"]) == (201, cast.alice.id)
    assert cast.anonymous.signed_in(response.json["token"]).get("/api/calendars").status == 200


@pytest.mark.parametrize(
    "credentials",
    [
        {},
        {"user_name": "", "password": None},
        {"user_name": "alice"},
        {"password": PASSWORD},
        {"digest": "k1.00"},
        {"timestamp": "1780000000"},
        {"wkey": ""},
        {"user_name": "alice", "wkey": "wk_1"},
        {"user_name": "alice", "password": PASSWORD, "wkey": "wk_1"},
        {"user_name": "alice", "password": PASSWORD, "timestamp": "1780000000"},
        {"wkey": "wk_1", "digest": "k1.00", "timestamp": "1780000000"},
        {"password": PASSWORD, "digest": "k1.00"},
    ],
)
def test_a_login_needs_exactly_one_whole_set(client: Client, credentials: dict[str, Any]) -> None:
    response = client.post("/api/session", json=credentials)
    assert response.status == 422
    assert response.broken
    assert "Set-Cookie" not in response.headers


def test_an_incomplete_set_of_credentials_names_the_missing_field(client: Client) -> None:
    assert _login(client, user_name="alice").broken == ["password"]
    assert _login(client, digest="k1.00").broken == ["timestamp"]


def test_two_valid_sets_of_credentials_are_refused(cast: Cast) -> None:
    key = a_key(cast.alice)
    sets = [{"user_name": cast.alice.user_name, "password": PASSWORD}, {"wkey": key["wkey"]}, signed(key, str(NOON))]
    for first in sets:
        for second in sets:
            assert _login(cast.anonymous, **(first | second)).status == (201 if first is second else 422)


def test_the_reply_to_wrong_credentials_does_not_disclose_accounts(cast: Cast) -> None:
    key = a_key(cast.alice)
    wrong = [
        _login(cast.anonymous, user_name=cast.alice.user_name, password="not her password"),
        _login(cast.anonymous, user_name=cast.alice.user_name, password=f"{PASSWORD} "),
        _login(cast.anonymous, user_name=cast.alice.email_address, password=PASSWORD.upper()),
        _login(cast.anonymous, user_name="nobody-at-all", password=PASSWORD),
        _login(cast.anonymous, user_name="nobody@example.org", password=PASSWORD),
    ]
    keys = [
        _login(cast.anonymous, wkey="wk_nothing-like-it"),
        _login(cast.anonymous, wkey=key["wkey"].upper()),
        _login(cast.anonymous, wkey=key["id"]),
        _login(cast.anonymous, wkey=key["shared_secret"]),
    ]
    digests = [
        _login(cast.anonymous, **(signed(key, str(NOON)) | {"timestamp": str(NOON + 1)})),
        _login(cast.anonymous, **signed(key | {"id": "k0"}, str(NOON))),
    ]
    for same in (wrong, keys, digests):
        assert {response.status for response in same} == {401}
        assert {response.headers["WWW-Authenticate"] for response in same} == {"Bearer"}
        assert {response.json["title"] for response in same} == {"Wrong credentials"}
        assert [response.json | {"request_id": ""} for response in same] == [same[0].json | {"request_id": ""}] * len(same)
        assert not any("Set-Cookie" in response.headers for response in same)
    assert wrong[0].json["detail"] == "Wrong username or password."
    assert "Wrong username or password." in cast.anonymous.post("/sign-in", data={"user_name": "x", "password": "y"}).text


def test_an_unknown_user_takes_the_same_work_as_a_wrong_password(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    _login(cast.anonymous, user_name="nobody-at-all", password=PASSWORD)
    known, unknown = Counting(), Counting()
    names = {known: cast.alice.user_name, unknown: "nobody-at-all"}
    for hasher, name in names.items():
        monkeypatch.setattr(passwords, "_hasher", hasher)
        assert _login(cast.anonymous, user_name=name, password="not the password").status == 401
    assert known.work == unknown.work == ["verify"]


def test_the_session_cookie_is_http_only_and_same_site(cast: Cast) -> None:
    response = _login_in_browser(cast.anonymous, user_name=cast.alice.user_name, password=PASSWORD)
    name, _, rest = response.headers["Set-Cookie"].partition("=")
    token, *attributes = rest.split("; ")
    assert (name, token) == ("kalends_session", response.json["token"])
    assert set(attributes) == {"Path=/", "HttpOnly", "SameSite=Lax", f"Max-Age={90 * DAY}"}


def test_the_cookie_is_secure_under_https(cast: Cast, db: Database, settings: Settings) -> None:
    safe = Client(application(db, replace(settings, base_url="https://calendar.example.org")))
    response = _login_in_browser(safe, user_name=cast.alice.user_name, password=PASSWORD)
    assert "Secure" in response.headers["Set-Cookie"].split("; ")


def test_under_https_the_cookies_are_bound_to_the_host_and_an_older_one_still_signs_in(
    cast: Cast, db: Database, settings: Settings
) -> None:
    safe = Client(application(db, replace(settings, base_url="https://calendar.example.org")))
    response = _login_in_browser(safe, user_name=cast.alice.user_name, password=PASSWORD)
    assert set(response.cookies) == {"__Host-kalends_session", "__Host-kalends_device"}
    for name in ("__Host-kalends_session", "kalends_session"):
        assert safe.get("/api/session/current", headers={"Cookie": f"{name}={response.json['token']}"}).status == 200
    both = {"Cookie": f"kalends_session=planted; __Host-kalends_session={response.json['token']}"}
    assert safe.get("/api/session/current", headers=both).status == 200
    gone = safe.signed_in(response.json["token"]).delete("/api/session/current")
    assert gone.cookies == {"__Host-kalends_session": "", "kalends_session": ""}


@pytest.mark.parametrize("header", [{"Sec-Fetch-Site": "same-origin"}, {"Origin": f"http://{HOST}"}])
def test_a_browser_gets_the_session_cookie(cast: Cast, header: dict[str, str]) -> None:
    credentials = {"user_name": cast.alice.user_name, "password": PASSWORD}
    response = cast.anonymous.post("/api/session", json=credentials, headers=header)
    assert response.cookies["kalends_session"] == response.json["token"]


def test_a_program_that_keeps_cookies_still_writes_as_a_guest_after_a_login(cast: Cast) -> None:
    event = cast.alice.post("/api/events", json={"title": "Jazz", "start_time": "2027-01-01T20:00:00Z", "public": True}).json
    login = _login(cast.anonymous, user_name=cast.alice.user_name, password=PASSWORD)
    assert "kalends_session" not in login.cookies
    kept = "; ".join(f"{name}={value}" for name, value in login.cookies.items())
    response = {"event_id": event["id"], "email_address": "guest@example.org", "response": "YES"}
    assert cast.anonymous.post("/api/responses", json=response, headers={"Cookie": kept}).status == 201


def test_a_program_gets_the_session_cookie_if_it_asks_for_it(cast: Cast) -> None:
    credentials = {"user_name": cast.alice.user_name, "password": PASSWORD, "cookie": True}
    response = _login(cast.anonymous, **credentials)
    assert response.cookies["kalends_session"] == response.json["token"]
    elsewhere = cast.anonymous.post("/api/session", json=credentials, headers={"Sec-Fetch-Site": "cross-site"})
    assert (elsewhere.status, elsewhere.cookies) == (201, {})


def test_the_cookie_signs_in(cast: Cast) -> None:
    token = _login(cast.anonymous, user_name=cast.alice.user_name, password=PASSWORD).json["token"]
    response = cast.anonymous.get(f"/api/users/{cast.alice.id}", headers={"Cookie": f"kalends_session={token}"})
    assert response.status == 200


def test_a_page_of_another_site_gets_no_cookie(cast: Cast) -> None:
    credentials = {"user_name": cast.alice.user_name, "password": PASSWORD}
    response = cast.anonymous.post("/api/session", json=credentials, headers={"Sec-Fetch-Site": "cross-site"})
    assert "Set-Cookie" not in response.headers


@pytest.mark.on_one_database
def test_only_a_hash_of_the_token_is_stored(settings: Settings, tmp_path: Path) -> None:
    with fresh_service(settings, tmp_path) as fresh:
        session = _login(fresh.guest, user_name=Cast(fresh.guest).alice.user_name, password=PASSWORD).json
        stored = everything(fresh.db, fresh.settings)
    assert session["id"].encode() in stored
    assert sha256(session["token"].encode()).digest() in stored
    assert not any(spelling in stored for spelling in encodings(session["token"]))


def test_a_login_does_not_outlive_the_password_it_was_made_with(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    alice = cast.alice

    def change() -> None:
        fields = {"password": "staple of the stable", "current_password": PASSWORD}
        assert alice.put(f"/api/users/{alice.id}", json=fields).status == 200

    monkeypatch.setattr(passwords, "_hasher", Meanwhile(change))
    assert _login(cast.anonymous, user_name=alice.user_name, password=PASSWORD).status == 401


def test_a_user_deleted_during_login_is_not_signed_in(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    alice = cast.alice
    gone = Meanwhile(lambda: alice.delete(f"/api/users/{alice.id}", json={"current_password": PASSWORD}))
    monkeypatch.setattr(passwords, "_hasher", gone)
    assert _login(cast.anonymous, user_name=alice.user_name, password=PASSWORD).status == 401


def test_a_token_that_looks_like_a_key_is_a_session_all_the_same(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tokens are random, so some do."""
    alice, token = cast.alice, "wk_" + uuid4().hex
    monkeypatch.setattr("kalends.features.sessions.store.new_token", lambda: token)
    response = cast.anonymous.post("/api/session", json={"user_name": alice.user_name, "password": PASSWORD})
    assert response.json["token"] == token
    assert cast.anonymous.signed_in(token).get("/api/session/current").json["id"] == response.json["id"]
