"""OpenAPI 3.1, generated from the registry of endpoints."""

import inspect
import re
from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import msgspec
from msgspec import Struct

from kalends.core.version import __version__
from kalends.http.dry_run import DRY_RUN, Outcome, is_offered
from kalends.http.endpoint import Document, Endpoint
from kalends.http.error_handler import ProblemBody
from kalends.http.idempotency_key import HEADER, KEY_PATTERN
from kalends.http.input.fields import Field, fields_of
from kalends.http.input.options import struct_options
from kalends.http.openapi.derived import REF, add_dry_runs, add_selections, complete
from kalends.http.openapi.responses import HEADERS, errors, kinds_of, operation_id, responses
from kalends.http.openapi.schema import Carrier, carried, field_schema, object_schema

ABOUT = """An event calendar service.

Parameters come in the query string, as a JSON object, as a form or as multipart, whichever suits; the body wins over the query
string. They may be wrapped in the resource's name (`{"calendar": {"name": …}}`). An update changes only what is given; an empty
text or `null` clears a field; `PATCH` is another name for its `PUT`. Unknown parameters are
ignored, unless the request says `Prefer: handling=strict`.

Every write takes `dry_run=true`: it replies as it would, with `would_change` and `would_notify` added, and changes and sends nothing.

Every error is `application/problem+json` (RFC 9457) and names each broken field. Every HTTP response has an `X-Request-Id`."""

SECURITY = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "A session's token, or an API write key (`wk_…`)."},
    "cookie": {
        "type": "apiKey",
        "in": "cookie",
        "name": "kalends_session",
        "description": "Set by POST /api/session, for pages of this site: other sites' requests with it are refused.",
    },
}

DRY_RUN_DESCRIPTION = "Reply as the request would, with `would_notify` and `would_change`, and change and send nothing."
ONCE = {
    "name": HEADER,
    "in": "header",
    "required": False,
    "description": "Your own name for this request, such as a UUID: sent again within a day, it is done once and gets the same reply.",
    "schema": {"type": "string", "format": "idempotency-key", "pattern": KEY_PATTERN},
}
ONCE_RULE = {HEADER: "must have 1 to 255 visible ASCII characters, and be another for another request"}

VERSIONS = {
    "If-Match": "The ETag of the version that you mean: 412 when the record has changed since.",
    "If-None-Match": "The ETag of the version that you have: 304 when it is still the one.",
}
ONLY_NEW = {
    "name": "If-None-Match",
    "in": "header",
    "required": False,
    "description": "`*` creates only: 412 when the record is there already.",
    "schema": {"type": "string", "examples": ["*"]},
}
DRY_RUN_PARAMETER = {"name": DRY_RUN, "in": "query", "required": False, "description": DRY_RUN_DESCRIPTION, "schema": {"type": "boolean"}}
# Standard Webhooks.
WEBHOOK_PARAMETERS = {
    "webhook-id": "Id of the delivery, the same in each attempt.",
    "webhook-timestamp": "When it was sent, in Unix time.",
    "webhook-signature": "Its signatures, separated by spaces: `v1,` and the HMAC-SHA256 in base64.",
}


def document(endpoints: list[Endpoint], base_url: str, messages: Sequence[type[Struct]] = ()) -> dict[str, Any]:
    """The description of the whole interface. messages: what webhooks send."""
    described = [e for e in endpoints if e.path.startswith("/api/") and e.format != "html"]
    kinds = [kind for e in described for kind in kinds_of(e.result) if kind is not Document]
    _, schemas = msgspec.json.schema_components([*kinds, ProblemBody, Outcome, *messages], ref_template=REF)
    add_selections(schemas, described)
    add_dry_runs(schemas, described)
    complete(schemas)
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in described:
        operation = _operation(endpoint, described)
        paths.setdefault(endpoint.url, {})[endpoint.method.lower()] = operation
        if "PATCH" in endpoint.methods:
            name = f"{operation['operationId']}_by_patch"
            paths[endpoint.url]["patch"] = deepcopy(operation) | {"operationId": name}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Kalends", "version": __version__, "description": ABOUT, "license": {"name": "MIT", "identifier": "MIT"}},
        "servers": [{"url": base_url}],
        "tags": [{"name": name, "description": text} for name, text in _resources(described).items()],
        "paths": paths,
        **({"webhooks": webhooks(messages)} if messages else {}),
        "components": {
            "schemas": schemas,
            "responses": errors(),
            "headers": HEADERS,
            "securitySchemes": SECURITY,
        },
    }


def _resources(endpoints: list[Endpoint]) -> dict[str, str]:
    """What the first modules that hold them say of the resources."""
    texts: dict[str, str] = {}
    for e in endpoints:
        texts.setdefault(e.resource, " ".join((inspect.getdoc(inspect.getmodule(e.function)) or "").split()))
    return texts


