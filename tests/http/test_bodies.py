"""Bodies: too large, too deep, too many keys, of an unknown type, or not readable at all."""

import gzip
import json
from typing import Annotated, Any

import pytest
from msgspec import Meta, Struct

from kalends.http.context import Context
from kalends.http.input.multipart import Upload
from tests.cast import Cast, a_calendar
from tests.client import Client, Reply
from tests.http.conftest import Stage, act
from tests.http.multipart import BOUNDARY, multipart, of_parts

# Requests are parsed before any database is used.
pytestmark = pytest.mark.on_one_database

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
MIB = 1024 * 1024


def _post_body(owner: Client, body: str | bytes, kind: str | None = JSON) -> Reply:
    return owner.post("/api/calendars", body=body, headers={"Content-Type": kind} if kind else {})


@pytest.mark.parametrize(
    "body",
    [
        '{"name": "Jazz"',
        '{"name": Jazz}',
        "{'name': 'Jazz'}",
        '{"name": "Jazz",}',
        '{"name": "Jazz"} {}',
        "name=Jazz",
        "{",
        '"',
        "\x00",
        '{"name": "Ja\nzz"}',
        '{"name": "\\x41"}',
        '{"name": "\\ud8"}',
        '{"offset": 01}',
        '{"offset": NaN}',
        '{"offset": Infinity, "name": "\\ud800"}',
        '{"offset": -Infinity}',
    ],
)
def test_malformed_json_cannot_be_read(cast: Cast, body: str) -> None:
    reply = _post_body(cast.alice, body)
    assert reply.status == 400
    assert reply.json["errors"] == []


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b'{"name": "Ja\xffzz"}', JSON),
        (b'{"Ja\xffzz": 1}', JSON),
        (b'{"name": "\xed\xa0\x80"}', JSON),
        (b'{"name": "\\ud800 \xff"}', JSON),
        (b'{"name": "\xc0\x80"}', JSON),
        ('{"name": "Jazz"}'.encode("utf-16"), JSON),
        (b"name=Ja\xffzz", FORM),
        (b"name=Ja%FFzz", FORM),
        (b"na%FFme=Jazz", FORM),
        (b"name=%ED%A0%80", FORM),
        (b"name=%C0%80", FORM),
    ],
)
def test_invalid_utf_8_cannot_be_read(cast: Cast, body: bytes, kind: str) -> None:
    assert _post_body(cast.alice, body, kind).status == 400


@pytest.mark.parametrize("about", [b'form-data; name="na\xffme"', b'form-data; name="name"; filename="\xff.ics"'])
def test_a_multipart_name_in_invalid_utf_8_cannot_be_read(cast: Cast, about: bytes) -> None:
    options = of_parts([("ABOUT", b"Jazz")])
    options["body"] = options["body"].replace(b"ABOUT", about)
    assert cast.alice.post("/api/calendars", **options).status == 400


def test_multipart_text_in_invalid_utf_8_cannot_be_read(cast: Cast) -> None:
    assert cast.alice.post("/api/calendars", **of_parts([('form-data; name="name"', b"Ja\xffzz")])).status == 400


@pytest.mark.parametrize("encoded", ["%", "%z", "%zz", "%4", "Jazz%", "%u00e9", "%%20"])
def test_bad_percent_encoding_cannot_be_read(cast: Cast, encoded: str) -> None:
    assert _post_body(cast.alice, f"name={encoded}", FORM).status == 400
    assert cast.alice.get(f"/api/calendars?limit={encoded}").status == 400
    assert cast.alice.get(f"/api/calendars?{encoded}=1").status == 400


@pytest.mark.parametrize("query", ["x=%zz", "x=%FF"])
def test_an_unreadable_body_is_an_error_even_for_an_action_without_parameters(cast: Cast, query: str) -> None:
    assert cast.alice.get(f"/api/calendars/new?{query}").status == 400


