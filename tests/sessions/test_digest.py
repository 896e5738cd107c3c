"""POST /api/session with a digest, which proves knowledge of the shared secret."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from threading import Barrier
from typing import Any

import pytest

from kalends.core.tokens import token_hash
from kalends.core.values import timestamps
from kalends.db import Database
from tests.cast import Cast, a_key
from tests.client import Client
from tests.conftest import NOON, Clock
from tests.sessions.clean_up import after_clean_up
from tests.sessions.digests import signature, signed

pytestmark = pytest.mark.on_one_database


def _login(guest: Client, credentials: dict[str, Any]) -> int:
    return guest.post("/api/session", json=credentials).status


def test_a_digest_logs_in(cast: Cast) -> None:
    response = cast.anonymous.post("/api/session", json=signed(a_key(cast.alice), str(NOON)))
    assert (response.status, response.json["user_id"]) == (201, cast.alice.id)
    assert cast.anonymous.signed_in(response.json["token"]).get("/api/calendars").status == 200


@pytest.mark.parametrize(
    "timestamp",
    [
        str(NOON),
        timestamps.format_utc(NOON),
        timestamps.format_utc(NOON).replace("Z", "+00:00"),
        timestamps.format_utc(NOON).replace("Z", ".250Z"),
        timestamps.format_utc(NOON).lower(),
        datetime.fromtimestamp(NOON, timezone(timedelta(hours=5, minutes=45))).isoformat(),
        datetime.fromtimestamp(NOON, timezone(timedelta(hours=-11))).isoformat(),
        datetime.fromtimestamp(NOON, UTC).strftime("%Y%m%dT%H%M%SZ"),
    ],
)
def test_the_timestamp_is_unix_time_or_rfc_3339_exactly_as_signed(cast: Cast, timestamp: str) -> None:
    key = a_key(cast.alice)
    assert _login(cast.anonymous, signed(key, timestamp)) == 201
    other = {"digest": f"{key['id']}.{signature(key, f'{timestamp} ')}", "timestamp": timestamp}
    assert _login(cast.anonymous, other) == 401


@pytest.mark.parametrize("format_timestamp", [str, timestamps.format_utc], ids=["unix", "rfc3339"])
@pytest.mark.parametrize(("age", "status"), [(300, 201), (301, 401), (-300, 201), (-301, 401), (86_400, 401), (-86_400, 401)])
def test_a_digest_is_good_for_300_seconds_either_way(cast: Cast, format_timestamp: Any, age: int, status: int) -> None:
    assert _login(cast.anonymous, signed(a_key(cast.alice), format_timestamp(NOON - age))) == status


def test_a_digest_works_once(cast: Cast) -> None:
    key = a_key(cast.alice)
    once = signed(key, str(NOON))
    assert _login(cast.anonymous, once) == 201
    assert _login(cast.anonymous, once) == 401
    assert _login(cast.anonymous, once | {"digest": f"{key['id']}.{signature(key, str(NOON)).upper()}"}) == 401
    assert _login(cast.anonymous, signed(key, str(NOON + 1))) == 201
    assert _login(cast.anonymous, signed(a_key(cast.alice), str(NOON))) == 201


def test_a_used_digest_is_stored_until_it_expires(cast: Cast, clock: Clock, db: Database) -> None:
    """One that was signed early is still fresh ten minutes after its first use."""
    early = signed(a_key(cast.alice), str(NOON + 300))
    assert _login(cast.anonymous, early) == 201
    clock.ahead(600)
    assert _login(cast.anonymous, early) == 401
    count_digests = "SELECT count(*) FROM used_digests WHERE digest = :hash"
    assert after_clean_up(db, NOON + 600)(count_digests, hash=token_hash(early["digest"])) == 1
    assert after_clean_up(db, NOON + 602)(count_digests, hash=token_hash(early["digest"])) == 0


def test_of_concurrent_logins_with_one_digest_one_succeeds(cast: Cast) -> None:
    credentials = signed(a_key(cast.alice), str(NOON))
    start = Barrier(8)

    def login(_: int) -> int:
        start.wait(10)
        return _login(cast.anonymous, credentials)

    with ThreadPoolExecutor(8) as threads:
        assert sorted(threads.map(login, range(8), timeout=60)) == [201, *[401] * 7]


def test_the_case_of_the_hexadecimal_digits_does_not_matter(cast: Cast) -> None:
    key = a_key(cast.alice)
    credentials = {"digest": f"{key['id']}.{signature(key, str(NOON)).upper()}", "timestamp": str(NOON)}
    assert _login(cast.anonymous, credentials) == 201


def test_a_digest_that_was_refused_may_still_be_used(cast: Cast, clock: Clock) -> None:
    """Neither another user's guess nor a clock that runs ahead uses up a digest."""
    early = signed(a_key(cast.alice), str(NOON + 301))
    assert _login(cast.anonymous, early) == 401
    clock.ahead(1)
    assert _login(cast.anonymous, early) == 201


@pytest.mark.parametrize("mistake", ["other secret", "other key", "no dot", "no id", "no signature", "half", "raw", "words", "accents"])
def test_a_wrong_digest_is_refused(cast: Cast, mistake: str) -> None:
    key, other = a_key(cast.alice), a_key(cast.bob)
    good = signature(key, str(NOON))
    digest = {
        "other secret": f"{key['id']}.{signature(other, str(NOON))}",
        "other key": f"{other['id']}.{good}",
        "no dot": f"{key['id']}{good}",
        "no id": f".{good}",
        "no signature": f"{key['id']}.",
        "half": f"{key['id']}.{good[:32]}",
        "raw": good,
        "words": "let me in",
        "accents": f"{key['id']}.ü{good[1:]}",
    }[mistake]
    assert _login(cast.anonymous, {"digest": digest, "timestamp": str(NOON)}) == 401


@pytest.mark.parametrize(
    "timestamp",
    [
        "now",
        "-1",
        "1e9",
        f"{NOON}.0",
        "9" * 12,
        "9" * 60,
        "2026-05-28",
        "2026-05-28T20:26:40",
        "2026-05-28 20:26:40Z",
        "2026-13-41T99:99:99Z",
        "0001-01-01T00:00:00+23:59",
        "9999-12-31T23:59:59-23:59",
        "١٧٨٠٠٠٠٠٠٠",
    ],
)
def test_an_invalid_timestamp_is_refused_even_when_signed(cast: Cast, timestamp: str) -> None:
    assert _login(cast.anonymous, signed(a_key(cast.alice), timestamp)) == 401
