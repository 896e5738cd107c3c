"""The contract of the API: every reply that a test receives, and every delivery of a webhook, must be as the OpenAPI document declares it.

Objects are closed here: a field that the document does not have fails, though clients must ignore it, since a later version may add it."""

import gzip
import json
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from typing import Any, get_type_hints

import jsonschema_rs

from kalends.app.application import ENDPOINTS
from kalends.features.reference.api import openapi_document
from kalends.http.endpoint import Endpoint
from kalends.http.openapi.responses import kinds_of
from kalends.http.reply import Reply
from kalends.http.request import Request

DOCUMENT = "urn:openapi"
SCHEMA = f"{DOCUMENT}#/components/schemas/{{name}}"
MAX_COMPLAINTS = 5
ADVICE = {
    "status": "Declare the status in `_failures` of kalends/http/openapi/responses.py, or `status` and `other_status` of the endpoint.",
    "header": "Declare the header field in HEADERS and `_header_names` of kalends/http/openapi/responses.py.",
    "field": "Declare the field, with its type and its meaning, in the Struct of the reply (model.py of the feature).",
}
# Of any HTTP response: they say nothing about the record.
COMMON = {
    *("cache-control", "connection", "content-encoding", "content-length", "content-security-policy", "content-type", "vary"),
    *("cross-origin-opener-policy", "cross-origin-resource-policy", "referrer-policy", "strict-transport-security"),
    "x-content-type-options",
}
CORS = "access-control-"

_described = {id(endpoint) for endpoint in ENDPOINTS}


def check(request: Request, reply: Reply) -> None:
    """Fail if the document does not declare the reply."""
    endpoint = request.endpoint
    # Of other services, and of requests that another process routed.
    is_other = id(endpoint) not in _described if endpoint else request.refusal is None
    if is_other or not request.path.startswith("/api/") or request.method in ("HEAD", "OPTIONS"):
        return
    declared = _declared(endpoint, reply.status)
    complaints = _complaints(declared, endpoint, reply) if declared else [f"the status is not declared. {ADVICE['status']}"]
    _refuse(f"{request.method} {endpoint.url if endpoint else request.path} → {reply.status}", complaints, reply.body)


def check_webhook(body: bytes) -> None:
    """Fail if the document does not declare the delivery of a webhook."""
    kind = {"ping": "PingMessage", "changes.missed": "MissedMessage"}.get(json.loads(body)["type"], "ChangeMessage")
    _refuse("webhook", list(_field_complaints(_validator(SCHEMA.format(name=kind)), json.loads(body))), body)


def _refuse(place: str, complaints: list[str], body: bytes) -> None:
    assert not complaints, "\n".join([f"{place} is not as the OpenAPI document declares it:", *complaints, str(body[:1000])])


def _complaints(declared: dict[str, Any], endpoint: Endpoint | None, reply: Reply) -> list[str]:
    return [*_header_complaints(declared, reply), *_body_complaints(declared, endpoint, reply)]


def _header_complaints(declared: dict[str, Any], reply: Reply) -> Iterator[str]:
    names = {name.lower(): name for name in declared.get("headers", {})}
    sent = {name.lower(): name for name in [*reply.headers, *(["Set-Cookie"] if reply.cookies else [])]}
    for name in sent.keys() - names.keys() - COMMON:
        if not name.startswith(CORS):
            yield f"the header field {sent[name]} is not declared. {ADVICE['header']}"
    for name in names.keys() - sent.keys():
        if _document()["components"]["headers"][names[name]].get("required"):
            yield f"the header field {names[name]} is required, and missing."


def _body_complaints(declared: dict[str, Any], endpoint: Endpoint | None, reply: Reply) -> Iterator[str]:
    content = declared.get("content", {})
    media_type = reply.content_type.partition(";")[0]
    if media_type not in content and (content or reply.body):
        yield f"the media type {media_type} is not declared."
    elif media_type == "text/event-stream":
        for line in reply.body.decode().splitlines():
            if line.startswith("data: "):
                yield from _field_complaints(_validator(SCHEMA.format(name="Change")), json.loads(line[6:]))
    elif media_type.endswith("json"):
        body = gzip.decompress(reply.body) if reply.headers.get("Content-Encoding") == "gzip" else reply.body
        yield from _field_complaints(_validator_of(endpoint, reply.status, media_type), json.loads(body))


def _field_complaints(validator: Any, value: Any) -> Iterator[str]:
    if not validator.is_valid(value):
        errors = [cause for error in validator.iter_errors(value) for cause in _causes(error)]
        for error in errors[:MAX_COMPLAINTS]:
            yield f"{'.'.join(map(str, error.instance_path)) or 'the reply'}: {error.message[:300]}. {ADVICE['field']}"


def _causes(error: Any) -> list[Any]:
    """Of a value that fits none of several schemas, the errors of the schema that it fits best."""
    branches = [[cause for each in branch for cause in _causes(each)] for branch in getattr(error.kind, "context", [])]
    return min(branches, key=len) if branches else [error]


@cache
def _document() -> dict[str, Any]:
    document = deepcopy(openapi_document("http://testserver"))
    _close(document)
    return document


def _close(node: Any) -> None:
    for each in node.values() if isinstance(node, dict) else node:
        if isinstance(each, dict | list):
            _close(each)
    if isinstance(node, dict) and node.get("type") == "object" and "properties" in node:
        node.setdefault("additionalProperties", False)


def _declared(endpoint: Endpoint | None, status: int) -> dict[str, Any] | None:
    """What the document declares; of a path or method that is none of ours, the errors."""
    errors: dict[str, Any] = _document()["components"]["responses"]
    if endpoint is None:
        return errors.get(str(status))
    declared: dict[str, Any] | None = _document()["paths"][endpoint.url][endpoint.method.lower()]["responses"].get(str(status))
    return errors[str(status)] if declared and "$ref" in declared else declared


@cache
def _validator(reference: str) -> Any:
    return _compile({"$ref": reference})


@cache
def _validators() -> dict[tuple[int, int], Any]:
    return {}


def _validator_of(endpoint: Endpoint | None, status: int, media_type: str) -> Any:
    """The validator of an endpoint's replies with this status, compiled once."""
    key = (id(endpoint), status)
    if key not in _validators():
        declared = _declared(endpoint, status)
        assert declared
        schema = json.loads(json.dumps(declared["content"][media_type]["schema"]).replace('"#/', f'"{DOCUMENT}#/'))
        others = _other_forms(endpoint) if endpoint and status == endpoint.status else []
        _validators()[key] = _compile({"anyOf": [schema, *others]} if others else schema)
    return _validators()[key]


def _other_forms(endpoint: Endpoint) -> list[dict[str, Any]]:
    """The replies to forms of request that the document leaves to other operations: a file, and a list of records."""
    result = get_type_hints(endpoint.function)["return"]
    others: list[dict[str, Any]] = [
        {"$ref": SCHEMA.format(name=kind.__name__)} for kind in kinds_of(result) if kind not in kinds_of(endpoint.result)
    ]
    if endpoint.batch:
        records = {"type": "array", "items": {"$ref": SCHEMA.format(name=endpoint.result.__name__)}}
        others += [records, {"type": "object", "properties": {"reply": records, "would_notify": {}, "would_change": {}}}]
    return others


def _compile(schema: dict[str, Any]) -> Any:
    return jsonschema_rs.Draft202012Validator(schema, registry=_registry(), validate_formats=True)


@cache
def _registry() -> jsonschema_rs.Registry:
    return jsonschema_rs.Registry([(DOCUMENT, _document())])
