"""Representations of responses in API replies and forms."""

from typing import Any

from kalends.responses.model import Response, ResponseFields, ResponseItem
from kalends.values import timestamps


def editable(response: Response) -> ResponseFields:
    """The fields that may be changed, as they stand."""
    return ResponseFields(**{name: getattr(response, name) for name in ResponseFields.__struct_fields__})


def item(response: Response) -> ResponseItem:
    return ResponseItem(**record(response))


def record(response: Response) -> dict[str, Any]:
    """What is shown of a response."""
    shown = {name: getattr(response, name) for name in ("id", "event_id", "email_address", *ResponseFields.__struct_fields__)}
    return shown | {"created_at": timestamps.format_utc(response.created_at), "updated_at": timestamps.format_utc(response.updated_at)}
