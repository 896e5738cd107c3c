"""PUT /api/users/<id>."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any
from uuid import uuid4

import pytest

from kalends.core.settings import Settings
from kalends.db import Database
from kalends.features.users.rules import passwords
from tests.cast import PASSWORD, Cast, Person, a_key, verified
from tests.client import Client
from tests.conftest import Clock
from tests.users.account_mail import mails
from tests.users.hashers import Meanwhile

pytestmark = pytest.mark.on_one_database

NEW_PASSWORD = "staple of the stable"


def _path(person: Person) -> str:
    return f"/api/users/{person.id}"


def _login(guest: Client, user_name: str, password: str) -> int:
    return guest.post("/api/session", json={"user_name": user_name, "password": password}).status


def _is_signed_in(client: Client) -> bool:
    return client.get("/api/calendars").status == 200


def test_update_changes_only_the_fields_in_the_request(cast: Cast, clock: Clock) -> None:
    before = cast.alice.user
    clock.ahead(60)
    changed = cast.alice.put(_path(cast.alice), json={"name": "Alicia"})
    assert changed.status == 200
    assert changed.json.pop("updated_at") > before["updated_at"]
    assert changed.json | {"updated_at": ""} == before | {"name": "Alicia", "updated_at": ""}
    assert cast.alice.get(_path(cast.alice)).json["name"] == "Alicia"


@pytest.mark.parametrize("field", ["user_name", "email_address", "name", "time_zone"])
def test_every_field_may_change(cast: Cast, field: str) -> None:
    mark = uuid4().hex[:10]
    values = {"user_name": f"emil-{mark}", "email_address": f"{mark}@mail.local", "name": "Emil", "time_zone": "Asia/Tokyo"}
    changed = cast.alice.put(_path(cast.alice), json={field: values[field], "current_password": PASSWORD})
    assert changed.json == cast.alice.user | {field: values[field]}


@pytest.mark.parametrize("empty", ["", None])
def test_an_optional_field_is_cleared(cast: Cast, empty: str | None) -> None:
    cast.alice.put(_path(cast.alice), json={"time_zone": "Asia/Tokyo"})
    changed = cast.alice.put(_path(cast.alice), json={"name": empty, "time_zone": empty}).json
    assert (changed["name"], changed["time_zone"]) == (None, "UTC")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("user_name", ""),
        ("user_name", "a b"),
        ("email_address", None),
        ("email_address", "ana"),
        ("time_zone", "Mars"),
        ("name", "x" * 201),
    ],
)
def test_an_invalid_value_names_its_field_and_updates_nothing(cast: Cast, field: str, value: Any) -> None:
    response = cast.alice.put(_path(cast.alice), json={"name": "Alicia"} | {field: value})
    assert (response.status, response.broken) == (422, [field])
    assert cast.alice.get(_path(cast.alice)).json == cast.alice.user


@pytest.mark.parametrize("field", ["user_name", "email_address"])
def test_a_taken_name_is_a_conflict_and_changes_nothing(cast: Cast, field: str) -> None:
    fields = {"name": "Alicia", field: getattr(cast.bob, field).upper(), "current_password": PASSWORD}
    response = cast.alice.put(_path(cast.alice), json=fields)
    assert (response.status, response.broken) == (409, [field])
    assert cast.alice.get(_path(cast.alice)).json == cast.alice.user


def test_users_may_change_the_case_of_their_own_name(cast: Cast) -> None:
    spelled = cast.alice.user_name.upper()
    assert cast.alice.put(_path(cast.alice), json={"user_name": spelled}).json["user_name"] == spelled


def test_people_log_in_with_their_new_address_only(cast: Cast) -> None:
    address = f"{uuid4().hex}@example.org"
    cast.alice.put(_path(cast.alice), json={"email_address": address, "current_password": PASSWORD})
    assert _login(cast.anonymous, address, PASSWORD) == 201
    assert _login(cast.anonymous, cast.alice.email_address, PASSWORD) == 401


def test_users_cannot_update_each_other(cast: Cast) -> None:
    assert cast.carol.put(_path(cast.alice), json={"name": "Mallory"}).status == 404
    assert cast.alice.get(_path(cast.alice)).json == cast.alice.user


def test_a_new_password_works_and_the_old_one_no_longer(cast: Cast) -> None:
    response = cast.alice.put(_path(cast.alice), json={"password": NEW_PASSWORD, "current_password": PASSWORD})
    assert (response.status, "password" in response.text) == (200, False)
    assert _login(cast.anonymous, cast.alice.user_name, NEW_PASSWORD) == 201
    assert _login(cast.anonymous, cast.alice.user_name, PASSWORD) == 401


def test_a_new_password_ends_the_other_sessions_and_keeps_the_keys(cast: Cast) -> None:
    other = cast.anonymous.post("/api/session", json={"user_name": cast.alice.user_name, "password": PASSWORD}).json
    program = cast.anonymous.signed_in(a_key(cast.alice)["wkey"])
    elsewhere = cast.anonymous.signed_in(other["token"])
    assert _is_signed_in(elsewhere)
    assert _is_signed_in(cast.bob)
    cast.alice.put(_path(cast.alice), json={"password": NEW_PASSWORD, "current_password": PASSWORD})
    assert elsewhere.get("/api/calendars").status == 401
    assert cast.alice.get(f"/api/session/{other['id']}").status == 404
    assert _is_signed_in(cast.alice)
    assert _is_signed_in(program)
    assert _is_signed_in(cast.bob)


def test_a_program_that_sets_a_password_ends_every_session(cast: Cast) -> None:
    program = cast.anonymous.signed_in(a_key(cast.alice)["wkey"])
    assert program.put(_path(cast.alice), json={"password": NEW_PASSWORD, "current_password": PASSWORD}).status == 200
    assert cast.alice.get("/api/calendars").status == 401


@pytest.mark.parametrize(
    ("fields", "status", "broken"),
    [
        ({"password": NEW_PASSWORD}, 422, ["current_password"]),
        ({"password": NEW_PASSWORD, "current_password": ""}, 422, ["current_password"]),
        ({"password": NEW_PASSWORD, "current_password": "not my password"}, 403, ["current_password"]),
        ({"password": "short", "current_password": PASSWORD}, 422, ["password"]),
        ({"password": "x" * 257, "current_password": PASSWORD}, 422, ["password"]),
    ],
)
def test_a_new_password_needs_the_current_one(cast: Cast, fields: dict[str, str], status: int, broken: list[str]) -> None:
    response = cast.alice.put(_path(cast.alice), json={"name": "Alicia"} | fields)
    assert (response.status, response.broken) == (status, broken)
    assert cast.alice.get(_path(cast.alice)).json == cast.alice.user
    assert _login(cast.anonymous, cast.alice.user_name, PASSWORD) == 201


def test_an_empty_password_changes_nothing(cast: Cast) -> None:
    assert cast.alice.put(_path(cast.alice), json={"password": "", "name": "Alicia"}).status == 200
    assert _login(cast.anonymous, cast.alice.user_name, PASSWORD) == 201


def test_a_password_changed_during_the_request_is_no_longer_current(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    owner = cast.anonymous.signed_in(a_key(cast.alice)["wkey"])

    def change() -> None:
        assert owner.put(_path(cast.alice), json={"password": NEW_PASSWORD, "current_password": PASSWORD}).status == 200

    thief = cast.anonymous.signed_in(a_key(cast.alice)["wkey"])
    monkeypatch.setattr(passwords, "_hasher", Meanwhile(change))
    late = thief.put(_path(cast.alice), json={"password": "stolen with an old one", "current_password": PASSWORD})
    assert (late.status, late.broken) == (403, ["current_password"])
    assert _login(cast.anonymous, cast.alice.user_name, NEW_PASSWORD) == 201


def test_concurrent_updates_of_different_fields_are_all_stored(cast: Cast) -> None:
    start = Barrier(3)

    def change(fields: dict[str, str]) -> int:
        start.wait(10)
        return cast.alice.put(_path(cast.alice), json=fields).status

    for number in range(10):
        zone = "Asia/Tokyo" if number % 2 else "UTC"
        values = {"name": f"Alice {number}", "time_zone": zone, "email_address": f"{number}-{cast.alice.email_address}"}
        with ThreadPoolExecutor(3) as threads:
            changes = [{field: value, "current_password": PASSWORD} for field, value in values.items()]
            assert list(threads.map(change, changes, timeout=30)) == [200, 200, 200]
        now = cast.alice.get(_path(cast.alice)).json
        assert {field: now[field] for field in values} == values


def test_a_change_of_the_name_does_not_bring_an_old_password_back(cast: Cast) -> None:
    program = cast.anonymous.signed_in(a_key(cast.alice)["wkey"])
    start = Barrier(2)

    def rename(number: int) -> int:
        start.wait(10)
        return program.put(_path(cast.alice), json={"name": f"Alice {number}"}).status

    known = PASSWORD
    for number in range(5):
        with ThreadPoolExecutor(1) as thread:
            renamed = thread.submit(rename, number)
            start.wait(10)
            response = program.put(_path(cast.alice), json={"password": f"{NEW_PASSWORD} {number}", "current_password": known})
            assert (response.status, renamed.result(30)) == (200, 200)
        known = f"{NEW_PASSWORD} {number}"
        assert _login(cast.anonymous, cast.alice.user_name, known) == 201


def test_a_new_password_may_delete_the_keys(cast: Cast) -> None:
    program = cast.anonymous.signed_in(a_key(cast.alice)["wkey"])
    refused = cast.alice.put(_path(cast.alice), json={"delete_keys": True})
    assert (refused.status, refused.broken) == (422, ["delete_keys"])
    fields = {"password": NEW_PASSWORD, "current_password": PASSWORD, "delete_keys": True}
    assert cast.alice.put(_path(cast.alice), json=fields).status == 200
    assert (program.get("/api/calendars").status, cast.alice.get("/api/keys").json["keys"]) == (401, [])


def test_the_user_is_notified_of_a_new_password(cast: Cast, db: Database, settings: Settings) -> None:
    cast.alice.put(_path(cast.alice), json={"password": NEW_PASSWORD, "current_password": PASSWORD})
    (notice,) = mails(db, settings, cast.alice.id, "notice")
    assert (f"To: {cast.alice.email_address}" in notice, "Subject: Your password was changed" in notice) == (True, True)


@pytest.mark.parametrize("is_verified", [True, False])
def test_only_a_verified_address_is_notified_when_it_is_replaced(cast: Cast, db: Database, settings: Settings, is_verified: bool) -> None:
    """An account that takes address after address causes no mail to those that it leaves."""
    if is_verified:
        verified(db, cast.alice)
    fields = {"email_address": f"new-{cast.alice.email_address}", "current_password": PASSWORD}
    assert cast.alice.put(_path(cast.alice), json=fields).status == 200
    notices = mails(db, settings, cast.alice.id, "notice")
    assert [f"To: {cast.alice.email_address}" in notice for notice in notices] == [True] * is_verified
