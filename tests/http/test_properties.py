"""Properties of every request: whatever is sent, the reply has a documented shape, and text is returned unchanged."""

import json
import unicodedata
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kalends.core.values import text
from tests.cast import Cast, a_calendar
from tests.client import Client, Reply
from tests.http.multipart import BOUNDARY, multipart

pytestmark = pytest.mark.on_one_database

FIELDS = ["name", "description", "color", "time_zone", "public", "moderation", "calendar", "limit", "x", ""]
KINDS = [
    "application/json",
    "application/x-www-form-urlencoded",
    f"multipart/form-data; boundary={BOUNDARY}",
    "multipart/form-data",
    "text/plain",
    "",
]

any_text = st.text(st.characters(codec=None), max_size=30)
plain_text = st.text(st.characters(codec="utf-8"), max_size=30)
any_json: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | any_text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(any_text, inner, max_size=4),
    max_leaves=12,
)
any_header = st.text(st.characters(min_codepoint=32, max_codepoint=255, exclude_characters="\x7f"), max_size=40)


def assert_handled(reply: Reply, *allowed: int) -> None:
    """The reply has one of these statuses, and the shape of that status."""
    assert reply.status in allowed, reply
    body = json.loads(reply.content)
    if reply.status >= 400:
        assert set(body) == {"type", "title", "status", "detail", "errors", "request_id"}
        assert body["status"] == reply.status
        assert reply.headers["Content-Type"] == "application/problem+json"


@given(body=st.dictionaries(st.sampled_from(FIELDS) | any_text, any_json, max_size=6), strict=st.booleans())
@example(body={"name": "\ud800"}, strict=True)
@example(body={"\ud800": {"\x00": 1}, "name": "x"}, strict=True)
@example(body={"calendar": {"calendar": {"name": "x"}}}, strict=True)
def test_any_json_object_is_accepted_or_refused(cast: Cast, body: dict[str, Any], strict: bool) -> None:
    headers = {"Content-Type": "application/json"} | ({"Prefer": "handling=strict"} if strict else {})
    assert_handled(cast.alice.post("/api/calendars", body=json.dumps(body), headers=headers), 201, 422)


@given(body=st.binary(max_size=80) | any_json.map(json.dumps).map(str.encode), kind=st.sampled_from(KINDS))
def test_any_bytes_are_accepted_or_refused(cast: Cast, body: bytes, kind: str) -> None:
    assert_handled(cast.alice.post("/api/calendars", body=body, headers={"Content-Type": kind}), 201, 400, 415, 422)


@given(
    head=st.binary(max_size=60)
    | st.sampled_from([b'Content-Disposition: form-data; name="name"', b"Content-Disposition: form-data; name=x"]),
    content=st.binary(max_size=40),
    tail=st.sampled_from([b"--", b"", b"\r\n", b"\r\n--"]),
)
def test_any_multipart_is_accepted_or_refused(cast: Cast, head: bytes, content: bytes, tail: bytes) -> None:
    body = f"--{BOUNDARY}\r\n".encode() + head + b"\r\n\r\n" + content + f"\r\n--{BOUNDARY}".encode() + tail
    assert_handled(cast.alice.post("/api/calendars", body=body, headers={"Content-Type": KINDS[2]}), 201, 400, 422)


@given(query=st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=40) | plain_text.map(lambda t: f"limit={quote(t)}"))
def test_any_query_is_read_or_refused(cast: Cast, query: str) -> None:
    assert_handled(cast.alice.get("/api/calendars", query_string=query.lstrip("?")), 200, 400, 422)


@given(
    words=st.lists(plain_text | st.sampled_from(["calendars", "session", "keys", "users", "current", "1", "new", "."]), max_size=4).filter(
        any
    )
)
def test_any_path_gets_an_expected_status(cast: Cast, words: list[str]) -> None:
    path = "/api/" + "/".join(quote(word, safe="") for word in words)
    assert_handled(cast.alice.get(path), 200, 404, 405)


