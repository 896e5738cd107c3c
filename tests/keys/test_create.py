"""POST /api/keys."""

import re
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database
from tests.cast import PASSWORD, Cast, a_key
from tests.conftest import NOON, Clock
from tests.http.stored_rows import fresh_service
from tests.stored_data import encodings, everything
from tests.users.account_mail import mails

pytestmark = pytest.mark.on_one_database


def test_the_secrets_of_a_key_are_only_in_the_reply_to_create(cast: Cast, clock: Clock) -> None:
    response = cast.alice.post("/api/keys", json={"name": "  backup "})
    assert response.status == 201
    assert {"name": response.json["name"], "created_at": response.json["created_at"]} == {
        "name": "backup",
        "created_at": timestamps.format_utc(NOON),
    }
    assert set(response.json) == {
        "id",
        "name",
        "wkey",
        "shared_secret",
        "created_at",
        "kind",
        "scopes",
        "read_only",
        "expires_at",
        "calendar_ids",
    }
    assert re.fullmatch(r"k[0-9a-z]{8,20}", response.json["id"])
    assert re.fullmatch(r"wk_[A-Za-z0-9_-]{32,}", response.json["wkey"])
    assert len(response.json["shared_secret"]) >= 32
    again = cast.alice.get("/api/keys").text
    assert response.json["wkey"] not in again
    assert response.json["shared_secret"] not in again


def test_every_key_is_unique(cast: Cast) -> None:
    keys = [a_key(cast.alice) for _ in range(20)]
    for field in ("id", "wkey", "shared_secret"):
        assert len({key[field] for key in keys}) == 20


def test_a_key_acts_for_its_user(cast: Cast) -> None:
    program = cast.anonymous.signed_in(a_key(cast.alice)["wkey"])
    assert program.get(f"/api/users/{cast.alice.id}").status == 200
    assert program.post("/api/calendars", json={"name": "Jazz"}).status == 201
    assert program.get(f"/api/users/{cast.bob.id}").status == 404


@pytest.mark.parametrize("name", ["", None, "x" * 201, 7, "two\nlines"])
def test_a_key_needs_a_name(cast: Cast, name: Any) -> None:
    response = cast.alice.post("/api/keys", json={"name": name})
    assert (response.status, response.broken) == (422, ["name"])


@pytest.mark.on_one_database
def test_the_secrets_of_a_key_are_not_stored(settings: Settings, tmp_path: Path) -> None:
    """Neither the database nor the files, nor both, hold what logs in; of the write key they hold the hash."""
    with fresh_service(settings, tmp_path) as fresh:
        key = a_key(Cast(fresh.guest).alice)
        stored = everything(fresh.db, fresh.settings)
    assert key["id"].encode() in stored
    assert sha256(key["wkey"].encode()).digest() in stored
    for spelling in [key["wkey"].encode(), *encodings(key["wkey"].removeprefix("wk_")), *encodings(key["shared_secret"])]:
        assert spelling not in stored


def test_neither_a_key_nor_its_session_can_create_keys(cast: Cast) -> None:
    """Else a leaked key would outlive its deletion."""
    key = a_key(cast.alice)
    session = cast.anonymous.post("/api/session", json={"wkey": key["wkey"]}).json
    for token in (key["wkey"], session["token"]):
        for fields in ({"name": "another"}, {"name": "another", "current_password": PASSWORD}):
            response = cast.anonymous.signed_in(token).post("/api/keys", json=fields)
            assert (response.status, "Sign in yourself" in response.text) == (403, True)
    assert len(cast.alice.get("/api/keys").json["keys"]) == 1


def test_an_idempotency_key_does_not_disclose_the_secrets_of_another_key(cast: Cast) -> None:
    once, fields = {"Idempotency-Key": "backup-1"}, {"name": "another"}
    program = cast.anonymous.signed_in(a_key(cast.alice)["wkey"])
    first = cast.alice.post("/api/keys", json=fields, headers=once)
    again = cast.alice.post("/api/keys", json=fields, headers=once)
    assert (first.status, again.status, first.json["wkey"] in again.text) == (201, 409, False)
    assert program.post("/api/keys", json=fields, headers=once).status == 403
    assert len(cast.alice.get("/api/keys").json["keys"]) == 2


def test_after_an_hour_a_key_needs_the_password(cast: Cast, clock: Clock) -> None:
    alice = cast.alice
    clock.ahead(3600)
    for fields, status in (({}, 422), ({"current_password": "not hers"}, 403)):
        response = alice.post("/api/keys", json={"name": "late"} | fields)
        assert (response.status, response.broken) == (status, ["current_password"])
    assert 'id="key-current_password"' in alice.get("/account").text
    assert alice.post("/api/keys", json={"name": "late", "current_password": PASSWORD}).status == 201
    assert "late too" in alice.post("/account/keys", data={"name": "late too", "current_password": PASSWORD}).text


def test_within_the_hour_the_page_asks_for_no_password(cast: Cast) -> None:
    assert 'id="key-current_password"' not in cast.alice.get("/account").text


def test_the_user_is_notified_of_a_new_key(cast: Cast, db: Database, settings: Settings) -> None:
    a_key(cast.alice)
    (notice,) = mails(db, settings, cast.alice.id, "notice")
    assert (f"To: {cast.alice.email_address}" in notice, "Subject: An API key was created" in notice) == (True, True)


def test_the_user_is_notified_of_a_new_device_by_its_name(cast: Cast, db: Database, settings: Settings) -> None:
    assert cast.alice.post("/api/keys", json={"name": "Pixel: blue", "kind": "dav"}).status == 201
    (notice,) = mails(db, settings, cast.alice.id, "notice")
    assert "Subject: You connected a device: Pixel: blue" in notice
    assert "/account/devices" in notice
    assert "API key" not in notice


def test_a_key_can_be_tried(cast: Cast) -> None:
    tried = cast.alice.post("/api/keys", json={"name": "backup", "current_password": PASSWORD, "dry_run": True})
    assert (tried.status, tried.json["name"], tried.json["would_notify"]["email"]) == (201, "backup", 1)
    assert cast.alice.get("/api/keys").json["keys"] == []
    assert cast.anonymous.signed_in(tried.json["wkey"]).get("/api/users/current").status == 401


def test_a_parameter_that_keys_do_not_have_is_refused(cast: Cast) -> None:
    for wish in ({"scope": "read"}, {"calendars": [1]}):
        refused = cast.alice.post("/api/keys", json={"name": "reader"} | wish)
        assert (refused.status, refused.broken) == (422, list(wish))
        assert refused.json["errors"][0]["code"] == "unknown"
    assert cast.alice.get("/api/keys").json["keys"] == []
