"""Errors: every status has one shape, discloses no internal details, and changes nothing."""

import json
import shutil
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from kalends.app.application import application
from kalends.core import errors
from kalends.core.log import line_of
from kalends.core.settings import Settings
from kalends.db import Retry, open_database
from kalends.http.context import Context
from tests.cast import PASSWORD, Cast, a_calendar, shared
from tests.client import Client, Reply
from tests.http.conftest import Stage, act

pytestmark = pytest.mark.on_one_database

SHAPE = {"type", "title", "status", "detail", "errors", "request_id"}


def assert_problem(reply: Reply, status: int) -> None:
    """It is RFC 9457, in our shape."""
    assert reply.status == status, reply
    assert reply.headers["Content-Type"] == "application/problem+json"
    problem = reply.json
    assert set(problem) == SHAPE
    assert problem["status"] == status
    assert problem["type"].startswith("/docs/errors#")
    assert problem["title"]
    assert problem["detail"]
    assert problem["request_id"] == reply.headers["X-Request-Id"]
    assert all(set(error) == {"field", "message", "code"} for error in problem["errors"])


def test_an_unreadable_request_is_400(cast: Cast) -> None:
    assert_problem(cast.alice.post("/api/calendars", body="{", headers={"Content-Type": "application/json"}), 400)


def test_an_action_for_users_is_401_for_a_guest(client: Client) -> None:
    reply = client.get("/api/calendars")
    assert_problem(reply, 401)
    assert reply.headers["WWW-Authenticate"] == "Bearer"


def test_changing_a_visible_record_without_permission_is_403(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.vera, "viewer")
    assert_problem(cast.vera.put(f"/api/calendars/{calendar['id']}", json={"name": "Mine"}), 403)


def test_an_invisible_record_is_the_same_404_as_a_missing_one(cast: Cast) -> None:
    hidden = a_calendar(cast.alice)["id"]
    for actor in (cast.carol, cast.anonymous):
        for method in ("GET", "PUT", "DELETE"):
            replies = [actor.request(method, f"/api/calendars/{number}") for number in (hidden, 2**62)]
            for reply in replies:
                assert_problem(reply, 404)
            one, other = ({**reply.json, "request_id": ""} for reply in replies)
            assert one == other


@pytest.mark.parametrize("broken", [{"name": ""}, {"color": "red"}, {"name": None, "public": "maybe"}])
def test_invalid_values_do_not_distinguish_a_hidden_record_from_a_missing_one(cast: Cast, broken: dict[str, Any]) -> None:
    hidden = a_calendar(cast.alice)["id"]
    replies = [cast.carol.put(f"/api/calendars/{number}", json=broken) for number in (hidden, 2**62)]
    one, other = ((reply.status, {**reply.json, "request_id": ""}) for reply in replies)
    assert one == other


@pytest.mark.parametrize("path", ["/nowhere", "/api/nothing", "/api/calendars/1/nothing", "/api/calendars//", "/static/no.css"])
def test_an_unknown_path_is_404(cast: Cast, path: str) -> None:
    assert_problem(cast.alice.get(path), 404)


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "TRACE", "CONNECT", "PROPFIND", "WEBSOCKET", "BREW", "get"])
def test_a_known_path_with_another_method_is_405(cast: Cast, method: str) -> None:
    reply = cast.alice.request(method, "/api/calendars")
    assert_problem(reply, 405)
    assert reply.headers["Allow"] == "GET, HEAD, OPTIONS, POST"


@pytest.mark.parametrize("method", ["BREW", "WEBSOCKET", "PATCH"])
def test_an_unknown_path_is_404_with_any_method(client: Client, method: str) -> None:
    assert_problem(client.request(method, "/api/nothing"), 404)


def test_a_conflict_with_the_state_is_409(cast: Cast) -> None:
    assert_problem(cast.alice.delete(f"/api/calendars/{cast.alice.primary_calendar_id}"), 409)
    assert cast.alice.get(f"/api/calendars/{cast.alice.primary_calendar_id}").status == 200


def test_a_taken_name_is_409_names_the_field_and_registers_nobody(cast: Cast) -> None:
    email = f"{uuid4().hex}@example.org"
    registration = {"user_name": cast.alice.user_name.upper(), "email_address": email, "password": PASSWORD}
    reply = cast.anonymous.post("/api/users", json=registration)
    assert_problem(reply, 409)
    assert reply.broken == ["user_name"]
    assert cast.anonymous.post("/api/session", json={"user_name": email, "password": PASSWORD}).status == 401


