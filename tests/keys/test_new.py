"""GET /api/keys/new."""

from tests.cast import Cast


def test_new_answers_the_fields_and_makes_no_key(cast: Cast) -> None:
    answer = cast.alice.get("/api/keys/new")
    assert (answer.status, answer.json) == (200, {"name": ""})
    assert cast.alice.get("/api/keys").json["keys"] == []
