"""When keys and app passwords were last used: to the hour, so that a read stays a read."""

import pytest

from kalends.core.values import timestamps
from tests.cast import Cast, a_key
from tests.conftest import NOON, Clock
from tests.dav.clients import device, propfind
from tests.sessions.digests import signed


def _uses(cast: Cast) -> list[str | None]:
    return [key["last_used_at"] for key in cast.alice.get("/api/keys").json["keys"]]


def test_the_use_of_a_key_is_recorded_once_an_hour(cast: Cast, clock: Clock) -> None:
    program = cast.anonymous.signed_in(a_key(cast.alice)["wkey"])
    assert _uses(cast) == [None]
    assert "Never used" in cast.alice.get("/account").text
    for _ in range(2):
        assert program.get("/api/calendars").status == 200
        clock.ahead(1800)
        assert _uses(cast) == [timestamps.format_utc(NOON)]
    clock.ahead(1)
    assert program.get("/api/calendars").status == 200
    assert _uses(cast) == [timestamps.format_utc(NOON + 3601)]
    assert "Last used" in cast.alice.get("/account").text


@pytest.mark.on_one_database
def test_logins_with_a_key_and_its_digest_are_uses(cast: Cast, clock: Clock) -> None:
    key = a_key(cast.alice)
    assert cast.anonymous.post("/api/session", json={"wkey": key["wkey"]}).status == 201
    assert _uses(cast) == [timestamps.format_utc(NOON)]
    clock.ahead(5)
    assert cast.anonymous.post("/api/session", json=signed(key, str(NOON + 5))).status == 201
    assert _uses(cast) == [timestamps.format_utc(NOON + 5)]


def test_the_use_of_an_app_password_is_recorded(cast: Cast) -> None:
    headers = device(cast.alice)
    assert "Never used" in cast.alice.get("/account/devices").text
    assert propfind(cast.anonymous, "/dav/", "D:displayname", **headers).status == 207
    assert _uses(cast) == [timestamps.format_utc(NOON)]
    assert "Last used" in cast.alice.get("/account/devices").text
