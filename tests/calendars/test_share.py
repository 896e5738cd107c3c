"""PUT /api/calendars/<id>/share and /unshare."""

import pytest

from tests.cast import Cast, a_calendar, shared


def test_a_shared_calendar_appears_in_the_friends_list(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, name="Jazz")
    assert cast.bob.get(f"/api/calendars/{calendar['id']}").status == 404
    shared(cast.alice, calendar, cast.bob, "viewer")
    listed = cast.bob.get("/api/calendars").json["calendars"]
    assert {(c["name"], c["role"]) for c in listed} == {("Bob", "owner"), ("Jazz", "viewer")}


def test_sharing_again_changes_the_role(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.bob, "viewer")
    shared(cast.alice, calendar, cast.bob, "editor")
    shares = cast.alice.get(f"/api/calendars/{calendar['id']}").json["shares"]
    assert shares == [{"user_name": cast.bob.user_name, "name": "Bob", "role": "editor"}]


def test_only_the_owner_sees_with_whom_it_is_shared(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.bob, "editor")
    assert "shares" not in cast.bob.get(f"/api/calendars/{calendar['id']}").json


def test_unsharing_hides_a_private_calendar(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.bob, "viewer")
    gone = cast.alice.put(f"/api/calendars/{calendar['id']}/unshare", json={"user_name": cast.bob.user_name})
    assert (gone.status, gone.json["shares"]) == (200, [])
    assert cast.bob.get(f"/api/calendars/{calendar['id']}").status == 404


@pytest.mark.parametrize(("given", "status", "broken"), [({"user_name": "nobody-at-all"}, 404, ["user_name"]), ({}, 422, ["user_name"])])
def test_sharing_needs_somebody(cast: Cast, given: dict[str, str], status: int, broken: list[str]) -> None:
    calendar = a_calendar(cast.alice)
    answer = cast.alice.put(f"/api/calendars/{calendar['id']}/share", json=given)
    assert (answer.status, answer.broken) == (status, broken)


def test_sharing_with_oneself_is_a_conflict(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    answer = cast.alice.put(f"/api/calendars/{calendar['id']}/share", json={"user_name": cast.alice.user_name})
    assert answer.status == 409
