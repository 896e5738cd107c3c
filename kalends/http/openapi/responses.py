"""The HTTP responses of operations in OpenAPI: the record and its header fields, or one of the errors."""

from types import UnionType
from typing import Any, Union, get_args, get_origin

import msgspec
from msgspec import Struct

from kalends.http.endpoint import FORMATS, Document, Endpoint
from kalends.http.error_handler import CONTENT_TYPE
from kalends.http.input.fields import fields_of
from kalends.http.input.options import split_annotated
from kalends.http.openapi.derived import REF, has_selection, selection_name

MEANINGS = {
    "400": "The request cannot be read.",
    "401": "The action needs a signed-in user, or the credential is wrong or expired.",
    "403": "You may see the record, and may not do this to it; or the request came from another site.",
    "404": "No such record, or one that you may not see.",
    "405": "The path does not have this method; Allow lists those that it has.",
    "408": "The body took too long to arrive.",
    "409": "The state forbids it.",
    "410": "The public event was deleted in the last 90 days; `detail` has its title and note. Or `as_of` or `cursor` is older than the "
    "history.",
    "412": "The record has changed since you read it (If-Match).",
    "413": "The body is too large.",
    "415": "The body's media type is not known.",
    "422": "A value breaks a rule; `errors` names every broken field.",
    "429": "Too many requests; try again after Retry-After seconds.",
    "500": "The service has failed; its log has the error under `request_id`.",
    "503": "The service is busy, or its database unavailable or full; try again after Retry-After seconds.",
}

HEADERS: dict[str, dict[str, Any]] = {
    "X-Request-Id": {"required": True, "schema": {"type": "string"}, "description": "Names the request in the log."},
    "Retry-After": {"required": True, "schema": {"type": "integer", "minimum": 0}, "description": "Seconds to wait."},
    "RateLimit": {"schema": {"type": "string"}, "description": 'What is left of the limit, and for how long: `"guest-writes";r=59;t=20`.'},
    "RateLimit-Policy": {"schema": {"type": "string"}, "description": 'The limit: `"guest-writes";q=60;w=60`.'},
    "WWW-Authenticate": {"required": True, "schema": {"type": "string"}, "description": "How to sign in: `Bearer`."},
    "Location": {"schema": {"type": "string", "format": "uri-reference"}, "description": "Where the new record is; absent from a dry run."},
    "ETag": {
        "schema": {"type": "string"},
        "description": "The record's version, for If-Match and If-None-Match; absent from a dry run.",
    },
    "Last-Modified": {"schema": {"type": "string"}, "description": "When the newest of the events was changed, for If-Modified-Since."},
    "Content-Disposition": {"schema": {"type": "string"}, "description": "The name of the file."},
    "Preference-Applied": {"schema": {"type": "string"}, "description": "`handling=strict`, if the request preferred that."},
    "Idempotency-Replayed": {"schema": {"type": "string"}, "description": "`true`: an earlier request with the same key got this reply."},
    "Set-Cookie": {"schema": {"type": "string"}, "description": "For browsers: the session, or that they have just written."},
    "X-Accel-Buffering": {"schema": {"type": "string"}, "description": "`no`: a proxy passes on each change at once."},
    "Allow": {"required": True, "schema": {"type": "string"}, "description": "The methods of the path."},
    "Link": {"schema": {"type": "string"}, "description": 'The next page, if there is one: `<…>; rel="next"`.'},
}

_WITH = {"401": ["WWW-Authenticate"], "405": ["Allow"], "429": ["Retry-After"], "503": ["Retry-After"]}
# Of what guests write and search for, the failures count, too.
_LIMIT = ["RateLimit", "RateLimit-Policy"]


def errors() -> dict[str, Any]:
    """Every error once, for the components."""
    content = {CONTENT_TYPE: {"schema": {"$ref": REF.format(name="ProblemBody")}}}
    return {
        status: {"description": meaning, "headers": _headers("X-Request-Id", *_WITH.get(status, ()), *_LIMIT), "content": content}
        for status, meaning in MEANINGS.items()
    }


def responses(endpoint: Endpoint, endpoints: list[Endpoint], *, with_body: bool) -> dict[str, Any]:
    """Every HTTP response of the operation."""
    success = _success(endpoint, endpoints)
    by_status = {str(status): success for status in (endpoint.status, endpoint.other_status) if status}
    if endpoint.etag and not endpoint.writes:
        by_status["304"] = {"description": "You have this version already (If-None-Match).", "headers": _headers(*_header_names(endpoint))}
    return by_status | {status: {"$ref": f"#/components/responses/{status}"} for status in _failures(endpoint, with_body)}