NAMES = [
    "Accept",
    "Authorization",
    "Content-Encoding",
    "Content-Type",
    "Cookie",
    "If-Match",
    "If-None-Match",
    "Origin",
    "Prefer",
    "Sec-Fetch-Site",
    "X-Forwarded-For",
    "X-Request-Id",
]


@given(headers=st.dictionaries(st.sampled_from(NAMES), any_header, max_size=4))
@example(headers={"Origin": "http://["})
@example(headers={"Cookie": "kalends_session=x", "Origin": "//["})
def test_any_headers_get_an_expected_status(client: Client, headers: dict[str, str]) -> None:
    assert_handled(client.get("/api/users/new", headers=headers), 200, 401)
    assert_handled(client.post("/api/session", body="{}", headers=headers), 401, 403, 415, 422)


@given(name=any_text)
@example(name="\x1f")
@example(name="\u2028name\u2028")
@example(name="\u0344")
def test_a_name_is_stored_normalised_and_stripped_or_refused(cast: Cast, name: str) -> None:
    reply = cast.alice.post("/api/calendars", body=json.dumps({"name": name}), headers={"Content-Type": "application/json"})
    if reply.status == 201:
        stored = reply.json["name"]
        assert stored == unicodedata.normalize("NFC", stored) == stored.strip()
        assert unicodedata.normalize("NFC", name).strip() == stored
        assert not any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in stored)
        assert cast.alice.get(reply.headers["Location"]).json["name"] == stored
    else:
        assert (reply.status, reply.broken) == (422, ["name"])
        assert not name.strip() or any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in name)


@given(fields=st.dictionaries(st.sampled_from(FIELDS[:6]), plain_text | st.sampled_from(["yes", "#aabbcc", "UTC", "all"]), max_size=6))
def test_every_parameter_format_gives_the_same_reply(cast: Cast, fields: dict[str, str]) -> None:
    wrapped = {f"calendar[{name}]": value for name, value in fields.items()}
    replies = [
        cast.alice.post("/api/calendars", json=fields),
        cast.alice.post("/api/calendars", data=fields),
        cast.alice.post("/api/calendars", query_string=urlencode(fields)),
        cast.alice.post("/api/calendars", data=wrapped),
        cast.alice.post("/api/calendars", json={"calendar": fields}),
        cast.alice.post("/api/calendars", **multipart(fields)),
    ]
    # Each calendar without a colour gets one of its own.
    ignored = {"id", "feed_url", "request_id"} | ({"color"} - fields.keys())
    same = [(reply.status, {n: v for n, v in reply.json.items() if n not in ignored}) for reply in replies]
    assert all(one == same[0] for one in same)


@given(number=st.integers(-(2**70), 2**70) | st.sampled_from([2**63 - 1, 2**63, 0, -1]))
def test_a_natural_number_of_64_bits_is_an_offset_and_no_other(cast: Cast, number: int) -> None:
    expected = 200 if 0 <= number < 2**63 else 422
    assert cast.alice.get(f"/api/calendars?offset={number}").status == expected
    assert cast.alice.request("GET", "/api/calendars", json={"offset": number}).status == expected


@given(description=plain_text)
def test_update_accepts_the_fields_of_edit_unchanged(cast: Cast, description: str) -> None:
    calendar = a_calendar(cast.alice)
    path = f"/api/calendars/{calendar['id']}"
    if cast.alice.put(path, json={"description": description}).status == 200:
        editable = cast.alice.get(f"{path}/edit").json
        assert cast.alice.put(path, json=editable).status == 200
        assert cast.alice.get(f"{path}/edit").json == editable


@given(value=plain_text, lines=st.booleans())
def test_cleaning_twice_changes_nothing_more(value: str, lines: bool) -> None:
    try:
        cleaned = text.clean(value, lines=lines)
    except ValueError:
        return
    assert text.clean(cleaned, lines=lines) == cleaned


@given(value=st.text(st.characters(codec="utf-8"), max_size=10))
def test_a_key_is_the_same_for_every_spelling(value: str) -> None:
    key = text.fold_case(value)
    assert text.fold_case(key) == key
    for form in ("NFC", "NFD"):
        assert text.fold_case(unicodedata.normalize(form, value)) == key
