"""The former URLs of pages lead to the new ones permanently."""

import pytest

from tests.client import Client

pytestmark = pytest.mark.on_one_database


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("/api", "/docs"),
        ("/openapi.json", "/api/openapi.json"),
    ],
)
def test_a_former_url_redirects_to_the_new_one_with_its_query(client: Client, old: str, new: str) -> None:
    for query in ("", "?offset=50&limit=10"):
        reply = client.get(old + query)
        assert (reply.status, reply.headers["Location"]) == (308, new + query)
