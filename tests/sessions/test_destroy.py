"""DELETE /api/session/<id>."""

import pytest

from tests.cast import PASSWORD, Cast
from tests.client import Client

pytestmark = pytest.mark.on_one_database


def _elsewhere(cast: Cast) -> tuple[str, Client]:
    """Another session of alice's."""
    session = cast.anonymous.post("/api/session", json={"user_name": cast.alice.user_name, "password": PASSWORD}).json
    return session["id"], cast.anonymous.signed_in(session["token"])


@pytest.mark.parametrize("as_current", [True, False])
def test_logging_out_ends_the_session_at_once(cast: Cast, as_current: bool) -> None:
    session_id, client = _elsewhere(cast)
    gone = client.delete(f"/api/session/{'current' if as_current else session_id}")
    assert (gone.status, gone.json) == (200, {"deleted": [session_id]})
    assert client.get("/api/session/current").status == 401
    assert client.delete("/api/session/current").status == 401
    assert cast.alice.get(f"/api/session/{session_id}").status == 404
    assert cast.alice.get("/api/session/current").status == 200


def test_logging_out_clears_the_cookie(cast: Cast) -> None:
    gone = cast.alice.delete("/api/session/current")
    name, _, rest = gone.headers["Set-Cookie"].partition("=")
    assert (name, set(rest.split("; "))) == ("kalends_session", {"", "Path=/", "HttpOnly", "SameSite=Lax", "Max-Age=0"})


def test_people_end_their_other_sessions_and_keep_the_cookie(cast: Cast) -> None:
    session_id, client = _elsewhere(cast)
    gone = cast.alice.delete(f"/api/session/{session_id}")
    assert (gone.status, "Set-Cookie" in gone.headers) == (200, False)
    assert client.get("/api/session/current").status == 401


def test_nobody_ends_a_session_of_somebody_else(cast: Cast) -> None:
    assert cast.carol.delete(f"/api/session/{cast.alice.session_id}").status == 404
    assert cast.anonymous.delete(f"/api/session/{cast.alice.session_id}").status == 401
    assert cast.alice.get("/api/session/current").status == 200


def test_an_ended_sessions_cookie_makes_a_guest_and_its_token_is_refused(cast: Cast) -> None:
    """A stale cookie must not keep a browser from public pages."""
    _, client = _elsewhere(cast)
    client.delete("/api/session/current")
    assert cast.anonymous.get("/api/users/new", headers={"Cookie": f"kalends_session={client.token}"}).status == 200
    assert client.get("/api/users/new").status == 401
