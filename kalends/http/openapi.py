"""OpenAPI 3.1, generated from the registry of endpoints."""

from typing import Any

import msgspec

from kalends import __version__
from kalends.http.endpoint import FORMATS, Document, Endpoint
from kalends.http.fields import Upload, fields_of
from kalends.http.problem import CONTENT_TYPE, ProblemBody
from kalends.http.schema import object_schema, query_schema
from kalends.http.types import shared_schemas

REF = "#/components/schemas/{name}"

ERRORS = {
    "400": "The request cannot be read.",
    "401": "The action needs a signed-in user, or the credential is wrong or expired.",
    "403": "You may see the record, and may not do this to it.",
    "404": "No such record, or one that you may not see.",
    "408": "The body took too long to arrive.",
    "409": "The state forbids it.",
    "412": "The record has changed since you read it (If-Match).",
    "413": "The body is too large.",
    "415": "The body's media type is not known.",
    "422": "A value breaks a rule; `errors` names every broken field.",
    "429": "Too many requests; try again after Retry-After seconds.",
    "503": "The database is away or full; try again after Retry-After seconds.",
}

SECURITY = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "A session's token, or an API write key (`wk_…`)."},
    "cookie": {"type": "apiKey", "in": "cookie", "name": "kalends_session", "description": "Set by POST /api/session."},
}


def document(endpoints: list[Endpoint], base_url: str) -> dict[str, Any]:
    """The description of the whole interface."""
    described = [e for e in endpoints if e.path.startswith("/api/") and e.format != "html"]
    kinds = [e.result for e in described if e.result is not Document]
    _, schemas = msgspec.json.schema_components([*kinds, ProblemBody], ref_template=REF)
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in described:
        paths.setdefault(endpoint.url, {})[endpoint.method.lower()] = _operation(endpoint)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Kalends",
            "version": __version__,
            "description": "Events, calendars, comments and responses. Parameters may come in the query string, as JSON or as a form.",
        },
        "servers": [{"url": base_url}],
        "paths": paths,
        "components": {
            "schemas": schemas | shared_schemas(),
            "responses": {status: _error(text) for status, text in ERRORS.items()},
            "securitySchemes": SECURITY,
        },
    }


def _operation(endpoint: Endpoint) -> dict[str, Any]:
    summary, _, rest = endpoint.documentation.partition("\n\n")
    operation: dict[str, Any] = {
        "operationId": endpoint.name.replace(".", "_") + ("" if endpoint.format == "json" else f"_{endpoint.format}"),
        "summary": " ".join(summary.split()),
        "description": rest,
        "tags": [endpoint.resource],
        "parameters": [_variable(name, kind) for name, kind in endpoint.variables.items()],
        "responses": {str(endpoint.status): _success(endpoint)} | {s: {"$ref": f"#/components/responses/{s}"} for s in ERRORS},
        "security": [{"bearer": []}, {"cookie": []}] + ([{}] if endpoint.guests else []),
    }
    if endpoint.params is not None:
        if endpoint.method in ("GET", "DELETE"):
            operation["parameters"] += _query(endpoint)
        else:
            operation["requestBody"] = _body(endpoint)
    return operation


def _variable(name: str, kind: type) -> dict[str, Any]:
    schema: dict[str, Any] = (
        {"type": "integer", "format": "int64", "minimum": 1} if kind is int else {"type": "string", "pattern": "^[0-9A-Za-z]{1,40}$"}
    )
    return {"name": name, "in": "path", "required": True, "schema": schema}


def _query(endpoint: Endpoint) -> list[dict[str, Any]]:
    assert endpoint.params is not None
    return [
        {
            "name": field.name,
            "in": "query",
            "required": field.required and not endpoint.partial,
            "description": object_schema(endpoint.params)["properties"][field.name].get("description", ""),
            "schema": query_schema(field),
        }
        for field in fields_of(endpoint.params)
    ]


def _body(endpoint: Endpoint) -> dict[str, Any]:
    assert endpoint.params is not None
    schema = object_schema(endpoint.params, partial=endpoint.partial)
    with_files = object_schema(endpoint.params, partial=endpoint.partial, uploads=True)
    content = {
        "application/json": {"schema": schema},
        "application/x-www-form-urlencoded": {"schema": schema},
        "multipart/form-data": {"schema": with_files},
    }
    return {"required": "required" in schema or any(f.type is Upload for f in fields_of(endpoint.params)), "content": content}


def _success(endpoint: Endpoint) -> dict[str, Any]:
    if endpoint.result is Document:
        return {"description": "The document.", "content": {FORMATS[endpoint.format]: {"schema": {"type": "string"}}}}
    (schema,), _ = msgspec.json.schema_components([endpoint.result], ref_template=REF)
    return {"description": "Done.", "content": {"application/json": {"schema": schema}}}


def _error(text: str) -> dict[str, Any]:
    return {"description": text, "content": {CONTENT_TYPE: {"schema": {"$ref": REF.format(name="ProblemBody")}}}}
