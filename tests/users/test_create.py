"""POST /api/users: registering."""

import os
import sys
import threading
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any
from unicodedata import normalize
from uuid import uuid4

import pytest
from argon2 import PasswordHasher
from msgspec.structs import replace

from kalends.app.application import application
from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database
from kalends.features.users.rules import passwords
from tests.cast import PASSWORD, Cast
from tests.client import Client
from tests.conftest import NOON, Clock
from tests.http.stored_rows import fresh_service
from tests.stored_data import everything
from tests.users.registration import a_registration

pytestmark = pytest.mark.on_one_database


def _login(guest: Client, user_name: str, password: str) -> int:
    return guest.post("/api/session", json={"user_name": user_name, "password": password}).status


def test_registering_returns_the_account(client: Client, clock: Clock) -> None:
    registration = a_registration(name="Emil", time_zone="Europe/Berlin")
    response = client.post("/api/users", json=registration)
    assert response.status == 201
    assert response.headers["Location"] == f"/api/users/{response.json['id']}"
    expected = {
        "user_name": registration["user_name"],
        "email_address": registration["email_address"],
        "name": "Emil",
        "time_zone": "Europe/Berlin",
        "response_notices": "daily",
        "language": None,
        "hour_cycle": None,
        "week_start": None,
    }
    stamps = {"created_at": timestamps.format_utc(NOON), "updated_at": timestamps.format_utc(NOON), "verified": False, "verified_at": None}
    expected |= {"role": response.json["role"], "status": "active"}
    assert response.json == expected | stamps | {"id": response.json["id"], "primary_calendar_id": response.json["primary_calendar_id"]}


def test_name_and_time_zone_have_defaults(client: Client) -> None:
    user = client.post("/api/users", json=a_registration()).json
    assert (user["name"], user["time_zone"]) == (None, "UTC")


@pytest.mark.parametrize("name", ["Emil", None])
def test_a_user_has_one_primary_calendar_from_the_start(client: Client, name: str | None) -> None:
    registration = a_registration(name=name, time_zone="Asia/Tokyo")
    user = client.post("/api/users", json=registration).json
    token = client.post("/api/session", json={"user_name": registration["user_name"], "password": PASSWORD}).json["token"]
    [calendar] = client.signed_in(token).get("/api/calendars").json["calendars"]
    assert (calendar["id"], calendar["primary"], calendar["role"]) == (user["primary_calendar_id"], True, "owner")
    assert (calendar["name"], calendar["time_zone"], calendar["public"]) == (name or registration["user_name"], "Asia/Tokyo", False)


@pytest.mark.parametrize("domain", ["mail.local", "mail.internal", "example.org", "exämple.org"])
def test_an_address_is_checked_for_its_form_only(client: Client, domain: str) -> None:
    address = f"bob-{uuid4().hex[:10]}@{domain}"
    response = client.post("/api/users", json=a_registration(email_address=address))
    assert (response.status, response.json["email_address"]) == (201, address)


@pytest.mark.parametrize("user_name", ["a", "Ana.María-7_x", "名前", "x" * 60])
def test_a_user_name_has_letters_digits_dots_hyphens_and_underscores(client: Client, user_name: str) -> None:
    unique = f"{user_name}{uuid4().hex}"[:60] if len(user_name) < 60 else f"{uuid4().hex}{user_name}"[:60]
    assert client.post("/api/users", json=a_registration(user_name=unique)).json["user_name"] == unique


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("user_name", value) for value in ["", None, "two words", "ana@home", "a/b", "x" * 61, 7, "ana\0", "ana\u202e"]),
        *(
            ("email_address", value)
            for value in ["", None, "ana", "ana@host", "@example.org", "ana@", "ana@ex ample.org", "a@b@c.org", "a" * 250 + "@b.org"]
        ),
        *(("password", value) for value in ["", None, "7 chars", "x" * 257, 12345678, "zero\0zero"]),
        *(("name", value) for value in ["x" * 201, 7, "two\nlines"]),
        *(("time_zone", value) for value in ["Mars/Olympus", "europe/berlin", "+02:00", 2]),
    ],
)
def test_an_invalid_value_names_its_field(client: Client, field: str, value: Any) -> None:
    response = client.post("/api/users", json=a_registration() | {field: value})
    assert (response.status, response.broken) == (422, [field])


def test_every_broken_field_is_named_at_once(client: Client) -> None:
    response = client.post("/api/users", json={"user_name": "a b", "password": "short", "time_zone": "Mars"})
    assert (response.status, set(response.broken)) == (422, {"user_name", "email_address", "password", "time_zone"})


