"""Representations of responses in API replies and forms."""

from collections.abc import Collection, Sequence
from typing import Any, TypeVar

from kalends.core.records.question import Answer, Question
from kalends.core.records.response import Response
from kalends.core.values import timestamps
from kalends.core.values.timestamps import format_utc
from kalends.features.questions import answer_rules
from kalends.features.questions import answer_store as answers
from kalends.features.questions import present as question_present
from kalends.features.questions import store as questions
from kalends.features.questions.model import AnswerInput
from kalends.features.responses import seat_store
from kalends.features.responses.model import (
    COLUMNS,
    Ahead,
    PassedOver,
    PlaceState,
    ResponseFields,
    ResponseInput,
    ResponseItem,
    ResponseSummary,
    SeatPlace,
)
from kalends.features.responses.seat_store import QueuePlace
from kalends.http.context import Context
from kalends.http.input.fields import Changes, Params

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
        seats = find_places(ctx, responses)
        return [ResponseSummary(**_columns(response), place=seats.get(response.id)) for response in responses]
    return [ResponseSummary(**fields) for fields in _records(ctx, responses)]


def is_asked(place: SeatPlace | None) -> bool:
    """Whether a YES again takes offered seats, or a new place in the queue."""
    return place is not None and place.place in ("offered", "lapsed")


def find_places(ctx: Context, responses: Sequence[Response]) -> dict[int, SeatPlace]:
    """The places by the ids of the responses; none for those that need none."""
    states = {response.id: state for response in responses if (state := _state(ctx, response))}
    queues = seat_store.find_queue_places(ctx, [each for each, state in states.items() if state in ("waiting", "partly")])
    return {response.id: _place(response, states[response.id], queues.get(response.id)) for response in responses if response.id in states}


def _state(ctx: Context, response: Response) -> PlaceState | None:
    if response.response != "YES":
        return None
    if response.is_pending:
        return "pending"
    if response.is_unconfirmed(ctx.now):
        return "unconfirmed"
    if response.held == response.people:
        return "held"
    if response.offered and response.offer_until and ctx.now < response.offer_until:
        return "offered"
    if response.held:
        return "partly"
    if response.offer_until:
        return "lapsed"
    return None if response.queued_at is None else "waiting"


def _place(response: Response, state: PlaceState, queue: QueuePlace | None) -> SeatPlace:
    is_offered = state == "offered"
    return SeatPlace(
        place=state,
        held=0 if state == "unconfirmed" else response.held,
        offered=response.offered if is_offered else 0,
        offer_until=format_utc(response.offer_until) if is_offered and response.offer_until else None,
        confirm_until=format_utc(response.confirm_until) if response.confirm_until and state != "unconfirmed" else None,
        ahead=Ahead(queue.parties, queue.people) if queue else None,
        passed_over=PassedOver(queue.times, format_utc(queue.last_at), queue.last_free) if queue and queue.last_at is not None else None,
    )


def record(ctx: Context, response: Response) -> dict[str, Any]:
    """The fields of a response in replies."""
    return _records(ctx, [response])[0]


def _records(ctx: Context, responses: Sequence[Response]) -> list[dict[str, Any]]:
    stored = answers.of_responses(ctx, [response.id for response in responses])
    asked = questions.asked_by(ctx, [response.event_id for response in responses if response.response == "YES"])
    seats = find_places(ctx, responses)
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
