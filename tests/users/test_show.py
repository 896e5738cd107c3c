"""GET /api/users/<id>."""

import pytest

from tests.cast import Cast, a_key

pytestmark = pytest.mark.on_one_database


def test_people_see_their_own_account(cast: Cast) -> None:
    response = cast.alice.get(f"/api/users/{cast.alice.id}")
    assert (response.status, response.json) == (200, cast.alice.user)


def test_current_is_the_account_of_the_session_or_the_key(cast: Cast) -> None:
    program = cast.anonymous.signed_in(a_key(cast.alice)["wkey"])
    for client in (cast.alice, program):
        response = client.get("/api/users/current")
        assert (response.status, response.json) == (200, cast.alice.user)


def test_people_never_see_each_other(cast: Cast) -> None:
    """The reply for another user's account equals that for one that does not exist."""
    other = cast.carol.get(f"/api/users/{cast.alice.id}")
    nobody = cast.carol.get(f"/api/users/{2**62}")
    assert (other.status, other.json | {"request_id": ""}) == (404, nobody.json | {"request_id": ""})


def test_a_guest_must_sign_in(cast: Cast) -> None:
    response = cast.anonymous.get(f"/api/users/{cast.alice.id}")
    assert (response.status, response.headers["WWW-Authenticate"]) == (401, "Bearer")
