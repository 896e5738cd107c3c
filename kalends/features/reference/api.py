"""The OpenAPI document of the API."""

from functools import cache
from typing import Any

from kalends.features.reference.rules.enumerations import name_enumerations
from kalends.features.reference.rules.schema_text import split_changes
from kalends.features.webhooks.model import ChangeMessage, MissedMessage, PingMessage
from kalends.http.context import Context
from kalends.http.endpoint import Endpoint, endpoint
from kalends.http.openapi.document import document


@endpoint("GET", "/api/openapi", guests=True, transaction=False)
def show(ctx: Context) -> dict[str, Any]:
    """The OpenAPI 3.1 description of this interface, at `/api/openapi.json`."""
    return openapi_document(ctx.settings.url)


_endpoints: list[Endpoint] = []


def describe(endpoints: list[Endpoint]) -> None:
    """Set the endpoints to describe. The application calls this with all that it has."""
    _endpoints[:] = endpoints
    openapi_document.cache_clear()


@cache
def openapi_document(base_url: str) -> dict[str, Any]:
    """The OpenAPI document, with what clients in other languages need: a name for each enumeration and each kind of change."""
    api = document(_endpoints, base_url, [ChangeMessage, PingMessage, MissedMessage])
    split_changes(api["components"]["schemas"])
    name_enumerations(api)
    return api
