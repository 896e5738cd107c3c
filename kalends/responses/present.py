"""Representations of responses in API replies and forms."""

from typing import Any

from kalends.http.input.fields import Changes, Params
from kalends.records.response import Response
from kalends.responses.model import ResponseFields, ResponseInput, ResponseItem
from kalends.values import timestamps


def editable(response: Response) -> ResponseFields:
    """The editable fields with their current values."""
    return ResponseFields(**{name: getattr(response, name) for name in ResponseFields.__struct_fields__})


def input_of(response: Response, changes: Changes[ResponseFields]) -> Params[ResponseInput]:
    """The stored response with the changes, and the names of the fields that differ."""
    values = {name: getattr(response, name) for name in ResponseFields.__struct_fields__}
    names = frozenset(name for name, value in changes.values.items() if value != values[name])
    return Params(ResponseInput(event_id=response.event_id, **(values | changes.values)), names)


def item(response: Response) -> ResponseItem:
    return ResponseItem(**record(response))


def record(response: Response) -> dict[str, Any]:
    """The fields of a response in replies."""
    fields = {name: getattr(response, name) for name in ("id", "event_id", "email_address", *ResponseFields.__struct_fields__)}
    return fields | {"created_at": timestamps.format_utc(response.created_at), "updated_at": timestamps.format_utc(response.updated_at)}
