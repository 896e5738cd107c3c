"""/api/passkeys and signing in with a passkey, by the API. What a browser does with them is in web/test_passkeys.py."""

import json
import re
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from kalends.app.application import application
from kalends.core.settings import Settings
from kalends.db import Database, open_database
from kalends.features.passkeys.model import MAX_PASSKEYS
from kalends.features.passkeys.steps import CHALLENGE_SECONDS
from tests.cast import Cast, a_key
from tests.client import Client
from tests.conftest import Clock
from tests.passkeys.authenticator import Authenticator, a_passkey, options_to_sign_in, registration, sign_in
from tests.users.account_mail import mails
from tests.users.second_factor import a_second_factor


def _subjects(db: Database, settings: Settings, user_id: int) -> list[str]:
    found = [re.search(r"^Subject: (.*)$", mail, re.MULTILINE) for mail in mails(db, settings, user_id, "notice")]
    return [each[1] for each in found if each]


def test_a_passkey_signs_in_without_a_password(cast: Cast) -> None:
    phone = Authenticator()
    passkey = a_passkey(cast.alice, phone)
    assert (passkey["name"], passkey["last_used_at"]) == ("phone", None)
    session = sign_in(cast.anonymous, phone)
    assert (session.status, session.json["user_id"]) == (201, cast.alice.id)
    assert cast.anonymous.signed_in(session.json["token"]).get(f"/api/users/{cast.alice.id}").status == 200
    [listed] = cast.alice.get("/api/passkeys").json["passkeys"]
    assert (listed["id"], bool(listed["last_used_at"])) == (passkey["id"], True)


def test_a_passkey_needs_no_one_time_code(cast: Cast) -> None:
    phone = Authenticator()
    a_passkey(cast.alice, phone)
    a_second_factor(cast.alice)
    assert sign_in(cast.anonymous, phone).status == 201


def test_passkeys_that_do_not_count_sign_in_again_and_again(cast: Cast) -> None:
    synced = Authenticator(counts=False)
    a_passkey(cast.alice, synced)
    assert [sign_in(cast.anonymous, synced).status for _ in range(3)] == [201] * 3


def test_a_copy_is_refused_and_its_user_gets_mail(cast: Cast, db: Database, settings: Settings) -> None:
    phone = Authenticator()
    a_passkey(cast.alice, phone)
    copied_at = phone.counter
    assert [sign_in(cast.anonymous, phone).status for _ in range(2)] == [201, 201]
    phone.counter = copied_at
    refused = sign_in(cast.anonymous, phone)
    assert (refused.status, refused.json["type"]) == (401, "/docs/errors#wrong-credentials")
    assert "may have been copied" in refused.json["detail"]
    assert _subjects(db, settings, cast.alice.id)[-1] == "A passkey may have been copied"


def test_a_removed_passkey_signs_in_no_longer(cast: Cast, db: Database, settings: Settings) -> None:
    phone = Authenticator()
    passkey = a_passkey(cast.alice, phone)
    assert cast.alice.delete(f"/api/passkeys/{passkey['id']}").json == {"deleted": [passkey["id"]]}
    assert sign_in(cast.anonymous, phone).status == 401
    assert _subjects(db, settings, cast.alice.id) == ["A passkey was added", "A passkey was removed"]


def _not_verified(phone: Authenticator) -> None:
    phone.verifies_user = False


def _other_origin(phone: Authenticator) -> None:
    phone.origin = "http://testserver.example.org"


def _other_port(phone: Authenticator) -> None:
    phone.origin = "http://testserver:8000"


def _other_scheme(phone: Authenticator) -> None:
    phone.origin = "https://testserver"


def _other_key(phone: Authenticator) -> None:
    phone._key = Authenticator()._key


HOSTILE = [_not_verified, _other_origin, _other_port, _other_scheme]


@pytest.mark.parametrize("change", [*HOSTILE, _other_key])
def test_an_answer_of_another_key_or_site_or_without_its_user_is_refused(cast: Cast, change: Callable[[Authenticator], None]) -> None:
    phone = Authenticator()
    a_passkey(cast.alice, phone)
    change(phone)
    assert sign_in(cast.anonymous, phone).status == 401


@pytest.mark.parametrize("change", HOSTILE)
def test_no_passkey_is_made_for_another_site_or_without_its_user(cast: Cast, change: Callable[[Authenticator], None]) -> None:
    phone = Authenticator()
    change(phone)
    refused = cast.alice.post("/api/passkeys", json=registration(cast.alice, phone))
    assert (refused.status, refused.broken) == (422, ["passkey"])
    assert cast.alice.get("/api/passkeys").json["passkeys"] == []