def test_a_delete_with_a_body_that_cannot_be_read_deletes_nothing(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    path = f"/api/calendars/{calendar['id']}"
    assert cast.alice.delete(path, body="{", headers={"Content-Type": JSON}).status == 400
    assert cast.alice.get(path).status == 200


@pytest.mark.parametrize("body", ["[]", "[1, 2]", '"Jazz"', "5", "true", "null", '[{"name": "Jazz"}]'])
def test_a_json_body_is_an_object(cast: Cast, body: str) -> None:
    assert _post_body(cast.alice, body).status == 422


def test_a_byte_order_mark_does_no_harm(cast: Cast) -> None:
    assert _post_body(cast.alice, b'\xef\xbb\xbf{"name": "Jazz"}').json["name"] == "Jazz"


@pytest.mark.parametrize("kind", [JSON, FORM, None, "text/plain"])
def test_an_empty_body_is_no_body(cast: Cast, kind: str | None) -> None:
    reply = _post_body(cast.alice, "", kind)
    assert (reply.status, reply.broken) == (422, ["name"])
    assert cast.alice.post("/api/calendars?name=Jazz", body="", headers={"Content-Type": kind} if kind else {}).status == 201


@pytest.mark.parametrize(
    "kind", ["application/json; charset=utf-8", "Application/JSON", "application/vnd.api+json", "application/json ;x=y"]
)
def test_json_is_accepted_under_several_media_types(cast: Cast, kind: str) -> None:
    assert _post_body(cast.alice, '{"name": "Jazz"}', kind).status == 201


@pytest.mark.parametrize("kind", ["text/plain", "application/xml", "text/json", "application/octet-stream", "json", "*/*", "", None])
def test_a_body_whose_type_is_not_known_is_415(cast: Cast, kind: str | None) -> None:
    assert _post_body(cast.alice, '{"name": "Jazz"}', kind).status == 415


def test_a_compressed_body_is_415(cast: Cast) -> None:
    headers = {"Content-Type": JSON, "Content-Encoding": "gzip"}
    assert cast.alice.post("/api/calendars", body=gzip.compress(b'{"name": "Jazz"}'), headers=headers).status == 415


def _padded(size: int) -> bytes:
    """A valid request of exactly this many bytes."""
    start = b'{"name": "Jazz", "ignored": "'
    return start + b"x" * (size - len(start) - 2) + b'"}'


def test_a_body_has_at_most_one_mebibyte(cast: Cast) -> None:
    assert _post_body(cast.alice, _padded(MIB)).status == 201
    assert _post_body(cast.alice, _padded(MIB + 1)).status == 413
    assert _post_body(cast.alice, b"name=Jazz&x=" + b"x" * MIB, FORM).status == 413
    assert _post_body(cast.alice, b"x" * (MIB + 1), "text/plain").status == 413


def test_multipart_does_not_evade_the_size_limit(cast: Cast) -> None:
    assert cast.alice.post("/api/calendars", **multipart({"name": "Jazz", "ignored": "x" * MIB})).status == 413


class Letter(Struct, kw_only=True):
    file: Annotated[Upload, Meta(description="The letter itself.")]
    note: str | None = None


def _size(ctx: Context, params: Letter) -> dict[str, Any]:
    """Return the size and the name of the file, and the note."""
    return {"size": len(params.file.content), "filename": params.file.filename, "note": params.note}


def test_an_upload_has_at_most_ten_mebibytes(stage: Stage) -> None:
    post = stage(act("POST", "/api/letters", _size, guests=True))
    largest = b"x" * (10 * MIB)
    fits = post.post("/api/letters", **multipart({"note": "x" * 1000}, [("file", "a.ics", largest)]))
    assert fits.json == {"size": 10 * MIB, "filename": "a.ics", "note": "x" * 1000}
    assert post.post("/api/letters", **multipart(files=[("file", "a.ics", largest + b"x")])).status == 413
    assert post.post("/api/letters", body=_padded(MIB + 1), headers={"Content-Type": JSON}).status == 413


def test_an_upload_keeps_its_bytes_and_its_name(stage: Stage) -> None:
    post = stage(act("POST", "/api/letters", _size, guests=True))
    reply = post.post("/api/letters", **multipart({"letter[note]": "é"}, [("letter[file]", "Fête.ics", b"\xff\x00\r\n--")]))
    assert reply.json == {"size": 6, "filename": "Fête.ics", "note": "é"}


@pytest.mark.parametrize("options", [{"json": {"file": "a.ics"}}, multipart({"file": "a.ics"}), multipart(files=[("file", "", b"")])])
def test_a_text_and_an_empty_file_input_are_no_uploads(stage: Stage, options: dict[str, Any]) -> None:
    reply = stage(act("POST", "/api/letters", _size, guests=True)).post("/api/letters", **options)
    assert (reply.status, reply.broken) == (422, ["file"])


def test_an_upload_is_no_text(cast: Cast) -> None:
    reply = cast.alice.post("/api/calendars", **multipart(files=[("name", "a.txt", b"Jazz"), ("public", "b.txt", b"true")]))
    assert (reply.status, reply.broken) == (422, ["name", "public"])


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"", "multipart/form-data; boundary=x; y"),
        (b"nothing", f"multipart/form-data; boundary={BOUNDARY}"),
        (multipart({"name": "Jazz"})["body"], "multipart/form-data"),
        (multipart({"name": "Jazz"})["body"], "multipart/form-data; boundary="),
        (multipart({"name": "Jazz"})["body"], "multipart/form-data; boundary=another"),
        (multipart({"name": "Jazz"})["body"], f"multipart/form-data; boundary={'x' * 71}"),
        (multipart({"name": "Jazz"})["body"][:-10], f"multipart/form-data; boundary={BOUNDARY}"),
        (multipart({"name": "Jazz"})["body"][:40], f"multipart/form-data; boundary={BOUNDARY}"),
    ],
)
def test_broken_multipart_cannot_be_read(cast: Cast, body: bytes, kind: str) -> None:
    assert _post_body(cast.alice, body, kind).status == (400 if body else 422)


