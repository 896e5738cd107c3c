"""The API reference, rendered from the same description that programs read."""

import re
from typing import Any

from markupsafe import Markup

from kalends.context import Context
from kalends.docs.api import described
from kalends.docs.errors import meaning, problems
from kalends.docs.words import in_words
from kalends.errors import CODES
from kalends.http.endpoint import Document, endpoint
from kalends.web.render import render


@endpoint("GET", "/docs", guests=True, transaction=False, format="html")
def docs(ctx: Context) -> Document:
    """The API reference."""
    api = described(ctx.settings.url)
    resources: dict[str, dict[str, Any]] = {
        tag["name"]: {"name": tag["name"], "about": marked(tag["description"]), "operations": []} for tag in api["tags"]
    }
    for path, methods in api["paths"].items():
        for method, operation in methods.items():
            resources[operation["tags"][0]]["operations"].append(_entry(api, path, method, operation))
    return render(
        "docs/docs.html",
        ctx,
        title="API reference",
        server=api["servers"][0]["url"],
        about=marked(api["info"]["description"]),
        resources=list(resources.values()),
        errors={status: marked(error["description"]) for status, error in api["components"]["responses"].items()},
    )


@endpoint("GET", "/docs/errors", guests=True, transaction=False, format="html")
def errors(ctx: Context) -> Document:
    """The catalogue of errors."""
    kinds = [(each.kind, each.status, each.title, marked(meaning(each))) for each in problems()]
    return render("docs/errors.html", ctx, title="Errors", kinds=kinds, codes=CODES)


def marked(text: str) -> list[Markup]:
    """Paragraphs, in which `this` is code."""
    return [
        Markup("").join(Markup("<code>{}</code>").format(part) if index % 2 else part for index, part in enumerate(paragraph.split("`")))
        for paragraph in re.split(r"\n\s*\n", text)
    ]


def _entry(api: dict[str, Any], path: str, method: str, operation: dict[str, Any]) -> dict[str, Any]:
    answers = operation["responses"]
    return {
        "id": operation["operationId"],
        "method": method.upper(),
        "path": path,
        "about": marked("\n\n".join(filter(None, [operation["summary"], operation.get("description")]))),
        "guests": {} in operation["security"] or not operation["security"],
        "fields": [*_parameters(operation), *_body(operation)],
        "answers": [_answer(api, status, answer) for status, answer in answers.items() if "$ref" not in answer],
        "errors": [status for status, answer in answers.items() if "$ref" in answer],
    }


def _parameters(operation: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {**_field(p["name"], p["schema"], required=p["required"]), "about": marked(p["description"]), "place": p["in"]}
        for p in operation.get("parameters", [])
    ]


def _body(operation: dict[str, Any]) -> list[dict[str, Any]]:
    """Every field of the body, in the form that carries them all; of alternatives, each that may be given."""
    content = operation.get("requestBody", {}).get("content", {})
    schema = content.get("multipart/form-data", {}).get("schema", {})
    fields: dict[str, dict[str, Any]] = {}
    for variant in schema.get("oneOf", [schema]):
        for name, field in variant.get("properties", {}).items():
            if "oneOf" not in schema or name in variant["required"]:
                required = "oneOf" not in schema and name in schema.get("required", [])
                fields[name] = {**_field(name, field, required=required), "about": marked(field.get("description", "")), "place": "body"}
    return list(fields.values())


def _field(name: str, schema: dict[str, Any], *, required: bool) -> dict[str, Any]:
    default = schema.get("default")
    shown = str(default).lower() if isinstance(default, bool) else default
    return {"name": name, "type": in_words(schema), "required": required, "default": shown}


def _answer(api: dict[str, Any], status: str, answer: dict[str, Any]) -> dict[str, Any]:
    """What comes back: the status, the headers that matter, and the fields of the record."""
    content: dict[str, Any] = answer.get("content", {})
    kind = next(iter(content), "")
    schema = content[kind]["schema"] if kind else {}
    if "$ref" in schema:
        schema = api["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return {
        "status": status,
        "about": marked(answer["description"]),
        "kind": kind,
        "headers": [name for name in answer.get("headers", {}) if name != "X-Request-Id"],
        "fields": {name: in_words(field) for name, field in schema.get("properties", {}).items()},
    }
