"""DELETE /api/users/<id>."""

from typing import Any

import pytest

from kalends.core.settings import Settings
from kalends.db import Database
from kalends.features.users.rules import passwords
from tests.cast import PASSWORD, Cast, Person, a_calendar, a_key, shared, verified
from tests.conftest import Clock
from tests.passkeys.authenticator import Authenticator, a_passkey, sign_in
from tests.site.administrator import Admin
from tests.users.account_mail import last_mails
from tests.users.hashers import Meanwhile
from tests.users.registration import a_registration

pytestmark = pytest.mark.on_one_database


def _delete(person: Person) -> Any:
    return person.delete(f"/api/users/{person.id}", json={"current_password": PASSWORD})


def test_deleting_a_user_deletes_all_their_data(cast: Cast, db: Database) -> None:
    calendar = a_calendar(cast.alice, public=True)
    shared(cast.alice, calendar, cast.bob, "viewer")
    key = a_key(cast.alice)
    response = _delete(cast.alice)
    assert (response.status, response.json["deleted"]) == (200, [cast.alice.id])
    assert cast.alice.get("/api/calendars").status == 401
    assert cast.anonymous.signed_in(key["wkey"]).get("/api/calendars").status == 401
    assert cast.anonymous.post("/api/session", json={"wkey": key["wkey"]}).status == 401
    assert cast.anonymous.post("/api/session", json={"user_name": cast.alice.user_name, "password": PASSWORD}).status == 401
    assert cast.bob.get(f"/api/calendars/{calendar['id']}").status == 404
    assert [listed["name"] for listed in cast.bob.get("/api/calendars").json["calendars"]] == ["Bob"]
    with db.read() as tx:
        for table, column in [("users", "id"), ("keys", "user_id"), ("sessions", "user_id"), ("calendars", "owner_id")]:
            assert tx.value(f"SELECT count(*) FROM {table} WHERE {column} = :id", id=cast.alice.id) == 0, table


def test_deleting_a_user_keeps_the_data_of_others(cast: Cast) -> None:
    calendar = a_calendar(cast.bob)
    shared(cast.bob, calendar, cast.alice, "editor")
    _delete(cast.alice)
    response = cast.bob.get(f"/api/calendars/{calendar['id']}")
    assert (response.status, response.json["shares"]) == (200, [])


def test_the_names_of_a_deleted_user_can_be_registered_again(cast: Cast) -> None:
    _delete(cast.alice)
    again = cast.anonymous.post("/api/users", json=a_registration(user_name=cast.alice.user_name, email_address=cast.alice.email_address))
    assert again.status == 201
    assert again.json["id"] != cast.alice.id


@pytest.mark.parametrize(("fields", "status"), [({}, 422), ({"current_password": ""}, 422), ({"current_password": "not my password"}, 403)])
def test_deleting_a_user_requires_the_current_password_also_right_after_the_login(cast: Cast, fields: dict[str, str], status: int) -> None:
    alice = cast.alice
    response = alice.delete(f"/api/users/{alice.id}", json=fields)
    assert (response.status, response.broken) == (status, ["current_password"])
    assert alice.get(f"/api/users/{alice.id}").status == 200


def test_an_account_without_a_password_is_deleted_within_the_hour_after_a_login(cast: Cast, db: Database, clock: Clock) -> None:
    phone, path = Authenticator(), f"/api/users/{cast.alice.id}"
    a_passkey(cast.alice, phone)
    wkey = a_key(cast.alice)["wkey"]
    with db.write() as tx:
        tx.run("UPDATE users SET password_hash = :none WHERE id = :id", none=passwords.new_without(), id=cast.alice.id)
    by_key = cast.anonymous.post("/api/session", json={"wkey": wkey}).json["token"]
    for token in (wkey, by_key):
        assert cast.anonymous.signed_in(token).delete(path).status == 403
    signed_in = cast.anonymous.signed_in(sign_in(cast.anonymous, phone).json["token"])
    assert 'name="current_password"' not in signed_in.get("/account/delete").text
    clock.ahead(3600)
    assert "/sign-in?next=/account/delete" in signed_in.get("/account/delete").text
    assert signed_in.delete(path).json["type"].endswith("recent-sign-in-required")
    assert cast.anonymous.signed_in(sign_in(cast.anonymous, phone).json["token"]).delete(path).status == 200


def test_the_verified_address_of_a_deleted_account_gets_one_last_mail(cast: Cast, db: Database, settings: Settings) -> None:
    admin = Admin(cast.anonymous, "ada")
    verified(db, cast.alice)
    for person in (cast.alice, cast.bob):
        assert _delete(person).status == 200
    [text] = last_mails(db, settings)
    assert f"To: {cast.alice.email_address}" in text
    assert admin.user_name not in text
    with db.read() as tx:
        assert not tx.rows("SELECT 1 FROM deliveries WHERE notice = 'account_deleted'")


def test_users_cannot_delete_each_other(cast: Cast) -> None:
    assert cast.carol.delete(f"/api/users/{cast.alice.id}", json={"current_password": PASSWORD}).status == 404
    assert cast.alice.get(f"/api/users/{cast.alice.id}").status == 200


def test_of_two_concurrent_deletions_of_a_user_one_succeeds(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    alice = cast.alice
    monkeypatch.setattr(passwords, "_hasher", Meanwhile(lambda: _delete(alice)))
    assert _delete(alice).status == 401


def test_a_user_deleted_during_an_update_is_signed_out(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    alice = cast.alice
    monkeypatch.setattr(passwords, "_hasher", Meanwhile(lambda: _delete(alice)))
    response = alice.put(f"/api/users/{alice.id}", json={"password": "staple of the stable", "current_password": PASSWORD})
    assert response.status == 401
