"""GET /api/users/<id>/edit."""

import pytest

from tests.cast import Cast

pytestmark = pytest.mark.on_one_database


def test_edit_returns_fields_that_update_accepts(cast: Cast) -> None:
    path = f"/api/users/{cast.alice.id}"
    form = cast.alice.get(f"{path}/edit")
    assert form.status == 200
    names = {"user_name": cast.alice.user_name, "email_address": cast.alice.email_address, "name": "Alice"}
    assert form.json == names | {"time_zone": "UTC", "response_notices": "daily"} | dict.fromkeys(("language", "hour_cycle", "week_start"))
    reply = cast.alice.put(path, json=form.json)
    assert (reply.status, reply.json) == (200, cast.alice.user)


def test_users_cannot_edit_each_other(cast: Cast) -> None:
    assert cast.carol.get(f"/api/users/{cast.alice.id}/edit").status == 404