def _versioned(ctx: Context) -> dict[str, str]:
    """A record in its second version."""
    ctx.require_version("v2")
    ctx.tag("v2")
    return {"version": "v2"}


@pytest.mark.parametrize(("value", "status"), [('"v2"', 200), ('W/"v2"', 200), ('"v1", "v2"', 200), ("*", 200), ('"v1"', 412), ("v2", 412)])
def test_a_stale_if_match_is_412(stage: Stage, value: str, status: int) -> None:
    reply = stage(act("PUT", "/api/things", _versioned)).put("/api/things", headers={"If-Match": value})
    assert reply.status == status
    if status == 412:
        assert_problem(reply, 412)


@pytest.mark.parametrize(("header", "status"), [('"v2"', 304), ('W/"v2"', 304), ('"v1", "v2"', 304), ("*", 304), ('"v1"', 200)])
def test_a_read_that_the_client_has_already_is_304(stage: Stage, header: str, status: int) -> None:
    reply = stage(act("GET", "/api/things", _versioned)).get("/api/things", headers={"If-None-Match": header})
    assert (reply.status, reply.headers["ETag"], bool(reply.content)) == (status, '"v2"', status == 200)


def test_too_large_is_413_and_an_unknown_type_415(cast: Cast) -> None:
    assert_problem(cast.alice.post("/api/calendars", body=b"x" * (1024 * 1024 + 1), headers={"Content-Type": "application/json"}), 413)
    assert_problem(cast.alice.post("/api/calendars", body=b"x", headers={"Content-Type": "text/plain"}), 415)


def test_broken_values_are_422_and_change_nothing(cast: Cast) -> None:
    before = cast.alice.get("/api/calendars?count=true").json["total"]
    reply = cast.alice.post("/api/calendars", json={"name": "Jazz", "color": "red"})
    assert_problem(reply, 422)
    assert reply.broken == ["color"]
    assert "color" in reply.json["detail"]
    assert cast.alice.get("/api/calendars?count=true").json["total"] == before


def test_an_unavailable_database_is_503(tmp_path: Path) -> None:
    settings = Settings(data=str(tmp_path / "data"), access_log="off")
    guest = Client(application(open_database(settings), settings))
    shutil.rmtree(settings.folder)
    for reply in (
        guest.get("/readyz"),
        guest.get("/api/calendars"),
        guest.signed_in("token").post("/api/calendars", json={"name": "Jazz"}),
    ):
        assert_problem(reply, 503)
        assert int(reply.headers["Retry-After"]) > 0
    assert guest.get("/healthz").status == 200


def _fails(ctx: Context) -> dict[str, str]:
    """Write, then raise an unexpected error."""
    ctx.tx.run("UPDATE users SET name = 'spoilt' WHERE id = :id", id=ctx.actor.id if ctx.actor else 0)
    raise ZeroDivisionError("the inside: postgresql://user:secret@host")


