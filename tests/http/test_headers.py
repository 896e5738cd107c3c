"""Headers and methods: the headers of every reply, and the replies to HEAD and OPTIONS."""

import gzip

import pytest

from kalends.web.render import static_url
from tests.cast import PASSWORD, Cast, a_calendar, an_event
from tests.client import Client, Reply
from tests.http.conftest import Service

# Requests are parsed before any database is used.
pytestmark = pytest.mark.on_one_database

EVERYWHERE = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def _of_every_kind(cast: Cast) -> list[Reply]:
    """A reply of every kind."""
    alice, guest = cast.alice, cast.anonymous
    tag = guest.get("/static/style.css").headers["ETag"]
    return [
        alice.get("/api/calendars"),
        alice.post("/api/calendars", json={"name": "Jazz"}),
        alice.post("/api/calendars", json={}),
        alice.request("HEAD", "/api/calendars"),
        alice.request("OPTIONS", "/api/calendars"),
        alice.request("PATCH", "/api/calendars"),
        alice.get("/api/calendars/1.ics"),
        guest.get("/api/calendars"),
        guest.get("/nowhere"),
        guest.get("/docs"),
        guest.get("/healthz"),
        guest.get("/static/style.css"),
        guest.get("/static/style.css", headers={"If-None-Match": tag}),
    ]


def test_every_reply_has_the_security_headers_and_an_id(cast: Cast) -> None:
    for reply in _of_every_kind(cast):
        assert {name: reply.headers.get(name) for name in EVERYWHERE} == EVERYWHERE, reply
        assert reply.headers["X-Request-Id"]
        assert reply.headers["Cache-Control"]


def test_plain_http_sends_no_hsts(cast: Cast) -> None:
    assert all("Strict-Transport-Security" not in reply.headers for reply in _of_every_kind(cast))


def test_https_sends_hsts(service: Service) -> None:
    guest = service(base_url="https://calendar.example.org")
    for path in ("/healthz", "/docs", "/api/calendars", "/nowhere"):
        promise = guest.get(path).headers["Strict-Transport-Security"]
        assert int(promise.split(";")[0].removeprefix("max-age=")) >= 31_536_000


def test_nothing_in_a_reply_of_the_api_can_be_run(cast: Cast) -> None:
    for reply in (
        cast.alice.get("/api/calendars"),
        cast.alice.get("/api/openapi"),
        cast.alice.get("/api/nothing"),
        cast.alice.get("/nowhere"),
    ):
        policy = reply.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "script-src" not in policy


def test_a_page_runs_only_files_of_its_own_site(client: Client) -> None:
    policy = client.get("/docs").headers["Content-Security-Policy"]
    assert "script-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy


def test_no_shared_cache_stores_private_replies(cast: Cast) -> None:
    for reply in (cast.alice.get("/api/calendars"), cast.alice.get("/api/calendars/1.csv"), cast.anonymous.get("/docs")):
        assert reply.headers["Cache-Control"] == "private, no-cache"


def test_static_files_are_cached_for_ever(client: Client) -> None:
    reply = client.get(static_url("style.css"))
    assert (reply.status, reply.headers["Cache-Control"]) == (200, "public, max-age=31536000, immutable")
    again = client.get(static_url("style.css"), headers={"If-None-Match": reply.headers["ETag"]})
    assert (again.status, again.content) == (304, b"")


def test_a_static_file_of_another_version_is_not_cached_for_ever(client: Client) -> None:
    for path in ("/static/style.css", "/static/style.css?v=0123456789abcdef"):
        reply = client.get(path)
        assert (reply.status, reply.headers["Cache-Control"]) == (200, "public, no-cache")


