"""GET /api/keys/new."""

from tests.cast import Cast


def test_new_returns_the_fields_and_creates_no_key(cast: Cast) -> None:
    response = cast.alice.get("/api/keys/new")
    assert (response.status, response.json) == (200, {"name": "", "kind": "api"})
    assert cast.alice.get("/api/keys").json["keys"] == []