def test_an_answer_works_once(cast: Cast) -> None:
    synced = Authenticator(counts=False)
    fields = registration(cast.alice, synced)
    assert cast.alice.post("/api/passkeys", json=fields).status == 201
    assert cast.alice.post("/api/passkeys", json=fields).status == 422
    answer = {"passkey": synced.get(options_to_sign_in(cast.anonymous))}
    assert [cast.anonymous.post("/api/session", json=answer).status for _ in range(2)] == [201, 401]


def test_an_answer_that_is_sent_twice_is_no_copy_of_the_passkey(cast: Cast, db: Database, settings: Settings) -> None:
    """A browser may send a form again; whoever has read an answer could send mail with it."""
    phone = Authenticator()
    a_passkey(cast.alice, phone)
    answer = {"passkey": phone.get(options_to_sign_in(cast.anonymous))}
    assert [cast.anonymous.post("/api/session", json=answer).status for _ in range(3)] == [201, 401, 401]
    assert _subjects(db, settings, cast.alice.id) == ["A passkey was added"]


def test_an_answer_that_took_five_minutes_is_refused(cast: Cast, clock: Clock) -> None:
    phone = Authenticator()
    a_passkey(cast.alice, phone)
    fields, options = registration(cast.alice, Authenticator()), options_to_sign_in(cast.anonymous)
    clock.ahead(CHALLENGE_SECONDS)
    assert cast.anonymous.post("/api/session", json={"passkey": phone.get(options)}).status == 401
    assert cast.alice.post("/api/passkeys", json=fields).status == 422


def test_a_challenge_for_one_user_or_purpose_is_none_for_another(cast: Cast) -> None:
    phone = Authenticator()
    a_passkey(cast.alice, phone)
    to_register = cast.alice.post("/api/passkeys/options").json["options"]
    assert cast.anonymous.post("/api/session", json={"passkey": phone.get(to_register)}).status == 401
    for options in (to_register, options_to_sign_in(cast.anonymous)):
        fields = {"name": "phone", "passkey": Authenticator().create(options)}
        assert cast.bob.post("/api/passkeys", json=fields).status == 422


def test_a_passkey_belongs_to_one_account(cast: Cast) -> None:
    phone = Authenticator()
    a_passkey(cast.alice, phone)
    assert cast.bob.post("/api/passkeys", json=registration(cast.bob, phone)).status == 409


@pytest.mark.parametrize("answer", ["{}", "[]", "null", "x", "7", '{"rawId": "%"}', '{"rawId": "AAAA", "id": "AAAB"}', '{"rawId": 7}'])
def test_a_malformed_answer_is_refused(cast: Cast, answer: str) -> None:
    assert cast.anonymous.post("/api/session", json={"passkey": answer}).status == 401
    assert cast.alice.post("/api/passkeys", json={"name": "phone", "passkey": answer}).status == 422


def test_a_damaged_answer_is_refused(cast: Cast) -> None:
    phone = Authenticator()
    a_passkey(cast.alice, phone)
    for part in ("clientDataJSON", "authenticatorData", "signature"):
        answer: dict[str, Any] = json.loads(phone.get(options_to_sign_in(cast.anonymous)))
        answer["response"][part] = answer["response"][part][:-6] + "AAAAAA"
        assert cast.anonymous.post("/api/session", json={"passkey": json.dumps(answer)}).status == 401, part


def test_another_server_takes_the_answers(cast: Cast, settings: Settings, clock: Clock) -> None:
    phone = Authenticator()
    with closing(open_database(settings)) as db:
        second = Client(application(db, settings, clock))
        fields = registration(cast.alice, phone)
        assert second.signed_in(str(cast.alice.token)).post("/api/passkeys", json=fields).status == 201
        answer = {"passkey": phone.get(options_to_sign_in(cast.anonymous))}
        assert second.post("/api/session", json=answer).status == 201
        assert cast.anonymous.post("/api/session", json=answer).status == 401


def test_changes_need_a_login_within_the_hour_and_no_key(cast: Cast, clock: Clock) -> None:
    passkey, fields = a_passkey(cast.alice), registration(cast.alice)
    key = cast.anonymous.signed_in(a_key(cast.alice)["wkey"])
    requests = [("POST", "/api/passkeys/options", {}), ("POST", "/api/passkeys", fields), ("DELETE", f"/api/passkeys/{passkey['id']}", {})]
    assert [key.request(method, path, json=content).status for method, path, content in requests] == [403] * 3
    clock.ahead(3601)
    assert [cast.alice.request(method, path, json=content).status for method, path, content in requests] == [403] * 3


def test_an_account_has_a_limited_number_of_passkeys(cast: Cast) -> None:
    for _ in range(MAX_PASSKEYS):
        a_passkey(cast.alice)
    refused = cast.alice.post("/api/passkeys", json=registration(cast.alice))
    assert (refused.status, refused.json["type"]) == (409, "/docs/errors#quota-reached")
