"""GET /api/users/new."""

from tests.client import Client


def test_new_answers_the_fields_of_a_registration_with_defaults(client: Client) -> None:
    answer = client.get("/api/users/new")
    assert (answer.status, answer.json) == (200, {"user_name": "", "email_address": "", "name": None, "time_zone": "UTC"})
