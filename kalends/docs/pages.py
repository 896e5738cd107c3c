"""The API reference, rendered from the same description that programs read."""

from typing import Any

from kalends.context import Context
from kalends.docs.api import described
from kalends.http.endpoint import Document, endpoint
from kalends.web.render import render


@endpoint("GET", "/docs", guests=True, transaction=False, format="html")
def docs(ctx: Context) -> Document:
    """The API reference."""
    api = described(ctx.settings.url)
    resources: dict[str, list[dict[str, Any]]] = {}
    for path, methods in api["paths"].items():
        for method, operation in methods.items():
            entry = {"method": method.upper(), "path": path, "fields": _fields(operation), **operation}
            resources.setdefault(operation["tags"][0], []).append(entry)
    return render("docs/docs.html", ctx, title="API reference", resources=resources, errors=api["components"]["responses"])


def _fields(operation: dict[str, Any]) -> list[dict[str, Any]]:
    """Every parameter with its type in words, from the path, the query and the body."""
    fields = [
        {"name": p["name"], "type": _words(p["schema"]), "required": p["required"], "description": p.get("description", "")}
        for p in operation["parameters"]
    ]
    body = operation.get("requestBody", {}).get("content", {}).get("multipart/form-data", {}).get("schema", {})
    for name, schema in body.get("properties", {}).items():
        required = name in body.get("required", [])
        fields.append({"name": name, "type": _words(schema), "required": required, "description": schema.get("description", "")})
    return fields


def _words(schema: dict[str, Any]) -> str:
    schema = schema.get("anyOf", [schema])[0]
    if "enum" in schema:
        return " | ".join(map(str, schema["enum"]))
    if "$ref" in schema:
        return "time zone"
    if schema.get("format") in ("email", "binary"):
        return {"email": "e-mail address", "binary": "file"}[schema["format"]]
    kind = str(schema.get("type", ""))
    return {"array": "list", "string": "text"}.get(kind, kind)
