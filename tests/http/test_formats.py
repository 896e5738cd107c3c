"""Formats: the path's suffix chooses one, else Accept does, else it is JSON."""

import pytest

from kalends.http.context import Context
from kalends.http.endpoint import Document
from tests.cast import Cast
from tests.client import Client
from tests.http.conftest import Stage, act

# Requests are parsed before any database is used.
pytestmark = pytest.mark.on_one_database


def test_every_action_accepts_the_suffix_json(cast: Cast) -> None:
    created = cast.alice.post("/api/calendars.json", json={"name": "Jazz"})
    assert created.status == 201
    path = f"/api/calendars/{created.json['id']}"
    for where in ("/api/calendars", "/api/calendars/new", path, f"{path}/edit", "/api/session/current", "/api/openapi"):
        plain, suffixed = cast.alice.get(where), cast.alice.get(f"{where}.json")
        assert (suffixed.status, suffixed.headers["Content-Type"]) == (200, "application/json")
        assert suffixed.json == plain.json
    assert cast.alice.put(f"{path}.json", json={"name": "Blues"}).json["name"] == "Blues"
    assert cast.alice.delete(f"{path}.json").status == 200


@pytest.mark.parametrize("suffix", [".ics", ".csv", ".vcf", ".html", ".txt", ".xml", ".JSON", ".json.json", ".", ".json/x"])
def test_an_unknown_suffix_is_404(cast: Cast, suffix: str) -> None:
    assert cast.alice.get(f"/api/calendars{suffix}").status == 404
    assert cast.alice.get(f"/api/users/{cast.alice.id}{suffix}").status == 404


@pytest.mark.parametrize("path", ["/healthz.json", "/docs.json", "/docs.html", "/readyz.txt"])
def test_suffixes_are_for_the_api_alone(client: Client, path: str) -> None:
    assert client.get(path).status == 404


@pytest.mark.parametrize(
    "accept", ["text/html", "application/xml", "image/png", "*/*", "", "nonsense", ";;;", "text/*;q=0", "application/json"]
)
def test_an_endpoint_with_one_format_uses_it_whatever_accept_says(cast: Cast, accept: str) -> None:
    reply = cast.alice.get("/api/calendars", headers={"Accept": accept})
    assert (reply.status, reply.headers["Content-Type"]) == (200, "application/json")


@pytest.mark.parametrize("accept", ["text/html", "text/calendar", "application/json", "*/*"])
def test_errors_are_problem_json_whatever_accept_says(client: Client, accept: str) -> None:
    reply = client.get("/api/calendars", headers={"Accept": accept})
    assert (reply.status, reply.headers["Content-Type"]) == (401, "application/problem+json")


def test_pages_are_html(client: Client) -> None:
    assert client.get("/docs", headers={"Accept": "application/json"}).headers["Content-Type"] == "text/html; charset=utf-8"


def _json(ctx: Context) -> dict[str, str]:
    """As JSON."""
    return {"format": "json"}


def _csv(ctx: Context) -> Document:
    """As CSV."""
    return Document(b"format\ncsv\n", "text/csv")


def _ics(ctx: Context) -> Document:
    """As iCalendar."""
    return Document(b"BEGIN:VCALENDAR", "text/calendar")


@pytest.fixture
def things(stage: Stage) -> Client:
    """A resource in three formats, which also accepts a POST."""
    return stage(
        act("GET", "/api/things", _json),
        act("GET", "/api/things.csv", _csv),
        act("GET", "/api/things.ics", _ics),
        act("POST", "/api/things", _json),
    )


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        (None, "application/json"),
        ("*/*", "application/json"),
        ("application/json", "application/json"),
        ("text/csv", "text/csv"),
        ("text/calendar", "text/calendar"),
        ("text/csv;q=0.5, text/calendar", "text/calendar"),
        ("text/calendar;q=0.1, application/json;q=0.9", "application/json"),
        ("text/html, application/xhtml+xml, */*;q=0.8", "application/json"),
        ("text/*, application/json;q=0.9", "text/csv"),
        ("text/*, text/csv;q=0, application/json;q=0.9", "text/calendar"),
        ("TEXT/CSV; header=present; q=1.0, *;q=0.5", "text/csv"),
        ("text/csv;q=high", "application/json"),
        ("text/csv;q=nan", "application/json"),
        ("image/png", "application/json"),
        ("nonsense", "application/json"),
        ("", "application/json"),
    ],
)
def test_accept_selects_among_the_offered_formats(things: Client, accept: str | None, kind: str) -> None:
    reply = things.get("/api/things", headers={} if accept is None else {"Accept": accept})
    assert (reply.status, reply.headers["Content-Type"]) == (200, kind)
    assert reply.headers["Vary"] == "Accept"


@pytest.mark.parametrize(("suffix", "kind"), [("json", "application/json"), ("csv", "text/csv"), ("ics", "text/calendar")])
def test_the_suffix_wins_over_accept(things: Client, suffix: str, kind: str) -> None:
    for accept in ("application/json", "text/csv", "text/calendar"):
        assert things.get(f"/api/things.{suffix}", headers={"Accept": accept}).headers["Content-Type"] == kind


def test_a_post_returns_json_and_has_no_other_suffix(things: Client) -> None:
    assert things.post("/api/things", headers={"Accept": "text/csv"}).headers["Content-Type"] == "application/json"
    assert things.post("/api/things.json").status == 200
    assert things.post("/api/things.csv").status == 405
    assert things.post("/api/things.vcf").status == 404
