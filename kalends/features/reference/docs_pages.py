"""The API reference, rendered from the OpenAPI document."""

import re
from functools import cache
from typing import Any

from markupsafe import Markup

from kalends.core.errors import CODES, NotFound
from kalends.features.reference.api import openapi_document
from kalends.features.reference.rules.guide import INDEX, load_page, meaning, page_names, problems
from kalends.features.reference.rules.schema_text import in_words
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.web.page import page
from kalends.web.redirects import redirect_permanently
from kalends.web.render import render


@page("GET", "/docs", guests=True, transaction=False)
def docs(ctx: Context) -> Document:
    """The API reference."""
    return render("reference/docs.html", ctx, title="API reference", **_reference(ctx.settings.url))


@cache
def _reference(base_url: str) -> dict[str, Any]:
    """What the API reference shows."""
    api = openapi_document(base_url)
    resources: dict[str, dict[str, Any]] = {
        tag["name"]: {"name": tag["name"], "about": paragraphs(tag["description"]), "operations": []} for tag in api["tags"]
    }
    for path, methods in api["paths"].items():
        for method, operation in methods.items():
            if method == "patch":
                # It is its `put`.
                continue
            resources[operation["tags"][0]]["operations"].append(_entry(api, path, method, operation))
    return {
        "server": api["servers"][0]["url"],
        "about": paragraphs(api["info"]["description"]),
        "resources": list(resources.values()),
        "records": _records(api["components"]["schemas"]),
        "errors": {status: paragraphs(error["description"]) for status, error in api["components"]["responses"].items()},
    }


@page("GET", "/openapi.json", guests=True, transaction=False, credentials=False)
def openapi(ctx: Context) -> Document:
    """Lead programs that look for the OpenAPI document at its usual place to it."""
    return redirect_permanently(ctx, "/api/openapi.json")


@page("GET", "/docs/errors", guests=True, transaction=False)
def errors(ctx: Context) -> Document:
    """The catalogue of errors."""
    kinds = [(each.kind, each.status, each.title, paragraphs(meaning(each))) for each in problems()]
    return render("reference/errors.html", ctx, title="Errors", kinds=kinds, codes=CODES)


@page("GET", "/docs/guide", guests=True, transaction=False)
def guide(ctx: Context) -> Document:
    """The contents of the guide."""
    return _guide_page(ctx, INDEX)


@page("GET", "/docs/guide/{page_name}", guests=True, transaction=False)
def guide_page(ctx: Context, page_name: str) -> Document:
    """A page of the guide."""
    if page_name not in page_names():
        raise NotFound("There is no such page. The guide's contents are at /docs/guide.")
    return _guide_page(ctx, page_name)


def _guide_page(ctx: Context, page_name: str) -> Document:
    document = load_page(page_name)
    return render("reference/guide.html", ctx, title=document.title, html=document.html)


def paragraphs(text: str) -> list[Markup]:
    """The text as paragraphs, in which `this` is code."""
    return [
        Markup("").join(Markup("<code>{}</code>").format(part) if index % 2 else part for index, part in enumerate(paragraph.split("`")))
        for paragraph in re.split(r"\n\s*\n", text)
    ]


def _records(schemas: dict[str, Any]) -> list[dict[str, Any]]:
    """The objects in replies, each with its fields."""
    return [
        {"name": name, "about": schema.get("description", ""), "fields": _properties(schema, schemas)}
        for name, schema in sorted(schemas.items())
        if "properties" in schema
    ]


def _entry(api: dict[str, Any], path: str, method: str, operation: dict[str, Any]) -> dict[str, Any]:
    schemas, replies = api["components"]["schemas"], operation["responses"]
    return {
        "id": operation["operationId"],
        "method": method.upper(),
        "path": path,
        "about": paragraphs("\n\n".join(filter(None, [operation["summary"], operation.get("description")]))),
        "guests": {} in operation["security"] or not operation["security"],
        "fields": [*_parameters(operation, schemas), *_body(operation, schemas)],
        "replies": [_reply(status, reply) for status, reply in replies.items() if "$ref" not in reply],
        "errors": [status for status, reply in replies.items() if "$ref" in reply],
    }


def _parameters(operation: dict[str, Any], schemas: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {**_field(p["name"], p["schema"], schemas), "required": p["required"], "about": paragraphs(p["description"]), "place": p["in"]}
        for p in operation.get("parameters", [])
    ]


def _body(operation: dict[str, Any], schemas: dict[str, Any]) -> list[dict[str, Any]]:
    """Every field of the body; with alternatives, the fields of each, and then those that go with any."""
    (content,) = operation.get("requestBody", {"content": {"": {}}})["content"].values()
    schema = content.get("schema", {})
    variants = schema.get("oneOf", [schema])
    required = [name for name in variants[0].get("required", []) if len(variants) == 1]
    properties = [(field, variant) for variant in variants for field in _properties(variant, schemas)]
    if len(variants) > 1:
        properties.sort(key=lambda pair: pair[0]["name"] not in pair[1]["required"])
    fields = {field["name"]: field for field, _ in properties}
    return [{**field, "required": name in required, "place": "body"} for name, field in fields.items()]


def _properties(schema: dict[str, Any], schemas: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {**_field(name, field, schemas), "about": paragraphs(field.get("description", ""))}
        for name, field in schema.get("properties", {}).items()
    ]


def _field(name: str, schema: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    default = schema.get("default")
    text = str(default).lower() if isinstance(default, bool) else default
    return {"name": name, "type": in_words(schema, schemas), "default": None if text == "" else text}


def _reply(status: str, reply: dict[str, Any]) -> dict[str, Any]:
    """A reply: its status, headers and records."""
    content: dict[str, Any] = reply.get("content", {})
    kind = next(iter(content), "")
    schema = content[kind]["schema"] if kind else {}
    return {
        "status": status,
        "about": paragraphs(reply["description"]),
        "kind": kind,
        "headers": [name for name in reply.get("headers", {}) if name != "X-Request-Id"],
        "records": [each["$ref"].rpartition("/")[2] for each in schema.get("oneOf", [schema]) if "$ref" in each],
    }
