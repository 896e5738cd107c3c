"""Passwords that people guess first are refused wherever one is chosen."""

from typing import Any

import pytest

from kalends.db import Database
from kalends.settings import Settings
from kalends.users import weak_passwords
from kalends.values import timestamps
from tests.cast import PASSWORD, Cast
from tests.client import Client
from tests.conftest import Clock
from tests.users.registration import a_registration
from tests.users.resetting import mailed

COMMON = [
    *("password", "12345678", "Password1!", "p@ssw0rd", "qwertyuiop", "1q2w3e4r", "iloveyou", "sunshine99", "00000000", "abcd1234"),
    *("trustno1", "31121999", "20202020", "drowssap", "football2024", "monkeydragon", "987654321", "qazwsxedc", "letmein!!", "a1234567"),
]


@pytest.mark.parametrize("password", COMMON)
def test_a_common_password_is_refused(client: Client, password: str) -> None:
    answer = client.post("/api/users", json=a_registration(password=password))
    assert (answer.status, answer.broken) == (422, ["password"])
    assert "several words" in answer.text


@pytest.mark.parametrize(
    ("fields", "password"),
    [
        ({"user_name": "{}"}, "{}"),
        ({"user_name": "{}"}, "{}-123"),
        ({"email_address": "x{}@example.org"}, "X{}"),
        ({"email_address": "x{}@example.org"}, "x{}@example.org"),
        ({"name": "Zora {}"}, "zora{}2026"),
        ({}, "Kalends2026"),
    ],
)
def test_what_the_account_or_the_site_is_called_is_no_password(client: Client, fields: dict[str, str], password: str) -> None:
    given = a_registration()
    mark = given["user_name"].replace("-", "")
    chosen: dict[str, Any] = {name: value.format(mark) for name, value in fields.items()} | {"password": password.format(mark)}
    answer = client.post("/api/users", json=given | chosen)
    assert (answer.status, answer.broken) == (422, ["password"])
    assert "is called" in answer.text


@pytest.mark.parametrize("password", [PASSWORD, "a new password", "Tr4wq!ppz9", "ünter den linden", "purple-kettle-93-moss", "x7#kd92mvq"])
def test_other_passwords_are_taken(password: str) -> None:
    assert not weak_passwords.is_common(password)


def test_they_are_refused_at_a_change_and_at_a_reset_too(
    cast: Cast, db: Database, settings: Settings, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timestamps, "now", clock)
    changed = cast.alice.put(f"/api/users/{cast.alice.id}", json={"password": "password1", "current_password": PASSWORD})
    assert (changed.status, changed.broken) == (422, ["password"])
    cast.anonymous.post("/reset", data={"user_name": cast.alice.user_name})
    (link,) = mailed(db, settings, cast.alice.id)
    assert cast.anonymous.post(link, data={"password": cast.alice.user_name}).status == 422
    assert cast.anonymous.post("/api/session", json={"user_name": cast.alice.user_name, "password": PASSWORD}).status == 201
