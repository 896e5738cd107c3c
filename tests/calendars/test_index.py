"""GET /api/calendars."""

from typing import Any

import pytest

from tests.cast import Cast, a_calendar, shared


def test_it_lists_what_one_owns_and_what_is_shared_with_the_role(cast: Cast) -> None:
    edited, seen = a_calendar(cast.alice, name="Jazz"), a_calendar(cast.alice, name="Rock")
    a_calendar(cast.alice, name="Private")
    a_calendar(cast.alice, name="Public", public=True)
    shared(cast.alice, edited, cast.bob, "editor")
    shared(cast.alice, seen, cast.bob, "viewer")
    own = a_calendar(cast.bob, name="Blues")
    listed = cast.bob.get("/api/calendars").json["calendars"]
    assert [(c["id"], c["name"], c["role"], c["primary"]) for c in listed] == sorted(
        [
            (cast.bob.primary_calendar_id, "Bob", "owner", True),
            (own["id"], "Blues", "owner", False),
            (edited["id"], "Jazz", "editor", False),
            (seen["id"], "Rock", "viewer", False),
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
    }


def test_pages_follow_one_another_without_gap_or_repetition(cast: Cast) -> None:
    theirs = a_calendar(cast.bob)
    shared(cast.bob, theirs, cast.alice, "viewer")
    made = [cast.alice.primary_calendar_id, theirs["id"], *(a_calendar(cast.alice, name=f"Jazz {n}")["id"] for n in range(3))]
    found: list[int] = []
    address: Any = "/api/calendars?limit=2&count=true"
    for size in (2, 2, 1):
        answer = cast.alice.get(address)
        assert (answer.json["limit"], answer.json["total"], len(answer.json["calendars"])) == (2, 5, size)
        found += [calendar["id"] for calendar in answer.json["calendars"]]
        address = answer.json["next"]
        assert answer.headers.get("Link") == (f'<{address}>; rel="next"' if address else None)
    assert (address, found) == (None, sorted(made))


def test_a_total_is_answered_only_when_it_is_asked_for(cast: Cast) -> None:
    assert "total" not in cast.alice.get("/api/calendars").json
    assert cast.alice.get("/api/calendars?count=yes").json["total"] == 1


@pytest.mark.parametrize(("asked", "answered"), [(0, 0), (1, 1), (500, 500), (501, 500), (2**63 - 1, 500)])
def test_a_page_has_at_most_500(cast: Cast, asked: int, answered: int) -> None:
    answer = cast.alice.get(f"/api/calendars?limit={asked}")
    assert (answer.status, answer.json["limit"], len(answer.json["calendars"])) == (200, answered, min(answered, 1))


def test_beyond_the_end_is_an_empty_page(cast: Cast) -> None:
    for offset in (1, 2**63 - 1):
        answer = cast.alice.get(f"/api/calendars?offset={offset}").json
        assert (answer["calendars"], answer["offset"], answer["next"]) == ([], offset, None)


@pytest.mark.parametrize("query", ["limit=-1", "offset=-1", "limit=ten", "offset=1.5", "count=perhaps", f"limit={2**63}"])
def test_a_page_that_cannot_be_is_refused(cast: Cast, query: str) -> None:
    answer = cast.alice.get(f"/api/calendars?{query}")
    assert (answer.status, answer.broken) == (422, [query.split("=")[0]])


def test_a_guest_has_no_calendars(cast: Cast) -> None:
    assert cast.anonymous.get("/api/calendars").status == 401