def test_an_internal_error_is_500_without_details_and_changes_nothing(cast: Cast, stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    person = stage(act("PUT", "/api/things", _fails)).signed_in(cast.alice.token or "")
    reply = person.put("/api/things", headers={"X-Request-Id": "find-me-again"})
    assert_problem(reply, 500)
    assert not any(word in reply.text for word in ("ZeroDivision", "inside", "secret", "Traceback", ".py"))
    (line,) = [line for line in map(line_of, caplog.records) if line["level"] == "error"]
    assert line["request_id"] == reply.json["request_id"] == "find-me-again"
    assert "ZeroDivisionError" in line["exception"]
    assert cast.alice.get(f"/api/users/{cast.alice.id}").json["name"] == "Alice"


def test_an_error_after_a_write_rolls_it_back(cast: Cast, stage: Stage) -> None:
    alice = cast.alice

    def refuses(ctx: Context) -> dict[str, str]:
        """Write, then refuse."""
        ctx.tx.run("UPDATE users SET name = 'spoilt' WHERE id = :id", id=alice.id)
        raise errors.Conflict("No.")

    assert_problem(stage(act("PUT", "/api/things", refuses)).put("/api/things"), 409)
    assert alice.get(f"/api/users/{alice.id}").json["name"] == "Alice"


@pytest.mark.parametrize(("failures", "status"), [(1, 200), (4, 200), (5, 503)])
def test_an_action_with_a_conflict_is_retried_a_few_times(stage: Stage, failures: int, status: int) -> None:
    runs: list[int] = []

    def contended(ctx: Context) -> dict[str, int]:
        """Conflict with another transaction a few times."""
        runs.append(len(runs))
        ctx.headers["X-Run"] = str(len(runs))
        if len(runs) <= failures:
            raise Retry
        return {"runs": len(runs)}

    reply = stage(act("PUT", "/api/things", contended)).put("/api/things")
    assert reply.status == status
    if status == 503:
        assert_problem(reply, 503)
        assert int(reply.headers["Retry-After"]) > 0
    else:
        assert (reply.json["runs"], reply.headers["X-Run"]) == (failures + 1, str(failures + 1))


@pytest.mark.parametrize("trouble", [errors.Unavailable("Try again."), Retry()])
def test_a_failure_after_the_commit_does_not_change_the_reply(stage: Stage, trouble: Exception) -> None:
    def done(ctx: Context) -> dict[str, bool]:
        """Leave something for afterwards."""

        def fail(tx: object) -> None:
            raise trouble

        ctx.after_commit.append(fail)
        return {"done": True}

    reply = stage(act("PUT", "/api/things", done)).put("/api/things")
    assert (reply.status, reply.json) == (200, {"done": True})


def test_each_reply_has_a_unique_request_id(client: Client) -> None:
    ids = [client.get(path).headers["X-Request-Id"] for path in ("/healthz", "/healthz", "/api/calendars", "/nowhere", "/docs")]
    assert len(set(ids)) == len(ids)


def test_a_plain_request_id_of_the_client_is_used(client: Client) -> None:
    assert client.get("/api/calendars", headers={"X-Request-Id": "trace-1234.ab_C"}).json["request_id"] == "trace-1234.ab_C"
    for odd in ("short", "x" * 65, "with space", "semi;colon", "<script>alert</script>", "é" * 8, ""):
        assert client.get("/healthz", headers={"X-Request-Id": odd}).headers["X-Request-Id"] != odd


@pytest.mark.parametrize(
    "path", ["/api/session/%00", "/api/session/a%00b", "/api/session/%ED%A0%80", "/api/session/%FF", "/api/session/a%0Ab"]
)
@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_a_path_that_is_not_valid_text_is_404(cast: Cast, path: str, method: str) -> None:
    assert_problem(cast.alice.request(method, path), 404)


def test_problems_are_json_that_any_parser_reads(cast: Cast) -> None:
    reply = cast.alice.put("/api/calendars/1/share", json={"user_name": 'no"body\\é😀'})
    assert json.loads(reply.content)["status"] == 404


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({}, "required"),
        ({"name": " "}, "required"),
        ({"name": 7}, "wrong_type"),
        ({"name": "x" * 201}, "too_long"),
        ({"name": "a\x00b"}, "invalid_format"),
        ({"name": "Jazz", "color": "red"}, "invalid_format"),
        ({"name": "Jazz", "public": "maybe"}, "wrong_type"),
        ({"name": "Jazz", "moderation": "some"}, "not_a_choice"),
        ({"name": "Jazz", "time_zone": "Mars"}, "not_a_choice"),
        ({"name": "Jazz", "colour": "red"}, "unknown"),
    ],
)
def test_a_broken_field_has_a_code(cast: Cast, fields: dict[str, Any], code: str) -> None:
    reply = cast.alice.post("/api/calendars", json=fields, headers={"Prefer": "handling=strict"})
    assert [error["code"] for error in reply.json["errors"]] == [code], reply


@pytest.mark.parametrize(
    ("query", "code"),
    [("limit=-1", "too_small"), ("limit=99999999999999999999", "wrong_type"), ("calendar_id=9223372036854775808", "too_large")],
)
def test_a_number_out_of_bounds_says_on_which_side(client: Client, query: str, code: str) -> None:
    assert [error["code"] for error in client.get(f"/api/events?{query}").json["errors"]] == [code]


def test_the_error_type_distinguishes_a_missing_login_from_a_wrong_one(cast: Cast) -> None:
    wrong = cast.anonymous.post("/api/session", json={"user_name": cast.alice.user_name, "password": "wrong-password"})
    replies = [cast.anonymous.get("/api/calendars"), cast.anonymous.signed_in("wrong").get("/api/calendars"), wrong]
    assert [(reply.status, reply.json["type"].partition("#")[2]) for reply in replies] == [
        (401, "sign-in-required"),
        (401, "invalid-token"),
        (401, "wrong-credentials"),
    ]
    assert "Sign in first" not in wrong.text
