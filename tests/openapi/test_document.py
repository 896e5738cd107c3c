"""GET /api/openapi.json: valid OpenAPI, and every endpoint in it with all that a client needs to know."""

from collections.abc import Iterator
from typing import Any

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from kalends.app.application import ENDPOINTS
from kalends.core.settings import Settings
from kalends.http.endpoint import Endpoint
from kalends.http.input.fields import fields_of
from kalends.http.input.options import split_annotated
from tests.cast import Cast, an_event
from tests.client import Client
from tests.questions.asking import a_menu

pytestmark = pytest.mark.on_one_database

DESCRIBED = [endpoint for endpoint in ENDPOINTS if endpoint.path.startswith("/api/")]


@pytest.fixture
def document(client: Client) -> dict[str, Any]:
    reply = client.get("/api/openapi.json")
    assert reply.status == 200
    body: dict[str, Any] = reply.json
    return body


def _name(endpoint: Endpoint) -> str:
    return f"{endpoint.method} {endpoint.url}"


def _operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield f"{method.upper()} {path}", operation


def test_the_openapi_document_is_valid(document: dict[str, Any]) -> None:
    assert [str(error) for error in OpenAPIV31SpecValidator(document).iter_errors()] == []


def test_the_openapi_document_has_the_url_of_the_service(document: dict[str, Any], settings: Settings) -> None:
    assert document["servers"] == [{"url": settings.url}]


def test_the_openapi_document_has_every_endpoint_and_nothing_else(document: dict[str, Any]) -> None:
    names = {f"{method} {endpoint.url}" for endpoint in DESCRIBED for method in endpoint.methods if method != "HEAD"}
    assert {name for name, _ in _operations(document)} == names


def test_every_operation_has_a_name_of_its_own(document: dict[str, Any]) -> None:
    names = [operation["operationId"] for _, operation in _operations(document)]
    assert len(names) == len(set(names))
    assert all(name.isidentifier() for name in names)


def test_every_operation_and_resource_is_explained(document: dict[str, Any]) -> None:
    about = {tag["name"]: tag["description"] for tag in document["tags"]}
    for name, operation in _operations(document):
        assert operation["summary"], name
        assert all(about[tag] for tag in operation["tags"]), name


@pytest.mark.parametrize("endpoint", DESCRIBED, ids=_name)
def test_every_parameter_has_a_meaning(endpoint: Endpoint) -> None:
    fields = fields_of(endpoint.params) if endpoint.params else ()
    assert [field.name for field in fields if not split_annotated(field.type)[1].description] == []


def test_every_reply_has_a_schema(document: dict[str, Any]) -> None:
    for name, operation in _operations(document):
        for status, reply in operation["responses"].items():
            if "$ref" not in reply and status != "304":
                assert all(content["schema"] for content in reply["content"].values()), name


def test_every_record_time_is_an_instant(document: dict[str, Any]) -> None:
    for name, schema in document["components"]["schemas"].items():
        for field, kind in schema.get("properties", {}).items():
            if field.endswith("_at"):
                instant = kind.get("anyOf", [kind])[0]
                assert instant.get("format") == "date-time", f"{name}.{field}"


@pytest.mark.parametrize(
    ("status", "header"), [("401", "WWW-Authenticate"), ("429", "Retry-After"), ("503", "Retry-After"), ("422", "X-Request-Id")]
)
def test_errors_have_their_headers(document: dict[str, Any], status: str, header: str) -> None:
    error = document["components"]["responses"][status]
    assert header in error["headers"]
    assert document["components"]["headers"][header]["required"]
    assert list(error["content"]) == ["application/problem+json"]


def test_the_location_of_a_new_record_is_described(document: dict[str, Any]) -> None:
    created = document["paths"]["/api/calendars"]["post"]["responses"]["201"]
    assert "Location" in created["headers"]
    assert created["links"]["update"] == {"operationId": "calendars_update", "parameters": {"calendar_id": "$response.body#/id"}}
    assert "Location" not in document["paths"]["/api/keys"]["post"]["responses"]["201"]["headers"]


def test_the_next_page_of_a_list_is_described(document: dict[str, Any]) -> None:
    assert "Link" in document["paths"]["/api/calendars"]["get"]["responses"]["200"]["headers"]


def test_the_openapi_document_says_which_operations_need_a_login(document: dict[str, Any]) -> None:
    security = {name: operation["security"] for name, operation in _operations(document)}
    assert security["GET /api/calendars"] == [{"bearer": []}, {"cookie": []}]
    assert security["GET /api/calendars/{calendar_id}"] == [{"bearer": []}, {"cookie": []}, {}]


