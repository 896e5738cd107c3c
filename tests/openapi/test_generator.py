"""The OpenAPI document of endpoints with lists, files, objects, feeds, versions and rules."""

from typing import Annotated, Any, ClassVar

import pytest
from msgspec import Meta, Struct
from openapi_spec_validator import OpenAPIV31SpecValidator

from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.fields import Changes
from kalends.http.input.multipart import Upload
from kalends.http.input.options import StructOptions
from kalends.http.input.types import Name
from kalends.http.openapi.document import document
from tests.http.conftest import act

Id = Annotated[int, Meta(ge=1)]


class Page(Struct, kw_only=True):
    limit: Annotated[int, Meta(ge=0, description="How many.")] = 10


class Show(Struct, kw_only=True):
    ids: Annotated[list[Id], Meta(description="Which ones.")] | None = None
    tags: Annotated[list[Name], Meta(description="With these tags.")] | None = None
    comments: Annotated[Page, Meta(description="The comments.")] | None = None


class Meeting(Struct, kw_only=True):
    OPTIONS: ClassVar = StructOptions(rules={"end": "must not be before start"})

    start: Annotated[Name, Meta(description="When it begins.")]
    end: Annotated[Name, Meta(description="When it ends.")] | None = None
    ids: Annotated[list[Id], Meta(description="Others.")] | None = None
    comments: Annotated[Page, Meta(description="The comments.")] | None = None
    picture: Annotated[Upload, Meta(description="A picture.")] | None = None


class File(Struct, kw_only=True):
    file: Annotated[Upload, Meta(description="What to read.")]
    name: Annotated[Name, Meta(description="What to call it.")] | None = None


class MeetingDetail(Struct):
    """A meeting."""

    id: int
    start: str


def show(ctx: Context, meeting_id: int, params: Show) -> MeetingDetail:
    """The meeting."""
    raise NotImplementedError


def create(ctx: Context, params: Meeting) -> MeetingDetail:
    """Make a meeting."""
    raise NotImplementedError


def update(ctx: Context, meeting_id: int, params: Changes[Meeting]) -> MeetingDetail:
    """Change the meeting."""
    raise NotImplementedError


def read(ctx: Context, params: File) -> MeetingDetail:
    """Read a file."""
    raise NotImplementedError


def feed(ctx: Context) -> Document:
    """The meetings, for calendars."""
    raise NotImplementedError


@pytest.fixture(scope="module")
def paths() -> dict[str, Any]:
    described = document(
        [
            act("GET", "/api/meetings/{meeting_id}", show, etag=True, guests=True),
            act("POST", "/api/meetings", create, status=201),
            act("PUT", "/api/meetings/{meeting_id}", update, etag=True),
            act("POST", "/api/meetings/read", read),
            act("GET", "/api/meetings.ics", feed),
        ],
        "http://testserver",
    )
    assert [str(error) for error in OpenAPIV31SpecValidator(described).iter_errors()] == []
    operations: dict[str, Any] = described["paths"]
    return operations


def test_a_list_in_a_query_string_is_an_array_as_every_client_writes_it(paths: dict[str, Any]) -> None:
    parameters = {p["name"]: p for p in paths["/api/meetings/{meeting_id}"]["get"]["parameters"]}
    for name in ("ids", "tags"):
        assert (parameters[name]["schema"]["type"], "style" in parameters[name]) == ("array", False)


def test_an_object_in_a_query_string_has_bracketed_names(paths: dict[str, Any]) -> None:
    parameters = {p["name"]: p for p in paths["/api/meetings/{meeting_id}"]["get"]["parameters"]}
    assert "comments" not in parameters
    assert parameters["comments[limit]"]["schema"] == {
        "type": "integer",
        "format": "int64",
        "minimum": 0,
        "maximum": 2**63 - 1,
        "default": 10,
    }


def test_an_object_is_an_object_in_json_and_may_be_null(paths: dict[str, Any]) -> None:
    schema = paths["/api/meetings"]["post"]["requestBody"]["content"]["application/json"]["schema"]["properties"]["comments"]
    assert schema["type"] == ["object", "null"]
    assert schema["properties"]["limit"]["default"] == 10


def test_a_file_travels_in_multipart_and_one_that_may_be_left_out_is_not_described(paths: dict[str, Any]) -> None:
    content = paths["/api/meetings"]["post"]["requestBody"]["content"]
    assert "picture" not in content["application/json"]["schema"]["properties"]
    body = paths["/api/meetings/read"]["post"]["requestBody"]
    assert (list(body["content"]), body["required"]) == (["multipart/form-data"], True)
    assert body["content"]["multipart/form-data"]["schema"]["properties"]["file"]["format"] == "binary"


def test_an_etag_is_a_parameter_and_a_header_of_the_reply(paths: dict[str, Any]) -> None:
    show, update = paths["/api/meetings/{meeting_id}"]["get"], paths["/api/meetings/{meeting_id}"]["put"]
    assert "If-None-Match" in [p["name"] for p in show["parameters"]]
    assert "ETag" in show["responses"]["200"]["headers"]
    assert "content" not in show["responses"]["304"]
    assert "If-Match" in [p["name"] for p in update["parameters"]]
    assert "412" in update["responses"]
    assert "412" not in paths["/api/meetings"]["post"]["responses"]


def test_a_rule_between_fields_is_described(paths: dict[str, Any]) -> None:
    for operation in (paths["/api/meetings"]["post"], paths["/api/meetings/{meeting_id}"]["put"]):
        assert operation["x-rules"]["end"] == "must not be before start"
        assert "`end` must not be before start." in operation["description"]


def test_an_update_may_leave_everything_out(paths: dict[str, Any]) -> None:
    body = paths["/api/meetings/{meeting_id}"]["put"]["requestBody"]
    assert not body["required"]
    assert "required" not in body["content"]["application/json"]["schema"]


def test_a_feed_has_its_own_path_and_type(paths: dict[str, Any]) -> None:
    operation = paths["/api/meetings.ics"]["get"]
    assert operation["operationId"] == "meetings_feed_ics"
    assert list(operation["responses"]["200"]["content"]) == ["text/calendar"]


def test_only_possible_replies_are_described(paths: dict[str, Any]) -> None:
    errors = {
        name: set(paths[path][method]["responses"])
        for name, path, method in [
            ("show", "/api/meetings/{meeting_id}", "get"),
            ("create", "/api/meetings", "post"),
            ("feed", "/api/meetings.ics", "get"),
        ]
    }
    # A key without the scope gets 403.
    assert errors["feed"] == {"200", "400", "401", "403", "422", "500", "503"}
    assert {"404", "403"} <= errors["show"]
    assert not {"409", "413", "415", "429"} & errors["show"]
    assert {"403", "404", "408", "409", "413", "415"} <= errors["create"]
