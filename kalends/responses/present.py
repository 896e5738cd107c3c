"""Representations of responses in API replies and forms."""

from collections.abc import Collection, Sequence
from typing import Any, TypeVar

from kalends.context import Context
from kalends.http.input.fields import Changes, Params
from kalends.questions import answer_rules, answers
from kalends.questions import present as question_present
from kalends.questions import store as questions
from kalends.questions.model import AnswerInput
from kalends.records.question import Answer, Question
from kalends.records.response import Response
from kalends.responses import places
from kalends.responses.model import COLUMNS, ResponseFields, ResponseInput, ResponseItem, ResponseSummary
from kalends.values import timestamps

# The fields that a list has only if they are asked for.
EXPANDED = frozenset(("answers", "missing"))

T = TypeVar("T", bound=ResponseFields)


def editable(ctx: Context, response: Response) -> ResponseFields:
    """The editable fields with their current values."""
    stored = answers.of_responses(ctx, [response.id]).get(response.id, [])
    places = answer_rules.group_by_place(stored).items()
    inputs = [AnswerInput(question_id, values, person) for (question_id, person), values in places]
    return ResponseFields(**{name: getattr(response, name) for name in COLUMNS}, answers=inputs)


def input_of(response: Response, changes: Changes[T]) -> Params[ResponseInput]:
    """The stored response with the changes, and the names of the fields that differ."""
    values = {name: getattr(response, name) for name in COLUMNS}
    sent = {name: value for name, value in changes.values.items() if name in ResponseFields.__struct_fields__}
    names = frozenset(name for name, value in sent.items() if name not in COLUMNS or value != values[name])
    return Params(ResponseInput(event_id=response.event_id, notify=changes.get("notify", True), **(values | sent)), names)


def item(ctx: Context, response: Response) -> ResponseItem:
    return items(ctx, [response])[0]


def items(ctx: Context, responses: Sequence[Response]) -> list[ResponseItem]:
    """The responses with their answers, the questions that are not answered yet, and their places."""
    return [ResponseItem(**fields) for fields in _records(ctx, responses)]


def summaries(ctx: Context, responses: Sequence[Response], names: Collection[str]) -> list[ResponseSummary]:
    """The responses for a list, with their answers only if these are asked for."""
    if EXPANDED.isdisjoint(names):
        seats = places.find(ctx, responses)
        return [ResponseSummary(**_columns(response), place=seats.get(response.id)) for response in responses]
    return [ResponseSummary(**fields) for fields in _records(ctx, responses)]


def record(ctx: Context, response: Response) -> dict[str, Any]:
    """The fields of a response in replies."""
    return _records(ctx, [response])[0]


def _records(ctx: Context, responses: Sequence[Response]) -> list[dict[str, Any]]:
    stored = answers.of_responses(ctx, [response.id for response in responses])
    asked = questions.asked_by(ctx, [response.event_id for response in responses if response.response == "YES"])
    seats = places.find(ctx, responses)
    return [
        _record(response, stored.get(response.id, []), asked.get(response.event_id, [])) | {"place": seats.get(response.id)}
        for response in responses
    ]


def _record(response: Response, stored: list[Answer], asked: list[Question]) -> dict[str, Any]:
    missing = answer_rules.missing(asked, answer_rules.group_by_place(stored), response.people) if response.response == "YES" else []
    return _columns(response) | {
        "answers": question_present.answer_items(stored),
        "missing": list(dict.fromkeys(place.question_id for place in missing)),
    }


def _columns(response: Response) -> dict[str, Any]:
    return {name: getattr(response, name) for name in ("id", "event_id", "email_address", *COLUMNS)} | {
        "created_at": timestamps.format_utc(response.created_at),
        "updated_at": timestamps.format_utc(response.updated_at),
    }
