"""GET /api/keys."""

import pytest

from kalends.values import timestamps
from tests.cast import Cast, a_key
from tests.conftest import NOON, Clock


def test_keys_are_listed_without_their_secrets_in_the_order_of_their_making(cast: Cast, clock: Clock) -> None:
    first = a_key(cast.alice, "backup")
    clock.ahead(60)
    second = a_key(cast.alice, "robot")
    answer = cast.alice.get("/api/keys")
    assert (answer.status, answer.json) == (
        200,
        {
            "keys": [
                {"id": first["id"], "name": "backup", "created_at": timestamps.format_utc(NOON)},
                {"id": second["id"], "name": "robot", "created_at": timestamps.format_utc(NOON + 60)},
            ],
            "limit": 50,
            "offset": 0,
            "next": None,
        },
    )


def test_people_see_their_own_keys_only(cast: Cast) -> None:
    a_key(cast.alice)
    assert cast.carol.get("/api/keys").json["keys"] == []


def test_a_list_comes_in_pages_and_counts_when_asked(cast: Cast, clock: Clock) -> None:
    made = []
    for _ in range(3):
        made.append(a_key(cast.alice)["id"])
        clock.ahead(1)
    first = cast.alice.get("/api/keys?limit=2&count=true")
    assert ([key["id"] for key in first.json["keys"]], first.json["total"]) == (made[:2], 3)
    assert first.headers["Link"] == f'<{first.json["next"]}>; rel="next"'
    second = cast.alice.get(first.json["next"]).json
    assert ([key["id"] for key in second["keys"]], second["next"], second["total"]) == (made[2:], None, 3)


@pytest.mark.parametrize("query", ["limit=-1", "offset=-1", "limit=many"])
def test_a_page_that_cannot_be_is_refused(cast: Cast, query: str) -> None:
    answer = cast.alice.get(f"/api/keys?{query}")
    assert (answer.status, answer.broken) == (422, [query.split("=")[0]])
