"""Weak passwords are refused wherever a password is set."""

from typing import Any

import pytest

from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database
from kalends.features.users.steps import weak_passwords
from tests.cast import PASSWORD, Cast
from tests.client import Client
from tests.conftest import Clock
from tests.users.account_mail import mailed
from tests.users.registration import a_registration

COMMON = [
    *("password", "12345678", "Password1!", "p@ssw0rd", "qwertyuiop", "1q2w3e4r", "iloveyou", "sunshine99", "00000000", "abcd1234"),
    *("violetstone77", "violet-stone-7", "password-qwerty", "p-a-s-s-w-o-r-d"),
    *("trustno1", "31121999", "20202020", "drowssap", "football2024", "monkeydragon", "987654321", "qazwsxedc", "letmein!!", "a1234567"),
]
OTHERS = [PASSWORD, "a new password", "Tr4wq!ppz9", "ünter den linden", "purple-kettle-93-moss", "x7#kd92mvq", "violet-stone-77"]


@pytest.mark.parametrize("password", COMMON)
@pytest.mark.on_one_database
def test_a_common_password_is_refused(client: Client, password: str) -> None:
    response = client.post("/api/users", json=a_registration(password=password))
    assert (response.status, response.broken) == (422, ["password"])
    assert "several unrelated words" in response.text


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
@pytest.mark.on_one_database
def test_names_of_the_account_or_the_site_are_refused_as_passwords(client: Client, fields: dict[str, str], password: str) -> None:
    registration = a_registration()
    # Letters alone: random digits may be a date, which is refused for another reason.
    mark = registration["user_name"].replace("-", "").translate(str.maketrans("0123456789", "ghijklmnop"))
    names: dict[str, Any] = {name: value.format(mark) for name, value in fields.items()} | {"password": password.format(mark)}
    response = client.post("/api/users", json=registration | names)
    assert (response.status, response.broken) == (422, ["password"])
    assert "must not contain the name" in response.text


@pytest.mark.parametrize("password", OTHERS)
def test_other_passwords_are_accepted(password: str) -> None:
    assert not weak_passwords.is_common(password)


def test_weak_passwords_are_also_refused_at_a_change_and_a_reset(
    cast: Cast, db: Database, settings: Settings, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timestamps, "now", clock)
    changed = cast.alice.put(f"/api/users/{cast.alice.id}", json={"password": "password1", "current_password": PASSWORD})
    assert (changed.status, changed.broken) == (422, ["password"])
    cast.anonymous.post("/reset", data={"user_name": cast.alice.user_name})
    (link,) = mailed(db, settings, cast.alice.id)
    assert cast.anonymous.post(link, data={"password": cast.alice.user_name}).status == 422
    assert cast.anonymous.post("/api/session", json={"user_name": cast.alice.user_name, "password": PASSWORD}).status == 201