def _operation(endpoint: Endpoint, endpoints: list[Endpoint]) -> dict[str, Any]:
    summary, _, rest = endpoint.documentation.partition("\n\n")
    in_body = _in_body(endpoint)
    operation: dict[str, Any] = {
        "operationId": operation_id(endpoint),
        "summary": " ".join(summary.split()),
        "description": rest,
        "tags": [endpoint.resource],
        "parameters": [_variable(name, kind) for name, kind in endpoint.variables.items()],
        "responses": responses(endpoint, endpoints, with_body=in_body),
        "security": _security(endpoint),
    }
    if endpoint.etag:
        operation["parameters"].append(_version("If-Match" if endpoint.writes else "If-None-Match"))
    if endpoint.etag and endpoint.writes and endpoint.location:
        operation["parameters"].append(ONLY_NEW)
    if endpoint.takes_idempotency_key:
        operation["parameters"].append(ONCE)
    if is_offered(endpoint):
        operation["parameters"].append(DRY_RUN_PARAMETER)
    if endpoint.params is not None:
        if in_body:
            operation["parameters"] += [_query(field, endpoint) for field in _in_query_too(endpoint.params)]
            operation["requestBody"] = _body(endpoint)
        else:
            operation["parameters"] += [_query(field, endpoint) for field in carried(endpoint.params, Carrier.QUERY)]
    rules = _rules(endpoint)
    if rules:
        operation["x-rules"] = rules
        operation["description"] = "\n\n".join(filter(None, [rest, *(f"`{name}` {rule}." for name, rule in rules.items())]))
    return {key: value for key, value in operation.items() if value or key == "security"}


def _rules(endpoint: Endpoint) -> dict[str, str]:
    options = struct_options(endpoint.params)
    same = dict.fromkeys(options.same_in_query, "must be the same in the body, if it is there too")
    return options.rules | same | (ONCE_RULE if endpoint.takes_idempotency_key else {})


def _security(endpoint: Endpoint) -> list[dict[str, Any]]:
    if not endpoint.credentials:
        return []
    return [{"bearer": []}, {"cookie": []}, *([{}] if endpoint.guests else [])]


def _in_body(endpoint: Endpoint) -> bool:
    """Whether the parameters come in the body. A password does in any case: addresses are kept in logs and histories."""
    fields = fields_of(endpoint.params) if endpoint.params is not None else ()
    return bool(fields) and (endpoint.method in ("POST", "PUT") or any(field.keep_whitespace for field in fields))


def _variable(name: str, kind: type) -> dict[str, Any]:
    schema: dict[str, Any] = (
        {"type": "integer", "format": "int64", "minimum": 1, "maximum": 2**63 - 1}
        if kind is int
        else {"type": "string", "pattern": "^[0-9A-Za-z]{1,40}$"}
    )
    return {"name": name, "in": "path", "required": True, "description": f"The {name.removesuffix('_id')}'s id.", "schema": schema}


def _version(name: str) -> dict[str, Any]:
    return {"name": name, "in": "header", "required": False, "description": VERSIONS[name], "schema": {"type": "string"}}


def _in_query_too(params: type[Struct]) -> list[Field]:
    """Fields that name the record: a client should send them in the query string, and may send them in the body."""
    return [field for field in fields_of(params) if field.name in struct_options(params).same_in_query]


def _query(field: Field, endpoint: Endpoint) -> dict[str, Any]:
    schema = field_schema(field, Carrier.QUERY)
    parameter = {
        "name": field.name,
        "in": "query",
        "required": field.required and not endpoint.is_partial,
        "description": schema.pop("description", ""),
        "schema": schema,
    }
    if not field.required:
        parameter["allowEmptyValue"] = True
    return parameter


def _body(endpoint: Endpoint) -> dict[str, Any]:
    """JSON, or multipart where there is a file."""
    assert endpoint.params is not None
    fields = fields_of(endpoint.params)
    has_file = any(field.is_file and field.required for field in fields)
    carrier = Carrier.MULTIPART if has_file else Carrier.JSON
    schema = object_schema(endpoint.params, carrier, partial=endpoint.is_partial)
    if struct_options(endpoint.params).refuses_unknown:
        for each in schema.get("oneOf", [schema]):
            each["additionalProperties"] = False
    content = {carrier.value: {"schema": schema}}
    required = bool(schema.get("required") or schema.get("oneOf"))
    return {"required": required, "content": content}


def webhooks(messages: Sequence[type[Struct]]) -> dict[str, Any]:
    """The request for each kind of message."""
    return {_name(message): {"post": _webhook(message)} for message in messages}


def _name(message: type[Struct]) -> str:
    return message.__name__.removesuffix("Message").lower()


def _webhook(message: type[Struct]) -> dict[str, Any]:
    return {
        "operationId": f"webhook_{_name(message)}",
        "summary": re.sub(r"\s+", " ", inspect.getdoc(message) or ""),
        "tags": ["webhooks"],
        "parameters": [
            {"name": name, "in": "header", "required": True, "description": meaning, "schema": {"type": "string"}}
            for name, meaning in WEBHOOK_PARAMETERS.items()
        ],
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": {"$ref": REF.format(name=message.__name__)}}},
        },
        "responses": {
            "2XX": {"description": "Received. With any other status it is sent again."},
            "410": {"description": "Nothing more is to be sent: the webhook is disabled."},
        },
    }