def test_a_password_never_travels_in_an_address(document: dict[str, Any]) -> None:
    for name, operation in _operations(document):
        assert not [p["name"] for p in operation.get("parameters", []) if "password" in p["name"]], name
    assert "requestBody" in document["paths"]["/api/users/{user_id}"]["delete"]


def test_an_update_has_no_defaults(document: dict[str, Any]) -> None:
    """A client that fills them in would overwrite fields that it did not mean to change."""
    for content in document["paths"]["/api/calendars/{calendar_id}"]["put"]["requestBody"]["content"].values():
        assert not [name for name, field in content["schema"]["properties"].items() if "default" in field]


def test_a_login_is_one_of_its_schemas(document: dict[str, Any]) -> None:
    body = document["paths"]["/api/session"]["post"]["requestBody"]
    assert body["required"]
    assert [variant["required"] for variant in body["content"]["application/json"]["schema"]["oneOf"]] == [
        ["user_name", "password"],
        ["ticket", "code"],
        ["passkey"],
        ["wkey"],
        ["digest", "timestamp"],
    ]


def test_a_body_is_json_and_a_file_multipart(document: dict[str, Any]) -> None:
    kinds = {name: list(operation["requestBody"]["content"]) for name, operation in _operations(document) if "requestBody" in operation}
    with_file = {name for name, content in kinds.items() if content == ["multipart/form-data"]}
    assert with_file == {"POST /api/events/import", "POST /api/events/{event_id}/image", "POST /api/contacts/import_file"}
    assert all(content == ["application/json"] for name, content in kinds.items() if name not in with_file)


def test_every_operation_returns_one_type_except_a_bulk_update_and_a_registration_that_may_wait(document: dict[str, Any]) -> None:
    several = [name for name, operation in _operations(document) if "oneOf" in str(operation["responses"])]
    assert sorted(several) == ["PATCH /api/events/{event_id}", "POST /api/users", "PUT /api/events/{event_id}"]


def test_a_reply_with_selected_fields_has_a_schema_of_its_own(document: dict[str, Any]) -> None:
    with_fields = [name for name, operation in _operations(document) if "'name': 'fields'" in str(operation.get("parameters"))]
    several = [name for name, operation in _operations(document) if "anyOf" in str(operation["responses"])]
    assert several == [name for name in with_fields if not name.endswith(".ics")] != []
    schemas = document["components"]["schemas"]
    assert (schemas["EventItemSelection"]["required"], len(schemas["EventItem"]["required"]) > 10) == (["id"], True)
    assert schemas["EventIndexSelection"]["properties"]["events"]["items"]["$ref"] == "#/components/schemas/EventItemSelection"


def test_a_change_is_one_object_for_each_kind_and_one_for_what_is_gone(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    variants = [schemas[each["$ref"].rpartition("/")[2]] for each in schemas["Change"]["oneOf"]]
    constants = [(each["properties"]["kind"].get("const"), each["properties"]["op"]["const"], each["required"][3:]) for each in variants]
    kinds = ["calendar", "event", "series", "comment", "response", "contact"]
    assert constants == [*((kind, "put", [kind]) for kind in kinds), (None, "gone", [])]


def test_the_messages_of_webhooks_are_described(document: dict[str, Any]) -> None:
    bodies = {name: each["post"]["requestBody"]["content"]["application/json"]["schema"] for name, each in document["webhooks"].items()}
    assert {name: body["$ref"].rpartition("/")[2] for name, body in bodies.items()} == {
        "change": "ChangeMessage",
        "ping": "PingMessage",
        "missed": "MissedMessage",
    }
    assert document["components"]["schemas"]["ChangeMessage"]["properties"]["data"]["$ref"] == "#/components/schemas/Change"


def test_an_upsert_takes_its_uid_in_the_query_string_and_may_create_only(document: dict[str, Any]) -> None:
    operation = document["paths"]["/api/events"]["put"]
    parameters = {parameter["name"]: parameter for parameter in operation["parameters"]}
    assert (parameters["uid"]["in"], parameters["uid"]["required"]) == ("query", True)
    assert parameters["If-None-Match"]["in"] == "header"
    body = operation["requestBody"]["content"]["application/json"]["schema"]
    assert ("uid" in body["properties"], "uid" in body["required"]) == (True, False)


def test_a_dry_run_is_described(document: dict[str, Any]) -> None:
    operation = document["paths"]["/api/events"]["post"]
    assert "dry_run" in [parameter["name"] for parameter in operation["parameters"]]
    detail = document["components"]["schemas"]["EventDetail"]
    assert {"would_notify", "would_change"} <= detail["properties"].keys() - set(detail["required"])
    assert "dry_run" not in str(document["paths"]["/api/session"]["post"])


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("GET /api/changes", "410"),
        ("GET /api/changes/stream", "410"),
        ("GET /api/reports", "403"),
        ("GET /api/admin/health", "403"),
        ("PUT /api/calendars/{calendar_id}/share", "429"),
        ("GET /api/calendars/{calendar_id}.ics", "304"),
        ("GET /api/calendars", "500"),
    ],
)
def test_every_status_is_described(document: dict[str, Any], name: str, status: str) -> None:
    assert status in dict(_operations(document))[name]["responses"]


