"""Rate limits on failed logins, per account and per address. Nobody is locked out for good."""

from itertools import count
from typing import Any
from uuid import uuid4

import pytest

from tests.cast import PASSWORD, Cast, a_key
from tests.client import Client, Reply
from tests.conftest import Clock

FAILURES = 10

_numbers = count(1)


def an_address() -> str:
    """An address in a network that no other test uses."""
    return f"2001:db8:{uuid4().hex[:4]}:{uuid4().hex[:4]}::{next(_numbers):x}"


def log_in(guest: Client, name: str, password: str = PASSWORD, address: str | None = None, **more: Any) -> Reply:
    return guest.post("/api/session", json={"user_name": name, "password": password}, remote_addr=address or an_address(), **more)


def assert_too_many(reply: Reply) -> None:
    assert reply.status == 429, reply
    assert reply.json["status"] == 429
    assert 1 <= int(reply.headers["Retry-After"]) <= 61


def fail(guest: Client, times: int, name: str, address: str | None = None) -> None:
    for _ in range(times):
        assert log_in(guest, name, "wrong password", address).status == 401


def test_ten_failures_a_minute_close_an_account_for_a_while(cast: Cast, limited: Client, clock: Clock) -> None:
    fail(limited, FAILURES, cast.alice.user_name)
    for password in ("wrong password", PASSWORD):
        assert_too_many(log_in(limited, cast.alice.user_name, password))
    clock.ahead(60)
    assert log_in(limited, cast.alice.user_name).status == 201


def test_nine_failures_do_not_close_an_account(cast: Cast, limited: Client) -> None:
    fail(limited, FAILURES - 1, cast.alice.user_name)
    assert log_in(limited, cast.alice.user_name).status == 201


def test_failures_of_one_account_leave_the_others_open(cast: Cast, limited: Client) -> None:
    fail(limited, FAILURES, cast.alice.user_name)
    assert log_in(limited, cast.bob.user_name).status == 201


def test_attempts_at_a_closed_account_do_not_keep_it_closed(cast: Cast, limited: Client, clock: Clock) -> None:
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


def test_an_unknown_name_is_limited_like_any_other(limited: Client) -> None:
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


def test_successful_and_incomplete_logins_do_not_count(cast: Cast, limited: Client) -> None:
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


def test_rate_limits_can_be_turned_off(cast: Cast, client: Client) -> None:
    fail(client, FAILURES + 2, cast.alice.user_name, an_address())
