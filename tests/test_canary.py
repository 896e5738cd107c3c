"""The e-mail addresses of commenters and responders reach the event owner and nobody else: every endpoint is walked."""

from typing import Any

import pytest

from kalends.app.application import ENDPOINTS
from kalends.core.settings import Settings
from tests.cast import Cast, a_comment, a_response
from tests.test_policy import Scene

CANARY = "canary.bird@example.org"
READS = [endpoint for endpoint in ENDPOINTS if endpoint.method == "GET"]


@pytest.mark.on_one_database
@pytest.mark.parametrize("visibility", ["private", pytest.param("public", marks=pytest.mark.soak)])
def test_no_reply_shows_the_address_to_others(cast: Cast, settings: Settings, visibility: str) -> None:
    scene = Scene(cast, settings, visibility)
    a_comment(cast.alice, scene.event, email_address=CANARY, response="YES")
    a_response(cast.alice, scene.event, email_address=CANARY, opt_in=True)
    assert CANARY in cast.alice.get(f"/api/comments?event_id={scene.event['id']}").text
    assert CANARY in cast.alice.get(f"/api/responses.csv?event_id={scene.event['id']}").text
    queries: list[dict[str, Any]] = [{}, {"event_id": scene.event["id"], "comments": "true"}]
    for endpoint in READS:
        for name in ("anonymous", "viewer", "stranger"):
            for query in queries:
                reply = scene.actors[name].get(scene.path(endpoint.url), query=query)
                assert CANARY.encode() not in reply.content.lower(), (name, endpoint.url)
    assert cast.carol.get("/api/events", query={"text": "canary.bird"}).json["events"] == []