def test_every_field_of_every_reply_is_explained(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    fields = [(f"{name}.{field}", meaning) for name, schema in schemas.items() for field, meaning in schema.get("properties", {}).items()]
    assert [name for name, field in fields if not field.get("description")] == []


def test_every_enumeration_has_a_name(document: dict[str, Any]) -> None:
    named = [schema for schema in document["components"]["schemas"].values() if "enum" in schema]
    assert str(document).count("'enum':") == len(named) > 10


def test_only_listed_rules_go_beyond_the_schema(document: dict[str, Any], cast: Cast) -> None:
    operation = document["paths"]["/api/users/{user_id}"]["put"]
    refused = cast.alice.put(f"/api/users/{cast.alice.id}", json={"password": "a new long password"})
    assert (refused.status, refused.broken) == (422, ["current_password"])
    assert "current_password" in operation["x-rules"]
    assert "is required with a new password" in operation["description"]


@pytest.mark.parametrize(
    ("method", "path", "values", "field"),
    [
        ("put", "/api/events/{event_id}", {"title": "Picnic", "notify": [2**40]}, "notify"),
        ("put", "/api/events", {"uid": "picnic", "title": "Fair", "start_time": "2037-06-02", "notify": [2**40]}, "notify"),
        ("put", "/api/events/{event_id}/repeat", {"frequency": "DAILY", "count": 2, "notify": [2**40]}, "notify"),
        ("post", "/api/changes/{seq}/undo", {"message": "As before"}, "message"),
        ("post", "/api/session", {"ticket": "a", "code": "\t"}, "code"),
        ("put", "/api/my_events/{event_id}", {"on_calendar": False}, "on_calendar"),
        ("put", "/api/my_events/{event_id}", {"response": "YES"}, "answers"),
        ("put", "/api/my_events/{event_id}", {"response": "MAYBE", "number": 4}, "number"),
    ],
)
def test_what_a_schema_cannot_say_is_a_listed_rule(
    document: dict[str, Any], cast: Cast, method: str, path: str, values: dict[str, Any], field: str
) -> None:
    event = an_event(cast.alice, uid="picnic", start_time="2037-06-01", party_max=3)
    a_menu(cast.alice, event, required=True)
    seq = cast.alice.get(f"/api/events/{event['id']}/changes").json["changes"][0]["seq"]
    url = path.format(event_id=event["id"], seq=seq)
    refused = cast.alice.request(method.upper(), url, json=values)
    assert (refused.status, refused.broken) == (422, [field])
    assert field in document["paths"][path][method]["x-rules"]


def test_a_list_of_values_is_described_as_a_list(document: dict[str, Any]) -> None:
    audience = document["components"]["schemas"]["ReminderItem"]["properties"]["audience"]
    assert (audience["type"], audience["items"]) == ("array", {"$ref": "#/components/schemas/ReminderAudience"})


def test_a_registration_that_waits_is_no_account(document: dict[str, Any]) -> None:
    """A reply must be valid under one of the two schemas alone."""
    schemas = document["components"]["schemas"]
    assert schemas["RegistrationStatus"]["enum"] == ["waiting"]
    assert "RegistrationStatus" in str(schemas["RegistrationWaiting"]["properties"]["status"])
    assert "id" in schemas["UserDetail"]["required"]


def test_fields_of_the_same_name_have_the_types_of_their_records(document: dict[str, Any]) -> None:
    """`response` of a change is a record, elsewhere it is one of three words."""
    schemas = document["components"]["schemas"]
    assert schemas["ResponsePut"]["properties"]["response"]["$ref"] == "#/components/schemas/ResponseItem"
    assert schemas["ResponseItem"]["properties"]["response"]["$ref"] == "#/components/schemas/Attendance"
    assert {"$ref": "#/components/schemas/Notice"} in schemas["DeliveryItem"]["properties"]["notice"]["anyOf"]
    assert {"response_changed", "response_removed", "place_granted"} <= set(schemas["Notice"]["enum"])


def test_the_document_says_which_actions_refuse_unknown_fields(document: dict[str, Any]) -> None:
    closed = {
        f"{method} {path}"
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if isinstance(operation, dict)
        for content in operation.get("requestBody", {}).get("content", {}).values()
        if content["schema"].get("additionalProperties") is False
    }
    assert {"post /api/keys", "post /api/sources", "post /api/webhooks"} <= closed
    assert "post /api/events" not in closed
