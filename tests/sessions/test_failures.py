"""Failed logins are limited per account and per network, and nobody is locked out for good."""

from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest
from msgspec.structs import replace

from kalends.app.application import application
from kalends.core import errors
from kalends.core.log import line_of
from kalends.core.settings import Settings
from kalends.db import Database
from kalends.features.sessions.steps.login_attempts import MAX_SUCCESSES
from kalends.features.users.rules import passwords
from tests.cast import PASSWORD, Cast, a_key
from tests.client import Client, Reply
from tests.conftest import NOON, Clock
from tests.sessions.clean_up import after_clean_up
from tests.sessions.digests import signed
from tests.users.hashers import Counting

pytestmark = pytest.mark.on_one_database


class LoginClient:
    """The login of a service that counts failures, seen from one address after another."""

    def __init__(self, client: Client, clock: Clock):
        self.client, self.clock = client, clock
        self.address = self.change_address()

    def change_address(self) -> str:
        self.address = f"address-{uuid4().hex}"
        return self.address

    def log_in(self, *, cookie: str = "", **credentials: str) -> Reply:
        headers = {"Cookie": cookie} if cookie else {}
        return self.client.post("/api/session", json=credentials, remote_addr=self.address, headers=headers)


@pytest.fixture
def login_client(db: Database, settings: Settings) -> LoginClient:
    clock = Clock()
    return LoginClient(Client(application(db, replace(settings, rate_limits="on"), clock)), clock)


def test_the_eleventh_failure_of_an_account_in_a_minute_is_too_many(cast: Cast, login_client: LoginClient) -> None:
    for number in range(10):
        login_client.change_address()
        name = cast.alice.user_name.upper() if number % 2 else cast.alice.user_name
        assert login_client.log_in(user_name=name, password="not hers").status == 401
    login_client.change_address()
    late = login_client.log_in(user_name=cast.alice.user_name, password=PASSWORD)
    assert (late.status, int(late.headers["Retry-After"]) > 0) == (429, True)
    assert login_client.log_in(user_name=cast.bob.user_name, password=PASSWORD).status == 201


def test_the_eleventh_failure_from_an_address_in_a_minute_is_too_many(cast: Cast, login_client: LoginClient) -> None:
    key = a_key(cast.alice)
    for number in range(4):
        assert login_client.log_in(user_name=f"nobody-{number}", password="a guess").status == 401
        assert login_client.log_in(wkey=f"wk_{number}").status == 401
    for number in range(2):
        assert login_client.log_in(**(signed(key, str(NOON)) | {"timestamp": str(number)})).status == 401
    assert login_client.log_in(user_name=cast.alice.user_name, password=PASSWORD).status == 429
    assert login_client.log_in(wkey=key["wkey"]).status == 429
    assert login_client.log_in(**signed(key, str(NOON))).status == 429
    login_client.change_address()
    assert login_client.log_in(user_name=cast.alice.user_name, password=PASSWORD).status == 201


def test_a_minute_later_everybody_may_try_again(cast: Cast, login_client: LoginClient) -> None:
    for _ in range(10):
        login_client.log_in(user_name=cast.alice.user_name, password="not hers")
    login_client.clock.ahead(59)
    assert login_client.log_in(user_name=cast.alice.user_name, password=PASSWORD).status == 429
    login_client.clock.ahead(1)
    assert login_client.log_in(user_name=cast.alice.user_name, password=PASSWORD).status == 201


def test_a_refused_login_does_not_count(cast: Cast, login_client: LoginClient) -> None:
    """Otherwise anybody could lock a user out for ever by further attempts."""
    for _ in range(10):
        login_client.log_in(user_name=cast.alice.user_name, password="not hers")
    login_client.clock.ahead(59)
    for _ in range(20):
        assert login_client.log_in(user_name=cast.alice.user_name, password="not hers").status == 429
    login_client.clock.ahead(1)
    assert login_client.log_in(user_name=cast.alice.user_name, password=PASSWORD).status == 201


def test_logins_that_succeed_or_break_a_rule_do_not_count(cast: Cast, login_client: LoginClient) -> None:
    for _ in range(11):
        assert login_client.log_in(user_name=cast.alice.user_name, password=PASSWORD).status == 201
        assert login_client.log_in(user_name=cast.alice.user_name).status == 422


