"""POST /api/keys."""

import re
from hashlib import sha256
from typing import Any

import pytest

from kalends.db import Database
from kalends.settings import Settings
from kalends.values import timestamps
from tests.cast import PASSWORD, Cast, a_key
from tests.conftest import NOON, Clock
from tests.stored_data import encodings, everything
from tests.users.resetting import mails


def test_a_key_is_answered_once_with_its_secrets(cast: Cast, clock: Clock) -> None:
    made = cast.alice.post("/api/keys", json={"name": "  backup "})
    assert made.status == 201
    assert {"name": made.json["name"], "created_at": made.json["created_at"]} == {
        "name": "backup",
        "created_at": timestamps.format_utc(NOON),
    }
    assert set(made.json) == {"id", "name", "wkey", "shared_secret", "created_at"}
    assert re.fullmatch(r"k[0-9a-z]{8,20}", made.json["id"])
    assert re.fullmatch(r"wk_[A-Za-z0-9_-]{32,}", made.json["wkey"])
    assert len(made.json["shared_secret"]) >= 32
    again = cast.alice.get("/api/keys").text
    assert made.json["wkey"] not in again
    assert made.json["shared_secret"] not in again


def test_every_key_is_another(cast: Cast) -> None:
    made = [a_key(cast.alice) for _ in range(20)]
    for field in ("id", "wkey", "shared_secret"):
        assert len({key[field] for key in made}) == 20


def test_a_key_acts_for_its_user(cast: Cast) -> None:
    program = cast.anonymous.signed_in(a_key(cast.alice)["wkey"])
    assert program.get(f"/api/users/{cast.alice.id}").status == 200
    assert program.post("/api/calendars", json={"name": "Jazz"}).status == 201
    assert program.get(f"/api/users/{cast.bob.id}").status == 404


@pytest.mark.parametrize("name", ["", None, "x" * 201, 7, "two\nlines"])
def test_a_key_needs_a_name(cast: Cast, name: Any) -> None:
    answer = cast.alice.post("/api/keys", json={"name": name})
    assert (answer.status, answer.broken) == (422, ["name"])


def test_no_secret_of_a_key_is_kept(cast: Cast, db: Database, settings: Settings) -> None:
    """Neither the database nor the files, nor both, hold what logs in; of the write key they hold the hash."""
    key = a_key(cast.alice)
    kept = everything(db, settings)
    assert key["id"].encode() in kept
    assert sha256(key["wkey"].encode()).digest() in kept
    for spelling in [key["wkey"].encode(), *encodings(key["wkey"].removeprefix("wk_")), *encodings(key["shared_secret"])]:
        assert spelling not in kept


def test_a_key_makes_no_keys_nor_does_a_session_that_it_opened(cast: Cast) -> None:
    """Else a leaked key would outlive its deletion."""
    key = a_key(cast.alice)
    session = cast.anonymous.post("/api/session", json={"wkey": key["wkey"]}).json
    for token in (key["wkey"], session["token"]):
        for given in ({"name": "another"}, {"name": "another", "current_password": PASSWORD}):
            answer = cast.anonymous.signed_in(token).post("/api/keys", json=given)
            assert (answer.status, "Sign in with your password" in answer.text) == (403, True)
    assert len(cast.alice.get("/api/keys").json["keys"]) == 1


def test_a_key_is_not_told_the_secrets_of_another_under_its_idempotency_key(cast: Cast) -> None:
    once, given = {"Idempotency-Key": "backup-1"}, {"name": "another"}
    program = cast.anonymous.signed_in(a_key(cast.alice)["wkey"])
    made = cast.alice.post("/api/keys", json=given, headers=once)
    again = cast.alice.post("/api/keys", json=given, headers=once)
    assert (made.status, again.status, made.json["wkey"] in again.text) == (201, 409, False)
    assert program.post("/api/keys", json=given, headers=once).status == 403
    assert len(cast.alice.get("/api/keys").json["keys"]) == 2


def test_after_an_hour_a_key_needs_the_password(cast: Cast, clock: Clock) -> None:
    alice = cast.alice
    clock.ahead(3600)
    for given, status in (({}, 422), ({"current_password": "not hers"}, 403)):
        answer = alice.post("/api/keys", json={"name": "late"} | given)
        assert (answer.status, answer.broken) == (status, ["current_password"])
    assert 'id="key-current_password"' in alice.get("/account").text
    assert alice.post("/api/keys", json={"name": "late", "current_password": PASSWORD}).status == 201
    assert "late too" in alice.post("/account/keys", data={"name": "late too", "current_password": PASSWORD}).text


def test_within_the_hour_the_page_asks_for_no_password(cast: Cast) -> None:
    assert 'id="key-current_password"' not in cast.alice.get("/account").text


def test_the_user_is_told_of_a_new_key(cast: Cast, db: Database, settings: Settings) -> None:
    a_key(cast.alice)
    (notice,) = mails(db, settings, cast.alice.id, "notice")
    assert (f"To: {cast.alice.email_address}" in notice, "Subject: A new key" in notice) == (True, True)
