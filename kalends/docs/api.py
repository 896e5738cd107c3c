"""The description of the interface, for programs."""

from functools import cache
from typing import Any

from kalends.context import Context
from kalends.docs.glossary import annotate
from kalends.http.endpoint import endpoint, registry
from kalends.http.openapi import document


@endpoint("GET", "/api/openapi", guests=True, transaction=False)
def show(ctx: Context) -> dict[str, Any]:
    """The OpenAPI 3.1 description of this interface, at `/api/openapi.json`."""
    return described(ctx.settings.url)


@cache
def described(base_url: str) -> dict[str, Any]:
    api = document(registry, base_url)
    annotate(api)
    return api
