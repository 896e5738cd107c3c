"""Rate limits: failed logins per account and per address, and guests' writes per address. Nobody is locked out for good."""

from itertools import count
from typing import Any
from uuid import uuid4

import pytest

from kalends.context import Context
from kalends.errors import TooMany
from kalends.http.limits import MANY_SUBJECTS, RateLimit
from tests.cast import PASSWORD, Cast, a_key
from tests.client import Answer, Client
from tests.conftest import Clock
from tests.http.conftest import Stage, act

FAILURES = 10
GUEST_WRITES = 30

_numbers = count(1)


def an_address() -> str:
    """An address in a network that no other test uses."""
    return f"2001:db8:{uuid4().hex[:4]}:{uuid4().hex[:4]}::{next(_numbers):x}"


def log_in(guest: Client, name: str, password: str = PASSWORD, address: str | None = None, **more: Any) -> Answer:
    return guest.post("/api/session", json={"user_name": name, "password": password}, remote_addr=address or an_address(), **more)


def assert_too_many(answer: Answer) -> None:
    assert answer.status == 429, answer
    assert answer.json["status"] == 429
    assert 1 <= int(answer.headers["Retry-After"]) <= 61


def fail(guest: Client, times: int, name: str, address: str | None = None) -> None:
    for _ in range(times):
        assert log_in(guest, name, "wrong password", address).status == 401


def test_ten_failures_a_minute_close_an_account_for_a_while(cast: Cast, limited: Client, clock: Clock) -> None:
    fail(limited, FAILURES, cast.alice.user_name)
    for password in ("wrong password", PASSWORD):
        assert_too_many(log_in(limited, cast.alice.user_name, password))
    clock.ahead(60)
    assert log_in(limited, cast.alice.user_name).status == 201


def test_nine_failures_do_not(cast: Cast, limited: Client) -> None:
    fail(limited, FAILURES - 1, cast.alice.user_name)
    assert log_in(limited, cast.alice.user_name).status == 201


def test_the_other_accounts_stay_open(cast: Cast, limited: Client) -> None:
    fail(limited, FAILURES, cast.alice.user_name)
    assert log_in(limited, cast.bob.user_name).status == 201


def test_attempts_while_it_is_closed_do_not_keep_it_closed(cast: Cast, limited: Client, clock: Clock) -> None:
    fail(limited, FAILURES, cast.alice.user_name)
    for _ in range(3):
        clock.ahead(15)
        assert_too_many(log_in(limited, cast.alice.user_name, "wrong password"))
    clock.ahead(15)
    assert log_in(limited, cast.alice.user_name).status == 201


@pytest.mark.parametrize("field", ["user_name", "email_address"])
def test_a_name_has_one_limit_however_it_is_spelled(cast: Cast, limited: Client, field: str) -> None:
    name = getattr(cast.alice, field)
    names = [name, name.upper(), f" {name.title()} "]
    for i in range(FAILURES):
        fail(limited, 1, names[i % len(names)])
    for name in names:
        assert_too_many(log_in(limited, name))


def test_a_name_that_nobody_has_is_limited_like_any_other(limited: Client) -> None:
    nobody = f"nobody-{uuid4().hex}"
    fail(limited, FAILURES, nobody)
    assert_too_many(log_in(limited, nobody))


def test_ten_failures_a_minute_close_an_address_for_a_while(cast: Cast, limited: Client, clock: Clock) -> None:
    address = an_address()
    for _ in range(FAILURES):
        fail(limited, 1, f"nobody-{uuid4().hex}", address)
    assert_too_many(log_in(limited, cast.alice.user_name, address=address))
    assert log_in(limited, cast.alice.user_name).status == 201
    clock.ahead(60)
    assert log_in(limited, cast.alice.user_name, address=address).status == 201


@pytest.mark.parametrize("wrong", [{"wkey": "wk_wrong"}, {"digest": "k1.00", "timestamp": "1780000000"}])
def test_wrong_keys_and_digests_count_for_the_address(cast: Cast, limited: Client, wrong: dict[str, str]) -> None:
    address, key = an_address(), a_key(cast.alice)
    for _ in range(FAILURES):
        assert limited.post("/api/session", json=wrong, remote_addr=address).status == 401
    assert_too_many(limited.post("/api/session", json={"wkey": key["wkey"]}, remote_addr=address))
    assert limited.post("/api/session", json={"wkey": key["wkey"]}, remote_addr=an_address()).status == 201


