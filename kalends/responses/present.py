"""Representations of responses in API replies and forms."""

from collections.abc import Sequence
from typing import Any

from kalends.context import Context
from kalends.http.input.fields import Changes, Params
from kalends.records.response import Response
from kalends.responses import places
from kalends.responses.model import ResponseFields, ResponseInput, ResponseItem, SeatPlace
from kalends.values import timestamps


def editable(response: Response) -> ResponseFields:
    """The editable fields with their current values."""
    return ResponseFields(**{name: getattr(response, name) for name in ResponseFields.__struct_fields__})


def input_of(response: Response, changes: Changes[ResponseFields]) -> Params[ResponseInput]:
    """The stored response with the changes, and the names of the fields that differ."""
    values = {name: getattr(response, name) for name in ResponseFields.__struct_fields__}
    names = frozenset(name for name, value in changes.values.items() if value != values[name])
    return Params(ResponseInput(event_id=response.event_id, **(values | changes.values)), names)


def item(ctx: Context, response: Response) -> ResponseItem:
    return ResponseItem(**record(ctx, response))


def items(ctx: Context, responses: Sequence[Response]) -> list[ResponseItem]:
    by_id = places.find(ctx, responses)
    return [ResponseItem(**_record(response, by_id.get(response.id))) for response in responses]


def record(ctx: Context, response: Response) -> dict[str, Any]:
    """The fields of a response in replies."""
    return _record(response, places.find(ctx, [response]).get(response.id))


def _record(response: Response, place: SeatPlace | None) -> dict[str, Any]:
    fields = {name: getattr(response, name) for name in ("id", "event_id", "email_address", *ResponseFields.__struct_fields__)}
    times = {"created_at": timestamps.format_utc(response.created_at), "updated_at": timestamps.format_utc(response.updated_at)}
    return fields | times | {"place": place}
