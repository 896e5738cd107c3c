"""A person with one-time codes, and the codes of their app."""

from datetime import UTC, datetime
from typing import Any

from pyotp.totp import TOTP

from tests.cast import PASSWORD, Person
from tests.client import Client, Reply
from tests.conftest import NOON

STEP = 30


def code_at(secret: str, now: int) -> str:
    """The code that an app shows at this moment."""
    return TOTP(secret).at(datetime.fromtimestamp(now, UTC))


def an_app(person: Person) -> str:
    """The secret of an app that is not confirmed yet."""
    reply = person.post(f"/api/users/{person.id}/totp")
    assert reply.status == 201, reply
    return str(reply.json["secret"])


def a_second_factor(person: Person, now: int = NOON) -> tuple[str, list[str]]:
    """The secret of the person's app, and the recovery codes. The code of this moment is used."""
    secret = an_app(person)
    reply = person.post(f"/api/users/{person.id}/totp/confirmation", json={"code": code_at(secret, now)})
    assert reply.status == 200, reply
    return secret, reply.json["recovery_codes"]


def log_in(guest: Client, name: str, **fields: Any) -> Reply:
    return guest.post("/api/session", json={"user_name": name, "password": PASSWORD} | fields)


def a_ticket(guest: Client, person: Person) -> str:
    """What the first step of a login gets."""
    reply = log_in(guest, person.user_name)
    assert (reply.status, reply.json["type"]) == (401, "/docs/errors#second-factor-required"), reply
    return str(reply.json["ticket"])