def kinds_of(result: Any) -> tuple[Any, ...]:
    """The types that an action returns."""
    return get_args(result) if get_origin(result) in (Union, UnionType) else (result,)


def schema_of(endpoint: Endpoint) -> dict[str, Any]:
    """The schema of what an action returns: one of several types, or the selected fields of one."""
    schemas, _ = msgspec.json.schema_components(kinds_of(endpoint.result), ref_template=REF)
    if has_selection(endpoint):
        return {"anyOf": [*schemas, {"$ref": REF.format(name=selection_name(endpoint.result.__name__))}]}
    return schemas[0] if len(schemas) == 1 else {"oneOf": list(schemas)}


def _failures(endpoint: Endpoint, with_body: bool) -> list[str]:
    names_records = bool(endpoint.variables) or _refers(endpoint)
    possible = {
        "401": endpoint.credentials,
        "403": endpoint.credentials or endpoint.writes or names_records,
        "404": names_records,
        "405": False,
        "408": with_body,
        "409": endpoint.writes,
        "410": endpoint.guests and not endpoint.writes and ("event_id" in endpoint.variables or _takes(endpoint, "cursor")),
        "412": endpoint.etag and endpoint.writes,
        "413": with_body or endpoint.writes,
        "415": with_body or endpoint.writes,
        "429": endpoint.writes or (endpoint.guests and _takes(endpoint, "text")),
    }
    return [status for status in MEANINGS if possible.get(status, True)]


def _takes(endpoint: Endpoint, name: str) -> bool:
    """Whether it takes the parameter."""
    return endpoint.params is not None and any(field.name == name for field in fields_of(endpoint.params))


def _refers(endpoint: Endpoint) -> bool:
    """Whether a parameter names records."""
    fields = fields_of(endpoint.params) if endpoint.params is not None else ()
    return any(field.name.endswith(("_id", "_ids")) or field.name == "ids" for field in fields)


def _success(endpoint: Endpoint, endpoints: list[Endpoint]) -> dict[str, Any]:
    headers = _headers(*_header_names(endpoint))
    if endpoint.result is Document:
        return {"description": "The document.", "headers": headers, "content": {FORMATS[endpoint.format]: {"schema": {"type": "string"}}}}
    response = {
        "description": _meaning(endpoint.result),
        "headers": headers,
        "content": {"application/json": {"schema": schema_of(endpoint)}},
    }
    links = _links(endpoint, endpoints)
    return response | ({"links": links} if links else {})


def _header_names(endpoint: Endpoint) -> list[str]:
    """The header fields of a reply that is no error."""
    is_file = endpoint.result is Document and endpoint.format != "sse"
    sent = {
        "X-Request-Id": True,
        "Preference-Applied": True,
        "RateLimit": endpoint.rate_limited,
        "RateLimit-Policy": endpoint.rate_limited,
        "ETag": endpoint.only_tags or (endpoint.etag and not endpoint.action.startswith("destroy")),
        "Last-Modified": is_file and endpoint.etag,
        "Content-Disposition": is_file,
        "X-Accel-Buffering": endpoint.format == "sse",
        "Location": bool(endpoint.location),
        "Link": "next" in _fields(endpoint.result),
        "Idempotency-Replayed": endpoint.takes_idempotency_key,
        "Set-Cookie": endpoint.writes,
    }
    return [name for name in HEADERS if sent.get(name)]


def _links(endpoint: Endpoint, endpoints: list[Endpoint]) -> dict[str, Any]:
    """What can be done next with a record that the actor has just made. A guest's may be out of their own reach."""
    if endpoint.status != 201 or endpoint.guests or not any("id" in _fields(kind) for kind in kinds_of(endpoint.result)):
        return {}
    return {
        other.action: {"operationId": operation_id(other), "parameters": {next(iter(other.variables)): "$response.body#/id"}}
        for other in endpoints
        if other.resource == endpoint.resource and len(other.variables) == 1 and other.format == "json"
    }


def operation_id(endpoint: Endpoint) -> str:
    """`events_show`; other formats are told apart by their suffix."""
    name = endpoint.name.replace(".", "_")
    suffix = f"_{endpoint.format}"
    return name if endpoint.format == "json" or name.endswith(suffix) else name + suffix


def _fields(result: Any) -> tuple[str, ...]:
    bare, _ = split_annotated(result)
    return bare.__struct_fields__ if isinstance(bare, type) and issubclass(bare, Struct) else ()


def _meaning(result: Any) -> str:
    doc = result.__dict__.get("__doc__") if isinstance(result, type) and issubclass(result, Struct) else None
    return " ".join(str(doc).split()) if doc else "The reply."


def _headers(*names: str) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}
