"""GET /api/calendars."""

from typing import Any

import pytest

from tests.cast import Cast, a_calendar, shared

pytestmark = pytest.mark.on_one_database


def test_index_lists_own_and_shared_calendars_with_the_role(cast: Cast) -> None:
    edited, viewed = a_calendar(cast.alice, name="Jazz"), a_calendar(cast.alice, name="Rock")
    a_calendar(cast.alice, name="Private")
    a_calendar(cast.alice, name="Public", public=True)
    shared(cast.alice, edited, cast.bob, "editor")
    shared(cast.alice, viewed, cast.bob, "viewer")
    own = a_calendar(cast.bob, name="Blues")
    listed = cast.bob.get("/api/calendars").json["calendars"]
    assert [(c["id"], c["name"], c["role"], c["primary"]) for c in listed] == sorted(
        [
            (cast.bob.primary_calendar_id, "Bob", "owner", True),
            (own["id"], "Blues", "owner", False),
            (edited["id"], "Jazz", "editor", False),
            (viewed["id"], "Rock", "viewer", False),
        ]
    )


def test_an_item_has_the_limited_fields(cast: Cast) -> None:
    [calendar] = cast.alice.get("/api/calendars").json["calendars"]
    assert calendar == {
        "id": cast.alice.primary_calendar_id,
        "name": "Alice",
        "color": "#2f6fde",
        "time_zone": "UTC",
        "public": False,
        "primary": True,
        "role": "owner",
        "owner": {"id": cast.alice.id, "name": "Alice"},
        "updated_at": "2026-05-28T20:26:40Z",
    }


def test_pages_follow_one_another_without_gap_or_repetition(cast: Cast) -> None:
    theirs = a_calendar(cast.bob)
    shared(cast.bob, theirs, cast.alice, "viewer")
    calendar_ids = [cast.alice.primary_calendar_id, theirs["id"], *(a_calendar(cast.alice, name=f"Jazz {n}")["id"] for n in range(3))]
    listed_ids: list[int] = []
    url: Any = "/api/calendars?limit=2&count=true"
    for size in (2, 2, 1):
        response = cast.alice.get(url)
        assert (response.json["limit"], response.json["total"], len(response.json["calendars"])) == (2, 5, size)
        listed_ids += [calendar["id"] for calendar in response.json["calendars"]]
        url = response.json["next"]
        assert response.headers.get("Link") == (f'<{url}>; rel="next"' if url else None)
    assert (url, listed_ids) == (None, sorted(calendar_ids))


def test_the_total_is_returned_only_on_request(cast: Cast) -> None:
    assert "total" not in cast.alice.get("/api/calendars").json
    assert cast.alice.get("/api/calendars?count=yes").json["total"] == 1


@pytest.mark.parametrize(("requested", "limit"), [(0, 0), (1, 1), (500, 500), (501, 500), (2**63 - 1, 500)])
def test_a_page_has_at_most_500(cast: Cast, requested: int, limit: int) -> None:
    response = cast.alice.get(f"/api/calendars?limit={requested}")
    assert (response.status, response.json["limit"], len(response.json["calendars"])) == (200, limit, min(limit, 1))


def test_an_offset_beyond_the_end_is_an_empty_page(cast: Cast) -> None:
    for offset in (1, 2**63 - 1):
        response = cast.alice.get(f"/api/calendars?offset={offset}").json
        assert (response["calendars"], response["offset"], response["next"]) == ([], offset, None)


@pytest.mark.parametrize("query", ["limit=-1", "offset=-1", "limit=ten", "offset=1.5", "count=perhaps", f"limit={2**63}"])
def test_an_invalid_limit_or_offset_is_refused(cast: Cast, query: str) -> None:
    response = cast.alice.get(f"/api/calendars?{query}")
    assert (response.status, response.broken) == (422, [query.split("=")[0]])


def test_a_guest_has_no_calendars(cast: Cast) -> None:
    assert cast.anonymous.get("/api/calendars").status == 401