@pytest.mark.parametrize("inner", ['{"x":', "["])
def test_eight_nested_levels_are_read_and_nine_are_refused(cast: Cast, inner: str) -> None:
    close = "}" if inner.startswith("{") else "]"

    def body(depth: int) -> str:
        return '{"name": "Jazz", "ignored": ' + inner * (depth - 1) + "1" + close * (depth - 1) + "}"

    assert _post_body(cast.alice, body(8)).status == 201
    assert _post_body(cast.alice, body(9)).status == 422


@pytest.mark.parametrize("start", ['{"name": "Jazz", "x": ', '{"name": "\\ud800", "x": ', ""])
@pytest.mark.parametrize("inner", ['{"x":', "["])
def test_a_hundred_thousand_nested_levels_are_refused(cast: Cast, start: str, inner: str) -> None:
    reply = _post_body(cast.alice, start + inner * 100_000)
    assert reply.status == 422
    assert "deep" in reply.json["detail"]


def test_bracketed_names_have_the_same_nesting_limit(cast: Cast) -> None:
    for depth, status in ((8, 201), (9, 422), (2_000, 422)):
        name = "x" + "[x]" * (depth - 1)
        assert _post_body(cast.alice, f"name=Jazz&{name}=1", FORM).status == status
        assert cast.alice.post("/api/calendars", **multipart({"name": "Jazz", name: "1"})).status == status


def test_a_request_has_at_most_a_thousand_keys(cast: Cast) -> None:
    for extra, status in ((999, 201), (1_000, 422)):
        fields = {"name": "Jazz"} | {f"x{i}": "1" for i in range(extra)}
        assert cast.alice.post("/api/calendars", json=fields).status == status
        assert cast.alice.post("/api/calendars", data=fields).status == status
        assert cast.alice.post("/api/calendars", **multipart(fields)).status == status
        assert cast.alice.post("/api/calendars", query=fields).status == status
    assert _post_body(cast.alice, json.dumps({"name": "Jazz", "x": [{"a": 1, "b": 2}] * 500})).status == 422


@pytest.mark.parametrize(
    "query",
    ["&", "&&&", "=", "=1", "limit", "limit=", "[]=1", "[", "]", "a[", "a]b=1", "[x]=1", "limit]=2", "a[b]c=1", "a?b", "#", "+=+", "a;b"],
)
def test_malformed_query_strings_are_tolerated(cast: Cast, query: str) -> None:
    reply = cast.alice.get(f"/api/calendars?{query}")
    assert (reply.status, reply.json["limit"]) == (200, 50)


@pytest.mark.parametrize("query", ["limit[x]=1", "limit[]=1", "limit[][x]=1", "limit=1&limit[x]=2"])
def test_an_integer_is_not_nested(cast: Cast, query: str) -> None:
    reply = cast.alice.get(f"/api/calendars?{query}")
    assert (reply.status, reply.broken) == (422, ["limit"])


@pytest.mark.parametrize("query", ["calendar=1&limit=2", "calendar[x]=1&limit=2", "calendar[limit]=2", "calendar[]=1&limit=2"])
def test_the_wrapper_is_only_read_as_one_when_it_wraps(cast: Cast, query: str) -> None:
    reply = cast.alice.get(f"/api/calendars?{query}")
    assert (reply.status, reply.json["limit"]) == (200, 2)
