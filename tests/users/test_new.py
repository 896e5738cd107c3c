"""GET /api/users/new."""

import pytest

from tests.client import Client

pytestmark = pytest.mark.on_one_database


def test_new_returns_the_default_fields_of_a_registration(client: Client) -> None:
    response = client.get("/api/users/new")
    defaults = {"user_name": "", "email_address": "", "name": None, "time_zone": "UTC", "response_notices": "daily"}
    defaults |= dict.fromkeys(("language", "hour_cycle", "week_start"))
    assert (response.status, response.json) == (200, defaults)