def test_signed_in_users_stay_signed_in(cast: Cast, login_client: LoginClient) -> None:
    for _ in range(11):
        login_client.log_in(user_name=cast.alice.user_name, password="not hers")
    assert cast.alice.get("/api/calendars").status == 200


def test_failed_logins_are_deleted(cast: Cast, login_client: LoginClient, db: Database) -> None:
    login_client.log_in(user_name=cast.alice.user_name, password="not hers")
    later = after_clean_up(db, NOON + 10**9)  # Later than any other test has failed.
    assert later("SELECT count(*) FROM failed_logins") == 0


def test_guesses_at_the_password_of_somebody_who_is_signed_in_count_too(cast: Cast, login_client: LoginClient) -> None:
    """An open session must not allow guessing the password."""
    alice = login_client.client.signed_in(str(cast.alice.token))
    path = f"/api/users/{cast.alice.id}"
    for number in range(10):
        guess = {"password": "a new password", "current_password": f"guess {number}"}
        response = alice.request("PUT" if number % 2 else "DELETE", path, json=guess, remote_addr=login_client.change_address())
        assert (response.status, response.broken) == (403, ["current_password"])
    right = {"password": "a new password", "current_password": PASSWORD}
    assert alice.put(path, json=right, remote_addr=login_client.change_address()).status == 429
    assert alice.put(path, json={"name": "Alicia"}).status == 200
    login_client.clock.ahead(61)
    assert alice.put(path, json=right, remote_addr=login_client.change_address()).status == 200