def test_good_logins_and_half_ones_do_not_count(cast: Cast, limited: Client) -> None:
    address = an_address()
    for _ in range(FAILURES + 2):
        assert log_in(limited, cast.alice.user_name, address=address).status == 201
        assert limited.post("/api/session", json={"user_name": cast.alice.user_name}, remote_addr=address).status == 422


def test_a_guest_cannot_choose_the_address_that_counts(cast: Cast, limited: Client) -> None:
    address = an_address()
    for _ in range(FAILURES):
        forged = {"X-Forwarded-For": an_address(), "Forwarded": f"for={an_address()}", "X-Real-IP": an_address()}
        assert log_in(limited, f"nobody-{uuid4().hex}", address=address, headers=forged).status == 401
    assert_too_many(log_in(limited, cast.alice.user_name, address=address, headers={"X-Forwarded-For": an_address()}))


def test_limits_may_be_off(cast: Cast, client: Client) -> None:
    fail(client, FAILURES + 2, cast.alice.user_name, an_address())


def _write(ctx: Context) -> dict[str, bool]:
    """Something that guests may write."""
    return {"written": True}


@pytest.fixture
def book(stage: Stage) -> Client:
    """A guest book, with rate limits."""
    entry = act("POST", "/api/entries", _write, status=201, guests=True, limited=True)
    return stage(entry, act("GET", "/api/entries", _write, guests=True), rate_limits="on")


def test_a_guest_writes_thirty_times_a_minute(book: Client) -> None:
    address = an_address()
    for _ in range(GUEST_WRITES):
        assert book.post("/api/entries", remote_addr=address).status == 201
    assert_too_many(book.post("/api/entries", remote_addr=address))
    assert book.post("/api/entries", remote_addr=an_address()).status == 201
    assert book.get("/api/entries", remote_addr=address).status == 200


def test_a_made_up_cookie_is_no_way_around_the_limit(book: Client) -> None:
    address = an_address()
    for i in range(GUEST_WRITES):
        forged = {"Cookie": f"kalends_session=forged{i}", "Sec-Fetch-Site": "same-origin"}
        assert book.post("/api/entries", remote_addr=address, headers=forged).status == 201
    assert_too_many(book.post("/api/entries", remote_addr=address, headers=forged))
    assert_too_many(book.post("/api/entries", remote_addr=address))


@pytest.mark.parametrize("carrier", ["token", "cookie"])
def test_signed_in_people_are_not_limited(cast: Cast, book: Client, carrier: str) -> None:
    address = an_address()
    cookie = {"Cookie": f"kalends_session={cast.alice.token}", "Sec-Fetch-Site": "same-origin"}
    sent = cookie if carrier == "cookie" else {"Authorization": f"Bearer {cast.alice.token}"}
    for _ in range(GUEST_WRITES + 2):
        assert book.post("/api/entries", remote_addr=address, headers=sent).status == 201


def test_registration_is_a_guests_write(limited: Client) -> None:
    address = an_address()

    def register() -> Answer:
        name = uuid4().hex
        registration = {"user_name": name, "email_address": f"{name}@example.org", "password": PASSWORD}
        return limited.post("/api/users", json=registration, remote_addr=address)

    assert [register().status for _ in range(GUEST_WRITES)] == [201] * GUEST_WRITES
    assert_too_many(register())


class Seconds:
    """A clock of seconds that the test moves."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_the_window_moves_with_the_clock() -> None:
    clock = Seconds()
    limit = RateLimit(2, clock)
    limit.count("guest")
    clock.now += 30
    limit.count("guest")
    with pytest.raises(TooMany) as refused:
        limit.count("guest")
    assert refused.value.headers["Retry-After"] == "31"
    clock.now += 30
    limit.count("guest")
    with pytest.raises(TooMany):
        limit.count("guest")


def test_subjects_that_went_away_are_forgotten() -> None:
    clock = Seconds()
    limit = RateLimit(2, clock)
    for number in range(MANY_SUBJECTS + 1):
        limit.count(f"guest {number}")
    clock.now += 61
    limit.count("somebody new")
    assert len(limit._calls) == 1
