"""/api/users/<id>/totp and its pages: turning one-time codes on and off. How they sign in is in sessions/test_second_factor.py."""

import re
from html import unescape
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from kalends.core.settings import Settings
from kalends.db import Database
from tests.cast import Cast, Person, a_key
from tests.client import Reply
from tests.conftest import NOON, Clock
from tests.sessions.digests import signed
from tests.users.account_mail import mails
from tests.users.second_factor import STEP, a_second_factor, an_app, code_at, log_in


def _path(person: Person) -> str:
    return f"/api/users/{person.id}/totp"


def test_a_code_is_asked_for_only_after_one_has_proved_that_the_app_works(cast: Cast) -> None:
    secret = an_app(cast.alice)
    assert log_in(cast.anonymous, cast.alice.user_name).status == 201
    assert cast.alice.get(_path(cast.alice)).json == {"enabled": False, "enabled_at": None, "recovery_codes": 0, "key_logins": True}
    wrong = cast.alice.post(f"{_path(cast.alice)}/confirmation", json={"code": "000000"})
    assert (wrong.status, wrong.broken) == (422, ["code"])
    enabled = cast.alice.post(f"{_path(cast.alice)}/confirmation", json={"code": code_at(secret, NOON)})
    assert enabled.status == 200
    assert len(set(enabled.json["recovery_codes"])) == 10
    assert log_in(cast.anonymous, cast.alice.user_name).status == 401
    state = cast.alice.get(_path(cast.alice)).json
    assert (state["enabled"], state["recovery_codes"]) == (True, 10)


def test_any_authenticator_app_can_read_the_url(cast: Cast) -> None:
    created = cast.alice.post(_path(cast.alice)).json
    url = urlsplit(created["otpauth_url"])
    assert (url.scheme, url.netloc, unquote(url.path)) == ("otpauth", "totp", f"/Kalends:{cast.alice.user_name}")
    assert parse_qs(url.query) == {"secret": [created["secret"]], "issuer": ["Kalends"]}
    assert created["qr_code"].startswith("data:image/svg+xml")


def test_a_second_app_replaces_one_that_was_never_confirmed_and_none_that_was(cast: Cast) -> None:
    first = an_app(cast.alice)
    second = an_app(cast.alice)
    assert first != second
    path = f"{_path(cast.alice)}/confirmation"
    assert cast.alice.post(path, json={"code": code_at(first, NOON)}).status == 422
    assert cast.alice.post(path, json={"code": code_at(second, NOON)}).status == 200
    assert cast.alice.post(_path(cast.alice)).status == 409
    assert cast.alice.post(path, json={"code": code_at(second, NOON + STEP)}).status == 409


CHANGES = ["POST ", "POST /confirmation", "PUT ", "POST /recovery_codes", "DELETE "]


@pytest.mark.parametrize("change", CHANGES)
def test_changes_need_a_login_within_the_hour_and_no_key(cast: Cast, clock: Clock, change: str) -> None:
    method, path = change.split(" ")
    key = cast.anonymous.signed_in(a_key(cast.alice)["wkey"])
    fields = {"code": "000000"}
    assert key.request(method, f"{_path(cast.alice)}{path}", json=fields).status == 403
    clock.ahead(3601)
    late = cast.alice.request(method, f"{_path(cast.alice)}{path}", json=fields)
    assert (late.status, late.json["type"]) == (403, "/docs/errors#recent-sign-in-required")


def test_turned_off_the_password_alone_signs_in(cast: Cast) -> None:
    a_second_factor(cast.alice)
    assert log_in(cast.anonymous, cast.alice.user_name).status == 401
    assert cast.alice.delete(_path(cast.alice)).json == {"deleted": [cast.alice.id]}
    assert log_in(cast.anonymous, cast.alice.user_name).status == 201
    assert cast.alice.delete(_path(cast.alice)).status == 404


@pytest.mark.on_one_database
def test_each_change_is_mailed(cast: Cast, db: Database, settings: Settings) -> None:
    a_second_factor(cast.alice)
    cast.alice.post(f"{_path(cast.alice)}/recovery_codes")
    cast.alice.delete(_path(cast.alice))
    subjects = [re.search(r"^Subject: (.*)$", mail, re.MULTILINE) for mail in mails(db, settings, cast.alice.id, "notice")]
    assert [subject and subject[1] for subject in subjects] == [
        "One-time codes were turned on",
        "New recovery codes were made",
        "One-time codes were turned off",
    ]


def test_logins_with_keys_can_be_switched_off(cast: Cast) -> None:
    key = a_key(cast.alice)
    a_second_factor(cast.alice)
    by_key = {"wkey": key["wkey"]}
    assert cast.anonymous.post("/api/session", json=by_key).status == 201
    assert cast.alice.put(_path(cast.alice), json={"key_logins": False}).json["key_logins"] is False
    for fields in (by_key, signed(key, str(NOON))):
        refused = cast.anonymous.post("/api/session", json=fields)
        assert (refused.status, refused.json["type"]) == (403, "/docs/errors#forbidden")
    assert cast.anonymous.signed_in(key["wkey"]).get("/api/calendars").status == 200
    cast.alice.put(_path(cast.alice), json={"key_logins": True})
    assert cast.anonymous.post("/api/session", json=by_key).status == 201


def test_neither_the_secret_nor_the_recovery_codes_can_be_read_in_the_database(cast: Cast, db: Database) -> None:
    secret, codes = a_second_factor(cast.alice)
    with db.read() as tx:
        rows = [*tx.rows("SELECT secret FROM totp"), *tx.rows("SELECT code_mac FROM recovery_codes")]
    stored = " ".join(str(value) for row in rows for value in row)
    assert len(rows) >= 11
    assert not any(text in stored or text.replace("-", "") in stored for text in (secret, *codes))


def _secret_on(page: Reply) -> str:
    found = re.search(r'id="secret" type="text" value="([A-Z2-7]+)"', page.text)
    assert found, page
    return unescape(found[1])


@pytest.mark.on_one_database
def test_codes_are_set_up_on_pages(cast: Cast) -> None:
    assert "Set up one-time codes" in cast.alice.get("/account").text
    page = cast.alice.post("/account/codes", data={})
    assert page.headers["Cache-Control"] == "no-store"
    secret = _secret_on(page)
    wrong = cast.alice.post("/account/codes/confirm", data={"code": "000000"})
    assert wrong.status == 422
    assert _secret_on(wrong) == secret
    codes = cast.alice.post("/account/codes/confirm", data={"code": code_at(secret, NOON)})
    assert len(re.findall(r"\w{4}-\w{4}-\w{4}", codes.text)) == 10
    assert "You have 10 recovery codes left." in cast.alice.get("/account/codes").text
    assert cast.alice.post("/account/codes/keys", data={"key_logins": "false"}).status == 303
    assert cast.alice.get(_path(cast.alice)).json["key_logins"] is False
    assert cast.alice.post("/account/codes/delete", data={}).redirect == ("/account#codes", "codes-off")
    assert "Set up one-time codes" in cast.alice.get("/account").text


@pytest.mark.on_one_database
def test_who_signed_in_long_ago_is_sent_to_sign_in_again(cast: Cast, clock: Clock) -> None:
    alice = cast.alice
    clock.ahead(3601)
    assert "/sign-in?next=/account/codes" in alice.get("/account/codes").text
    assert alice.post("/account/codes", data={}).status == 403