def test_concurrent_guesses_in_two_processes_cannot_exceed_the_limit(
    cast: Cast, db: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    processes = [Client(application(db, replace(settings, rate_limits="on"), Clock())) for _ in range(2)]
    guess, address = {"user_name": cast.alice.user_name, "password": "not hers"}, f"address-{uuid4().hex}"
    monkeypatch.setattr(passwords, "_hasher", counting := Counting())
    with ThreadPoolExecutor(24) as threads:
        futures = [threads.submit(processes[n % 2].post, "/api/session", json=guess, remote_addr=address) for n in range(48)]
        statuses = sorted(response.result(60).status for response in futures)
    assert statuses == [401] * 10 + [429] * 38
    assert counting.work == ["verify"] * 10


def test_a_login_refused_with_503_does_not_count(cast: Cast, login_client: LoginClient, monkeypatch: pytest.MonkeyPatch) -> None:
    name = cast.alice.user_name

    def full(password: str, known: str | None) -> bool:
        raise errors.Unavailable("Too many people are signing in at once. Try again.")

    monkeypatch.setattr(passwords, "matches", full)
    for _ in range(11):
        assert login_client.log_in(user_name=name, password=PASSWORD).status == 503
    monkeypatch.undo()
    assert login_client.log_in(user_name=name, password=PASSWORD).status == 201


def device_cookie(response: Reply) -> str:
    """The cookie by which a device is known again, as a browser sends it."""
    return f"kalends_device={response.cookies['kalends_device']}"


def test_failures_elsewhere_do_not_lock_out_a_device_that_signed_in_before(cast: Cast, login_client: LoginClient) -> None:
    cookie = device_cookie(login_client.log_in(user_name=cast.alice.user_name, password=PASSWORD))
    for _ in range(10):
        login_client.change_address()
        login_client.log_in(user_name=cast.alice.user_name, password="not hers")
        login_client.log_in(user_name=cast.alice.email_address, password="not hers")
    known = {"user_name": cast.alice.user_name, "password": PASSWORD}
    assert login_client.log_in(**known).status == 429
    assert login_client.log_in(**known, cookie=cookie).status == 201
    assert login_client.log_in(**known, cookie=cookie + "x").status == 429
    assert login_client.log_in(**known, cookie=cookie.replace(f"={cast.alice.id}.", f"={cast.bob.id}.")).status == 429


def test_a_device_has_ten_guesses_of_its_own_and_for_its_own_account_alone(cast: Cast, login_client: LoginClient) -> None:
    cookie = device_cookie(login_client.log_in(user_name=cast.alice.user_name, password=PASSWORD))
    for _ in range(10):
        assert login_client.log_in(user_name=cast.alice.user_name, password="not hers", cookie=cookie).status == 401
    assert login_client.log_in(user_name=cast.alice.user_name, password=PASSWORD, cookie=cookie).status == 429
    for _ in range(10):
        assert login_client.log_in(user_name=cast.bob.user_name, password="not his", cookie=cookie).status == 401
    assert login_client.log_in(user_name=cast.bob.user_name, password=PASSWORD, cookie=cookie).status == 429


def test_a_login_with_a_key_sets_no_device_cookie(cast: Cast, login_client: LoginClient) -> None:
    assert login_client.log_in(wkey=a_key(cast.alice)["wkey"]).cookies == {}


def test_failures_of_a_network_count_together(cast: Cast, login_client: LoginClient) -> None:
    """Who has one IPv6 address has the other 2^64 of its network, too."""
    prefix = f"2001:db8:{uuid4().hex[:4]}:{uuid4().hex[:4]}"
    for number in range(10):
        login_client.address = f"{prefix}::{number:x}"
        assert login_client.log_in(user_name=f"nobody-{number}", password="a guess").status == 401
    login_client.address = f"{prefix}:ffff::1"
    assert login_client.log_in(user_name=cast.alice.user_name, password=PASSWORD).status == 429


def test_the_limit_does_not_disclose_that_a_name_and_an_address_are_one_account(cast: Cast, login_client: LoginClient) -> None:
    for name, address in ((cast.alice.user_name, cast.alice.email_address), ("nobody-at-all", "nobody@example.org")):
        for _ in range(10):
            login_client.change_address()
            assert login_client.log_in(user_name=name, password="a guess").status == 401
        login_client.change_address()
        assert login_client.log_in(user_name=name, password="a guess").status == 429
        assert login_client.log_in(user_name=address, password="a guess").status == 401


def test_failed_logins_by_strangers_do_not_lock_out_password_confirmation(cast: Cast, login_client: LoginClient) -> None:
    for _ in range(10):
        login_client.log_in(user_name=cast.alice.user_name, password="not hers")
    change = {"password": "a new password", "current_password": PASSWORD}
    changed = login_client.client.signed_in(str(cast.alice.token)).put(
        f"/api/users/{cast.alice.id}", json=change, remote_addr=login_client.address
    )
    assert changed.status == 200


def test_a_failure_is_logged_with_account_and_network_but_no_input(
    cast: Cast, login_client: LoginClient, caplog: pytest.LogCaptureFixture
) -> None:
    login_client.address = "2001:db8:1:2::3"
    login_client.log_in(user_name=cast.alice.email_address.upper(), password="canary-1")
    login_client.log_in(user_name="canary-2", password="canary-3")
    login_client.log_in(wkey="wk_canary-4")
    key = a_key(cast.alice)
    login_client.log_in(**(signed(key, str(NOON)) | {"timestamp": str(NOON + 1)}))
    lines = [line_of(record) for record in caplog.records]
    failures = [(line["kind"], line["account"], line["network"]) for line in lines if line["event"] == "login_failed"]
    alice, net = cast.alice.user_name, "2001:db8:1:2::/64"
    assert failures == [("password", alice, net), ("password", None, net), ("key", None, net), ("digest", key["id"], net)]
    assert "canary" not in str(lines)


def test_the_logins_of_a_name_are_limited_though_they_succeed(cast: Cast, login_client: LoginClient) -> None:
    login = {"user_name": cast.alice.user_name, "password": PASSWORD}
    for status in [201] * MAX_SUCCESSES + [429]:
        login_client.change_address()
        assert login_client.log_in(**login).status == status
    assert login_client.log_in(user_name=cast.bob.user_name, password=PASSWORD).status == 201
    login_client.clock.ahead(60)
    assert login_client.log_in(**login).status == 201


def test_attempts_of_a_dry_run_count(cast: Cast, login_client: LoginClient) -> None:
    token = login_client.log_in(user_name=cast.alice.user_name, password=PASSWORD).json["token"]
    alice = login_client.client.signed_in(token)
    for status in [403] * 10 + [429]:
        guess = {"name": "backup", "current_password": "wrong", "dry_run": True}
        assert alice.post("/api/keys", json=guess).status == status
