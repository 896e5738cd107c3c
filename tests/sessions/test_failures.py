"""Failed logins are limited per account and per address, and nobody is locked out for good."""

from uuid import uuid4

import pytest
from msgspec.structs import replace

from kalends.app import wsgi
from kalends.db import Database
from kalends.settings import Settings
from tests.cast import PASSWORD, Cast, a_key
from tests.client import Answer, Client
from tests.conftest import NOON, Clock
from tests.sessions.signing import signed
from tests.sessions.tidying import after_clean_up


class Door:
    """The login of a service that counts failures, seen from one address after another."""

    def __init__(self, client: Client, clock: Clock):
        self.client, self.clock = client, clock
        self.address = self.moves()

    def moves(self) -> str:
        self.address = f"address-{uuid4().hex}"
        return self.address

    def knocks(self, **given: str) -> Answer:
        return self.client.post("/api/session", json=given, remote_addr=self.address)


@pytest.fixture
def door(db: Database, settings: Settings) -> Door:
    clock = Clock()
    return Door(Client(wsgi(db, replace(settings, rate_limits="on"), clock)), clock)


def test_the_eleventh_failure_of_an_account_in_a_minute_is_too_many(cast: Cast, door: Door) -> None:
    for number in range(10):
        door.moves()
        name = cast.alice.user_name.upper() if number % 2 else cast.alice.user_name
        assert door.knocks(user_name=name, password="not hers").status == 401
    door.moves()
    late = door.knocks(user_name=cast.alice.user_name, password=PASSWORD)
    assert (late.status, int(late.headers["Retry-After"]) > 0) == (429, True)
    assert door.knocks(user_name=cast.bob.user_name, password=PASSWORD).status == 201


def test_the_eleventh_failure_from_an_address_in_a_minute_is_too_many(cast: Cast, door: Door) -> None:
    key = a_key(cast.alice)
    for number in range(4):
        assert door.knocks(user_name=f"nobody-{number}", password="a guess").status == 401
        assert door.knocks(wkey=f"wk_{number}").status == 401
    for number in range(2):
        assert door.knocks(**(signed(key, str(NOON)) | {"timestamp": str(number)})).status == 401
    assert door.knocks(user_name=cast.alice.user_name, password=PASSWORD).status == 429
    assert door.knocks(wkey=key["wkey"]).status == 429
    assert door.knocks(**signed(key, str(NOON))).status == 429
    door.moves()
    assert door.knocks(user_name=cast.alice.user_name, password=PASSWORD).status == 201


def test_a_minute_later_everybody_may_try_again(cast: Cast, door: Door) -> None:
    for _ in range(10):
        door.knocks(user_name=cast.alice.user_name, password="not hers")
    door.clock.ahead(59)
    assert door.knocks(user_name=cast.alice.user_name, password=PASSWORD).status == 429
    door.clock.ahead(1)
    assert door.knocks(user_name=cast.alice.user_name, password=PASSWORD).status == 201


def test_a_refused_login_does_not_count(cast: Cast, door: Door) -> None:
    """Else somebody could keep a user out for ever by trying on."""
    for _ in range(10):
        door.knocks(user_name=cast.alice.user_name, password="not hers")
    door.clock.ahead(59)
    for _ in range(20):
        assert door.knocks(user_name=cast.alice.user_name, password="not hers").status == 429
    door.clock.ahead(1)
    assert door.knocks(user_name=cast.alice.user_name, password=PASSWORD).status == 201


def test_logins_that_succeed_or_break_a_rule_do_not_count(cast: Cast, door: Door) -> None:
    for _ in range(11):
        assert door.knocks(user_name=cast.alice.user_name, password=PASSWORD).status == 201
        assert door.knocks(user_name=cast.alice.user_name).status == 422


def test_who_is_signed_in_already_stays_so(cast: Cast, door: Door) -> None:
    for _ in range(11):
        door.knocks(user_name=cast.alice.user_name, password="not hers")
    assert cast.alice.get("/api/calendars").status == 200


def test_failures_are_forgotten(cast: Cast, door: Door, db: Database) -> None:
    door.knocks(user_name=cast.alice.user_name, password="not hers")
    later = after_clean_up(db, NOON + 10**9)  # Later than any other test has failed.
    assert later("SELECT count(*) FROM failed_logins") == 0


def test_guesses_at_the_password_of_somebody_who_is_signed_in_count_too(cast: Cast, door: Door) -> None:
    """Whoever finds an open session must not find the password by it."""
    alice = door.client.signed_in(str(cast.alice.token))
    path = f"/api/users/{cast.alice.id}"
    for number in range(10):
        guess = {"password": "a new password", "current_password": f"guess {number}"}
        answer = alice.request("PUT" if number % 2 else "DELETE", path, json=guess, remote_addr=door.moves())
        assert (answer.status, answer.broken) == (403, ["current_password"])
    right = {"password": "a new password", "current_password": PASSWORD}
    assert alice.put(path, json=right, remote_addr=door.moves()).status == 429
    assert door.knocks(user_name=cast.alice.user_name, password=PASSWORD).status == 429
    assert alice.put(path, json={"name": "Alicia"}).status == 200
    door.clock.ahead(61)
    assert alice.put(path, json=right, remote_addr=door.moves()).status == 200