def test_head_replies_as_get_without_the_body(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    for path in (
        "/api/calendars?limit=1",
        f"/api/calendars/{calendar['id']}",
        "/docs",
        "/static/style.css",
        "/healthz",
        "/api/openapi.json",
    ):
        full, head = cast.alice.get(path), cast.alice.request("HEAD", path)
        assert (head.status, head.content) == (200, b"")
        ignored = ("x-request-id",)
        assert {n.lower(): v for n, v in head.headers.items() if n.lower() not in ignored} == {
            n.lower(): v for n, v in full.headers.items() if n.lower() not in ignored
        }
        assert int(head.headers["Content-Length"]) == len(full.content)


@pytest.mark.parametrize(("path", "status"), [("/api/calendars/9999999", 404), ("/nowhere", 404), ("/api/calendars?limit=-1", 422)])
def test_head_returns_errors_without_a_body(cast: Cast, path: str, status: int) -> None:
    reply = cast.alice.request("HEAD", path)
    assert (reply.status, reply.content) == (status, b"")


def test_head_is_allowed_only_where_get_is(cast: Cast) -> None:
    reply = cast.alice.request("HEAD", "/api/calendars/1/share")
    assert (reply.status, reply.headers["Allow"]) == (405, "OPTIONS, PUT")


@pytest.mark.parametrize(
    ("path", "methods"),
    [
        ("/api/calendars", {"GET", "HEAD", "OPTIONS", "POST"}),
        ("/api/calendars/1", {"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "PUT"}),
        ("/api/calendars/1.json", {"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "PUT"}),
        ("/api/calendars/1/share", {"OPTIONS", "PUT"}),
        ("/api/session", {"OPTIONS", "POST"}),
        ("/docs", {"GET", "HEAD", "OPTIONS"}),
    ],
)
def test_options_and_405_list_the_methods(client: Client, path: str, methods: set[str]) -> None:
    options_reply = client.request("OPTIONS", path)
    assert (options_reply.status, options_reply.content) == (200, b"")
    refused = client.request("BREW", path)
    assert refused.status == 405
    for reply in (options_reply, refused):
        assert set(reply.headers["Allow"].split(", ")) == methods


def _gunzipped(reply: Reply) -> bytes:
    return gzip.decompress(reply.content)


def test_json_and_feeds_are_compressed_for_clients_that_accept_it(cast: Cast) -> None:
    description = "Jazz at the Blue Note. " * 60
    event = an_event(cast.alice, description=description)["id"]
    calendar = cast.alice.primary_calendar_id
    for path in (f"/api/events/{event}", "/api/openapi.json", f"/api/calendars/{calendar}.ics"):
        plain = cast.alice.get(path)
        small = cast.alice.get(path, headers={"Accept-Encoding": "br, gzip"})
        assert (small.headers["Content-Encoding"], _gunzipped(small)) == ("gzip", plain.content)
        assert len(small.content) < len(plain.content)
        for reply in (plain, small):
            assert "Accept-Encoding" in reply.headers["Vary"]
        refused = cast.alice.get(path, headers={"Accept-Encoding": "gzip;q=0, br"})
        assert "Content-Encoding" not in refused.headers
        if tag := small.headers.get("ETag"):
            assert tag == f"W/{plain.headers['ETag']}"
            for held in (tag, plain.headers["ETag"]):
                headers = {"Accept-Encoding": "gzip", "If-None-Match": held}
                assert cast.alice.get(path, headers=headers).status == 304


def test_a_weak_etag_is_accepted_in_if_match(cast: Cast) -> None:
    event = an_event(cast.alice, description="Jazz at the Blue Note. " * 60)["id"]
    tag = cast.alice.get(f"/api/events/{event}", headers={"Accept-Encoding": "gzip"}).headers["ETag"]
    assert cast.alice.put(f"/api/events/{event}", json={"title": "Trio"}, headers={"If-Match": tag}).status == 200


def test_small_or_secret_replies_are_not_compressed(cast: Cast) -> None:
    takes = {"Accept-Encoding": "gzip"}
    long = {"title": "Jazz", "start_time": "2027-05-11", "description": "Jazz at the Blue Note. " * 60}
    created = cast.alice.post("/api/events", json=long, headers=takes)
    assert "Content-Encoding" not in created.headers
    assert "Content-Encoding" not in cast.alice.get("/api/users/new", headers=takes).headers
    by_cookie = cast.anonymous.get(f"/api/events/{created.json['id']}", headers={"Cookie": f"kalends_session={cast.alice.token}"} | takes)
    assert (by_cookie.status, "Content-Encoding" in by_cookie.headers) == (200, False)


def test_options_needs_no_credential_and_changes_nothing(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    path = f"/api/calendars/{calendar['id']}"
    assert cast.anonymous.request("OPTIONS", path, json={"name": "Changed"}).status == 200
    assert cast.alice.get(path).json == calendar


def test_a_trailing_slash_makes_no_difference(cast: Cast) -> None:
    assert cast.alice.get("/api/calendars/").json == cast.alice.get("/api/calendars").json
    assert cast.alice.get("/api/calendars/?limit=1").json["limit"] == 1


def test_metrics_require_the_token(cast: Cast, service: Service) -> None:
    opened = cast.anonymous.get("/metrics", headers={"Authorization": "Bearer figures-please"})
    assert (opened.status, "kalends_requests_total" in opened.text) == (200, True)
    for wrong in ("Bearer wrong", "Bearer é", "figures-please", ""):
        assert cast.anonymous.get("/metrics", headers={"Authorization": wrong}).status == 401
    assert service(metrics_token="").get("/metrics", headers={"Authorization": "Bearer "}).status == 404


@pytest.mark.filterwarnings("ignore:Unknown REQUEST_METHOD")
def test_clients_cannot_name_a_metric(client: Client) -> None:
    client.request("MADEUP", "/api/calendars")
    client.get("/made/up/path")
    figures = client.get("/metrics", headers={"Authorization": "Bearer figures-please"}).text
    assert "calendars" in figures
    assert "MADEUP" not in figures
    assert "made/up" not in figures


def test_secrets_are_returned_only_once_and_never_in_a_location(cast: Cast) -> None:
    session = cast.anonymous.post("/api/session", json={"user_name": cast.alice.user_name, "password": PASSWORD})
    token = session.json["token"]
    assert token not in session.headers["Location"]
    current_session = cast.alice.signed_in(token).get("/api/session/current")
    assert token not in current_session.text
