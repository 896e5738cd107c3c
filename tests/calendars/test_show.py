"""GET /api/calendars/<id>."""

import pytest

from tests.cast import Cast, a_calendar, shared

pytestmark = pytest.mark.on_one_database


def test_everybody_sees_a_public_calendar(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, public=True, description="For all.")
    for person in (cast.anonymous, cast.carol):
        response = person.get(f"/api/calendars/{calendar['id']}")
        assert response.status == 200
        assert (response.json["name"], response.json["description"], response.json["role"], response.json["can_edit"]) == (
            "Jazz",
            "For all.",
            None,
            False,
        )
        assert response.json["owner"] == {"id": cast.alice.id, "name": "Alice"}


@pytest.mark.parametrize(("role", "can_edit"), [("viewer", False), ("editor", True)])
def test_a_member_sees_a_private_calendar_and_their_role(cast: Cast, role: str, can_edit: bool) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.bob, role)
    response = cast.bob.get(f"/api/calendars/{calendar['id']}")
    assert (response.status, response.json["role"], response.json["can_edit"]) == (200, role, can_edit)


def test_a_private_calendar_is_not_found_for_strangers(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    for person in (cast.anonymous, cast.carol):
        hidden = person.get(f"/api/calendars/{calendar['id']}")
        missing = person.get(f"/api/calendars/{2**62}")
        assert (hidden.status, hidden.json | {"request_id": ""}) == (404, missing.json | {"request_id": ""})


def test_a_nameless_owner_is_called_by_their_user_name(cast: Cast) -> None:
    cast.alice.put(f"/api/users/{cast.alice.id}", json={"name": ""})
    assert a_calendar(cast.alice)["owner"]["name"] == cast.alice.user_name


def test_a_calendar_that_is_made_private_is_hidden_at_once(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, public=True)
    cast.alice.put(f"/api/calendars/{calendar['id']}", json={"public": False})
    assert cast.anonymous.get(f"/api/calendars/{calendar['id']}").status == 404


@pytest.mark.parametrize("calendar_id", ["0", "-1", "x", "1.5", str(2**63), "9" * 30, "%00"])
def test_an_invalid_id_is_not_found(cast: Cast, calendar_id: str) -> None:
    assert cast.alice.get(f"/api/calendars/{calendar_id}").status == 404
