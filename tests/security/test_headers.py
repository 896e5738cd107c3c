"""Security headers: their score by Mozilla's HTTP Observatory, and that every reply has them."""

from typing import Any

import pytest

from kalends.app.application import ENDPOINTS
from kalends.core.settings import Settings
from tests.cast import PASSWORD, Cast
from tests.client import Client, Reply
from tests.http.conftest import Service
from tests.openapi.page import read
from tests.security.observatory import grade, score
from tests.test_policy import REQUEST_FIELDS, Scene

PAGES = ["/", "/sign-in", "/sign-up", "/reset", "/calendar", "/docs", "/docs/errors"]
SIGNED_IN = ["/account", "/calendars", "/contacts", "/events/new?form_token=1", "/responses", "/subscribers", "/deliveries"]


@pytest.fixture
def site(service: Service) -> Client:
    """A guest of a service that is reached under https."""
    return service(base_url="https://calendar.example.org")


def _scripts(reply: Reply) -> list[str]:
    return [element.attributes.get("src") or "" for element in read(reply.text).all("script")]


@pytest.mark.parametrize("path", PAGES)
def test_the_observatory_gives_every_page_an_a_plus(site: Client, path: str) -> None:
    reply = site.get(path, headers={"Accept": "text/html"})
    assert reply.status == 200
    points = score(reply.headers, [], _scripts(reply))
    assert min(points.values()) >= 0, points
    assert grade(points) == "A+", points


def test_the_observatory_gives_pages_of_signed_in_users_an_a_plus(site: Client) -> None:
    registration = {"user_name": "alice", "email_address": "alice@example.org", "password": PASSWORD}
    assert site.post("/api/users", json=registration).status == 201
    login = site.post("/sign-in", data={"user_name": "alice", "password": PASSWORD}, headers={"Sec-Fetch-Site": "same-origin"})
    cookie = login.headers["Set-Cookie"]
    for path in SIGNED_IN:
        reply = site.get(path, headers={"Accept": "text/html", "Cookie": cookie.partition(";")[0]})
        assert reply.status == 200, path
        points = score(reply.headers, [cookie], _scripts(reply))
        assert grade(points) == "A+", (path, points)
        assert points == {
            "content-security-policy": 10,
            "cookies": 5,
            "cross-origin-resource-sharing": 0,
            "cross-origin-resource-policy": 10,
            "referrer-policy": 5,
            "strict-transport-security": 0,
            "subresource-integrity": 0,
            "x-content-type-options": 0,
            "x-frame-options": 5,
        }


def test_the_observatory_score_of_a_bad_page_is_low(site: Client) -> None:
    """Without this test, the scores above might be constant."""
    good = dict(site.get("/").headers.items())
    assert grade(score(good, [], [])) == "A+"
    for name, value in [
        ("content-security-policy", None),
        ("content-security-policy", "default-src 'self'; script-src 'self' 'unsafe-inline'; frame-ancestors 'none'"),
        ("strict-transport-security", None),
        ("x-content-type-options", None),
    ]:
        changed = {key: other for key, other in good.items() if key.lower() != name} | ({name: value} if value else {})
        assert sum(score(changed, [], []).values()) < sum(score(good, [], []).values()), name
    assert score(good, ["kalends_session=x; Path=/"], [])["cookies"] < 0
    assert score(good, [], ["http://evil.example/x.js"])["subresource-integrity"] < 0
    assert grade(score({}, [], [])) == "D"


@pytest.mark.on_one_database
@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: f"{endpoint.method} {endpoint.url}")
def test_no_reply_may_be_framed_sniffed_or_run_by_other_sites(cast: Cast, settings: Settings, endpoint: Any, soak: bool) -> None:
    """A browser that another site sends there shows no reply in a frame, and runs nothing in it."""
    name = f"{endpoint.method} {endpoint.url}"
    scene = Scene(cast, settings, "public")
    fields = REQUEST_FIELDS[name](scene) if name in REQUEST_FIELDS else {}
    path = scene.path(endpoint.url)
    embeds = endpoint.path.startswith("/embed/")
    html: dict[str, str] = {"Accept": "text/html"}
    # What is accepted decides how an error looks: a guest's.
    for person, accepted in ((cast.anonymous, [{}, html]), (cast.alice, [{}, html] if soak else [html])):
        for headers in accepted:
            reply = person.request(endpoint.method, path, json=fields, headers=headers)
            policy = dict(part.strip().partition(" ")[::2] for part in reply.headers["Content-Security-Policy"].split(";"))
            assert policy["default-src"] == "'none'"
            assert policy["frame-ancestors"] == ("*" if embeds else "'none'")
            assert "unsafe" not in reply.headers["Content-Security-Policy"]
            assert reply.headers["X-Content-Type-Options"] == "nosniff"
            assert reply.headers["Content-Type"] or not reply.content
            if reply.headers.get("Content-Type", "").startswith("text/"):
                assert "charset=utf-8" in reply.headers["Content-Type"].lower(), reply.headers["Content-Type"]


@pytest.mark.on_one_database
@pytest.mark.parametrize("method", ["TRACE", "PROPFIND", "CONNECT"])
def test_no_path_knows_other_methods(client: Client, method: str) -> None:
    for endpoint in ENDPOINTS:
        path = endpoint.path.replace("{", "").replace("}", "") if not endpoint.variables else None
        if path:
            # Programs that know the host alone look for CalDAV at /.
            assert client.request(method, path).status == (401 if (method, path) == ("PROPFIND", "/") else 405), path