@pytest.mark.parametrize(("field", "sign"), [("user_name", ""), ("email_address", "@example.org")])
@pytest.mark.parametrize(
    ("first", "second"),
    [("Ana", "aNA"), ("Straße", "STRASSE"), (normalize("NFC", "José"), normalize("NFD", "JOSÉ")), ("ΣΊΣΥΦΟΣ", "σίσυφος")],
)
def test_names_and_addresses_are_unique_without_regard_to_case(client: Client, field: str, sign: str, first: str, second: str) -> None:
    mark = uuid4().hex[:10]
    assert client.post("/api/users", json=a_registration() | {field: f"{first}{mark}{sign}"}).status == 201
    again = client.post("/api/users", json=a_registration() | {field: f"{second}{mark.upper()}{sign.upper()}"})
    assert (again.status, again.broken) == (409, [field])


def test_a_registration_that_fails_leaves_nothing_behind(client: Client, cast: Cast) -> None:
    registration = a_registration(user_name=cast.alice.user_name)
    assert client.post("/api/users", json=registration).status == 409
    assert client.post("/api/users", json=a_registration(email_address=registration["email_address"])).status == 201


@pytest.mark.parametrize("field", ["user_name", "email_address"])
def test_of_concurrent_registrations_of_one_name_one_succeeds(client: Client, field: str) -> None:
    value = a_registration()[field]
    start = Barrier(8)

    def register(number: int) -> int:
        registration = a_registration() | {field: value.upper() if number % 2 else value}
        start.wait(10)
        return client.post("/api/users", json=registration).status

    with ThreadPoolExecutor(8) as threads:
        assert sorted(threads.map(register, range(8), timeout=60)) == [201, *[409] * 7]


def test_a_closed_service_registers_nobody(client: Client, db: Database, settings: Settings) -> None:
    registration = a_registration()
    closed = Client(application(db, replace(settings, registration="closed")))
    assert closed.post("/api/users", json=registration).status == 403
    assert _login(client, registration["user_name"], PASSWORD) == 401


@pytest.mark.parametrize("password", ["8 letter", "xyzzy, 🎷 " * 28, "  spaces count  ", "Grüße, 世界 🎷"])
def test_a_password_is_accepted_unchanged(client: Client, password: str) -> None:
    registration = a_registration(password=password)
    assert client.post("/api/users", json=registration).status == 201
    assert _login(client, registration["user_name"], password) == 201
    assert _login(client, registration["user_name"], password[:-1] + "?") == 401


def test_a_password_may_be_typed_on_any_keyboard(client: Client) -> None:
    """The same letter comes composed from one system and decomposed from another."""
    registration = a_registration(password=normalize("NFD", "Überraschung"))
    assert client.post("/api/users", json=registration).status == 201
    assert _login(client, registration["user_name"], normalize("NFC", "Überraschung")) == 201


def test_spaces_around_a_password_are_part_of_it(client: Client) -> None:
    registration = a_registration(password="  spaces count  ")
    client.post("/api/users", json=registration)
    assert _login(client, registration["user_name"], "spaces count") == 401


@pytest.mark.on_one_database
def test_only_a_hash_of_the_password_is_stored(settings: Settings, tmp_path: Path) -> None:
    registration = a_registration(password=f"secret {uuid4().hex}")
    with fresh_service(settings, tmp_path) as fresh:
        response = fresh.guest.post("/api/users", json=registration)
        assert registration["password"] not in response.text
        with fresh.db.read() as tx:
            assert tx.value("SELECT password_hash FROM users WHERE id = :id", id=response.json["id"]).startswith("$argon2id$")
        stored = everything(fresh.db, fresh.settings)
    assert registration["user_name"].encode() in stored
    assert registration["password"].encode() not in stored


@pytest.mark.skipif(sys.platform != "linux", reason="priorities of threads are Linux's")
def test_a_password_is_hashed_with_low_priority(client: Client, monkeypatch: pytest.MonkeyPatch, password_threads: Executor) -> None:
    priorities: list[int] = []
    monkeypatch.setattr(passwords, "_threads", password_threads)

    class Watching(PasswordHasher):
        def hash(self, password: str | bytes, *, salt: bytes | None = None) -> str:
            priorities.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))
            return super().hash(password, salt=salt)

    before = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    monkeypatch.setattr(passwords, "_hasher", Watching(time_cost=1, memory_cost=8, parallelism=1))
    assert client.post("/api/users", json=a_registration()).status == 201
    assert priorities == [max(before, passwords.NICE)]
    assert os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) == before


@pytest.mark.parametrize("field", ["user_name", "email_address"])
def test_no_password_is_hashed_for_a_name_that_is_taken(client: Client, field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    registration = a_registration()
    assert client.post("/api/users", json=registration).status == 201
    monkeypatch.setattr(passwords, "_hasher", None)
    again = client.post("/api/users", json=a_registration() | {field: registration[field]})
    assert (again.status, again.broken) == (409, [field])
