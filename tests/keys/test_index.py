"""GET /api/keys."""

import pytest

from kalends.core.values import timestamps
from tests.cast import Cast, a_key
from tests.conftest import NOON, Clock

pytestmark = pytest.mark.on_one_database


def test_keys_are_listed_without_their_secrets_in_the_order_of_creation(cast: Cast, clock: Clock) -> None:
    first = a_key(cast.alice, "backup")
    clock.ahead(60)
    second = a_key(cast.alice, "robot")
    response = cast.alice.get("/api/keys")
    unlimited = {"last_used_at": None, "scopes": None, "read_only": False, "expires_at": None, "calendar_ids": None}
    assert (response.status, response.json) == (
        200,
        {
            "keys": [
                {"id": first["id"], "name": "backup", "created_at": timestamps.format_utc(NOON), "kind": "api"} | unlimited,
                {"id": second["id"], "name": "robot", "created_at": timestamps.format_utc(NOON + 60), "kind": "api"} | unlimited,
            ],
            "limit": 50,
            "offset": 0,
            "next": None,
        },
    )


def test_people_see_their_own_keys_only(cast: Cast) -> None:
    a_key(cast.alice)
    assert cast.carol.get("/api/keys").json["keys"] == []


def test_the_list_is_paged_and_counted_on_request(cast: Cast, clock: Clock) -> None:
    key_ids = []
    for _ in range(3):
        key_ids.append(a_key(cast.alice)["id"])
        clock.ahead(1)
    first = cast.alice.get("/api/keys?limit=2&count=true")
    assert ([key["id"] for key in first.json["keys"]], first.json["total"]) == (key_ids[:2], 3)
    assert first.headers["Link"] == f'<{first.json["next"]}>; rel="next"'
    second = cast.alice.get(first.json["next"]).json
    assert ([key["id"] for key in second["keys"]], second["next"], second["total"]) == (key_ids[2:], None, 3)


@pytest.mark.parametrize("query", ["limit=-1", "offset=-1", "limit=many"])
def test_an_invalid_limit_or_offset_is_refused(cast: Cast, query: str) -> None:
    response = cast.alice.get(f"/api/keys?{query}")
    assert (response.status, response.broken) == (422, [query.split("=")[0]])
