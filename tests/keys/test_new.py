"""GET /api/keys/new."""

import pytest

from tests.cast import Cast

pytestmark = pytest.mark.on_one_database


def test_new_returns_the_fields_and_creates_no_key(cast: Cast) -> None:
    response = cast.alice.get("/api/keys/new")
    assert (response.status, response.json) == (
        200,
        {"name": "", "kind": "api", "scopes": None, "read_only": False, "expires_at": None, "calendar_ids": None},
    )
    assert cast.alice.get("/api/keys").json["keys"] == []
