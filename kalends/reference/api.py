"""The description of the interface, for programs."""

from functools import cache
from typing import Any

from kalends.context import Context
from kalends.http.endpoint import endpoint, registry
from kalends.http.openapi.document import document
from kalends.reference.glossary import annotate


@endpoint("GET", "/api/openapi", guests=True, transaction=False)
def show(ctx: Context) -> dict[str, Any]:
    """The OpenAPI 3.1 description of this interface, at `/api/openapi.json`."""
    return described(ctx.settings.url)


@cache
def described(base_url: str) -> dict[str, Any]:
    api = document(registry, base_url)
    annotate(api)
    return api
