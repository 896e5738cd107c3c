"""GET /api/session/<id>."""

import pytest

from kalends.core.values import timestamps
from tests.cast import PASSWORD, Cast, a_key
from tests.conftest import NOON, Clock

pytestmark = pytest.mark.on_one_database

DAY = 86_400


def test_a_session_says_who_is_logged_in(cast: Cast, clock: Clock) -> None:
    response = cast.alice.get(f"/api/session/{cast.alice.session_id}")
    assert (response.status, response.json) == (
        200,
        {
            "id": cast.alice.session_id,
            "user_id": cast.alice.id,
            "user_name": cast.alice.user_name,
            "key_id": None,
            "created_at": timestamps.format_utc(NOON),
            "expires_at": timestamps.format_utc(NOON + 14 * DAY),
        },
    )


def test_current_is_the_session_in_use(cast: Cast) -> None:
    assert cast.alice.get("/api/session/current").json["id"] == cast.alice.session_id
    by_cookie = cast.anonymous.get("/api/session/current", headers={"Cookie": f"kalends_session={cast.alice.token}"})
    assert (by_cookie.status, by_cookie.json["id"]) == (200, cast.alice.session_id)


def test_people_see_their_other_sessions_too(cast: Cast) -> None:
    other = cast.anonymous.post("/api/session", json={"user_name": cast.alice.user_name, "password": PASSWORD}).json
    assert cast.alice.get(f"/api/session/{other['id']}").json["id"] == other["id"]


def test_the_current_session_of_a_key_names_its_user(cast: Cast, clock: Clock) -> None:
    key = a_key(cast.alice)
    program = cast.anonymous.signed_in(key["wkey"])
    assert program.get(f"/api/session/{cast.alice.session_id}").json["user_id"] == cast.alice.id
    assert program.get("/api/session/current").json == {
        "id": None,
        "user_id": cast.alice.id,
        "user_name": cast.alice.user_name,
        "key_id": key["id"],
        "created_at": timestamps.format_utc(NOON),
        "expires_at": None,
    }
    assert program.delete("/api/session/current").status == 404


def test_a_session_names_the_key_that_opened_it(cast: Cast) -> None:
    key = a_key(cast.alice)
    token = cast.anonymous.post("/api/session", json={"wkey": key["wkey"]}).json["token"]
    assert cast.anonymous.signed_in(token).get("/api/session/current").json["key_id"] == key["id"]


def test_a_session_of_another_user_is_not_found(cast: Cast) -> None:
    other = cast.carol.get(f"/api/session/{cast.alice.session_id}")
    nobody = cast.carol.get("/api/session/s00000000000000")
    assert (other.status, other.json | {"request_id": ""}) == (404, nobody.json | {"request_id": ""})


@pytest.mark.parametrize("path", ["current", "s00000000000000", "1"])
def test_a_guest_must_sign_in(cast: Cast, path: str) -> None:
    assert cast.anonymous.get(f"/api/session/{path}").status == 401
    assert cast.anonymous.get(f"/api/session/{cast.alice.session_id}").status == 401


@pytest.mark.parametrize("session_id", ["%00", "s%00", "s00000000000000", "%F0%9F%8E%B7"])
def test_an_unknown_session_is_not_found(cast: Cast, session_id: str) -> None:
    assert cast.alice.get(f"/api/session/{session_id}").status == 404


@pytest.mark.parametrize("token", ["nonsense", "wk_nonsense", "ü", "x" * 5000])
def test_a_wrong_token_is_refused(cast: Cast, token: str) -> None:
    response = cast.anonymous.get("/api/session/current", headers={"Authorization": f"Bearer {token}"})
    assert (response.status, response.headers["WWW-Authenticate"]) == (401, "Bearer")


def test_the_id_is_public_and_signs_nobody_in(cast: Cast) -> None:
    assert cast.anonymous.signed_in(cast.alice.session_id).get("/api/calendars").status == 401
