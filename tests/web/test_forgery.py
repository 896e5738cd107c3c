"""Forms are taken from our own pages alone: whatever another site sends is refused, and changes nothing."""

from typing import Any

import pytest

from kalends.db import Database
from kalends.http.origin import COOKIE
from kalends.settings import Settings
from tests.cast import Cast
from tests.kept import values
from tests.test_policy import GIVEN, Scene
from tests.web.pages import declared

# Mail programs post to these, from nowhere in particular (RFC 8058); the link itself is the permission.
BY_LINK = {"/unsubscribe/{token}", "/u/{token}"}
FORMS = [endpoint for endpoint in declared("POST") if endpoint.path not in BY_LINK]
ELSEWHERE = [
    {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"},
    {"Sec-Fetch-Site": "same-site", "Origin": "http://other.testserver"},
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
]


@pytest.mark.parametrize("endpoint", FORMS, ids=lambda endpoint: endpoint.path)
def test_a_form_from_another_site_is_refused_and_changes_nothing(cast: Cast, settings: Settings, db: Database, endpoint: Any) -> None:
    scene = Scene(cast, settings, "public")
    path, name = scene.path(endpoint.path), f"POST {endpoint.url}"
    given = GIVEN[name](scene) if name in GIVEN else {}
    before = values(db)
    for elsewhere in ELSEWHERE:
        for cookie in ({"Cookie": f"{COOKIE}={cast.alice.token}"}, {}):
            answer = cast.anonymous.post(path, data=given, headers=elsewhere | cookie | {"Accept": "text/html"})
            assert answer.status == 403, (elsewhere, cookie, answer)
    assert values(db) == before


@pytest.mark.parametrize("endpoint", FORMS, ids=lambda endpoint: endpoint.path)
def test_the_same_form_from_our_own_page_is_taken(cast: Cast, settings: Settings, endpoint: Any) -> None:
    scene = Scene(cast, settings, "public")
    path, name = scene.path(endpoint.path), f"POST {endpoint.url}"
    given = GIVEN[name](scene) if name in GIVEN else {}
    ours = {"Sec-Fetch-Site": "same-origin", "Cookie": f"{COOKIE}={cast.alice.token}", "Accept": "text/html"}
    answer = cast.anonymous.post(path, data=given, headers=ours)
    # An owner cannot leave their own calendar: that is decided after the origin of the form.
    assert answer.status in (200, 303, 422) or (answer.status, endpoint.path) == (409, "/calendars/{calendar_id}/leave"), answer
