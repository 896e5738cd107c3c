"""Responses (RSVPs) to events."""

from typing import Any

from msgspec import UNSET

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.event import Event
from kalends.core.records.response import Response
from kalends.features.blocked_senders.store import discard_if_blocked
from kalends.features.deliveries.steps import guest_notice
from kalends.features.questions import answer_rules
from kalends.features.questions import store as questions
from kalends.features.questions.present import answer_items, describe
from kalends.features.responses import present, store
from kalends.features.responses import reminder_choice_store as choice
from kalends.features.responses.model import (
    Acceptance,
    Author,
    BlankResponse,
    LinkRequest,
    LinkRequested,
    ReminderChoice,
    RemindersChosen,
    ResponseChanges,
    ResponseCreated,
    ResponseExport,
    ResponseFields,
    ResponseFor,
    ResponseIndex,
    ResponseInput,
    ResponseItem,
    ResponseProof,
    ResponseQuery,
    ResponseRemoval,
    SeatPlace,
    SeriesPlaces,
)
from kalends.features.responses.steps import admission
from kalends.features.responses.steps.author import acts_for_guest, author, author_of, by_link
from kalends.features.responses.steps.author import reset_link as replace_link
from kalends.features.responses.steps.erase import erase as erase_response
from kalends.features.responses.steps.respond import respond
from kalends.features.responses.steps.series import confirm_dates, respond_to_series
from kalends.http.context import Context
from kalends.http.csv_file import csv_file
from kalends.http.endpoint import Document, endpoint
from kalends.http.input.fields import Changes, Params
from kalends.http.input.types import Deletion
from kalends.http.paging import paginate, select
from kalends.http.rate_limit import count_event_write
from kalends.policy import Right

CSV_COLUMNS = (
    *("id", "name", "email_address", "response", "number", "plus_n", "comment", "opt_in", "min_party", "created_at", "updated_at"),
    "place",
)


@endpoint("GET", "/api/responses")
def index(ctx: Context, params: ResponseQuery) -> ResponseIndex:
    """An event's responses: all of them for the event owner, else your own. Without `event_id`, your own to all events.

    Answers are in `show`, and here if `fields` names them.
    """
    with errors.naming("event_id"):
        event = policy.event(ctx, params.event_id, to=Right.SEE) if params.event_id else None
    user = policy.user(ctx)
    if event and event.can_edit:
        rows = store.of_event(ctx, event.id, params.fetch, params.offset)
        total = store.count_of_event(ctx, event.id) if params.count else UNSET
    else:
        rows = store.of_user(ctx, user.id, params.event_id, params.fetch, params.offset)
        total = store.count_of_user(ctx, user.id, params.event_id) if params.count else UNSET
    responses, next_page = paginate(ctx, params, rows)
    items = [select(item, params.fields) for item in present.summaries(ctx, responses, params.fields or [])]
    return ResponseIndex(items, limit=params.size, offset=params.offset, next=next_page, total=total)


@endpoint("GET", "/api/responses.csv")
def export(ctx: Context, params: ResponseExport) -> Document:
    """All responses to the event as a table, for the event owner, with a column for each question."""
    with errors.naming("event_id"):
        event = policy.event(ctx, params.event_id, to=Right.EDIT)
    responses = store.of_event(ctx, event.id, store.count_of_event(ctx, event.id))
    asked = questions.of_event(ctx, event.id, event.calendar_id)
    labels = [f"{question.label} ({question.id})" if question.label in CSV_COLUMNS else question.label for question in asked]
    rows = [
        [*(_field(item, column) for column in CSV_COLUMNS), *(_cell(item, question.id) for question in asked)]
        for item in present.items(ctx, responses)
    ]
    return csv_file(ctx, f"responses-{event.id}", [*CSV_COLUMNS, *labels], rows)


def _field(item: ResponseItem, column: str) -> Any:
    value = getattr(item, column)
    return value.place if isinstance(value, SeatPlace) else value


def _cell(item: ResponseItem, question_id: int) -> str:
    """The answers to a question; where each person was asked, those of the persons in their order."""
    answers = [each for each in item.answers if each.question_id == question_id]
    return " | ".join(describe(each.answer) for each in sorted(answers, key=lambda each: each.person or 0))


@endpoint("GET", "/api/responses/new", guests=True)
def new(ctx: Context, params: ResponseFor) -> BlankResponse:
    """The editable fields with defaults. Nothing is saved."""
    if params.event_id is not None:
        with errors.naming("event_id"):
            policy.event(ctx, params.event_id, to=Right.SEE)
    actor = ctx.actor
    return BlankResponse(
        event_id=params.event_id,
        email_address=actor.email_address if actor else None,
        response=None,
        name=actor.display_name if actor else None,
        comment=None,
        number=1,
        plus_n=0,
        opt_in=False,
        min_party=None,
        answers=[],
    )


@endpoint(
    "POST",
    "/api/responses",
    status=201,
    other_status=200,
    location="/api/responses/{id}",
    guests=True,
    rate_limited=True,
    fixed_time=True,
)
def create(ctx: Context, params: Params[ResponseInput]) -> ResponseCreated:
    """Respond to an event with YES, MAYBE or NO.

    There is one response for each address and event: another create changes it, and what it leaves out stays. With proof that the
    address is yours, or as an editor of the event, the reply is the record, 201 when it is new and 200 when it was changed. Without
    proof it is always 201 and the request's own fields, and a response that was made with proof is left as it is.
    """
    fields = params.value
    policy.open_link(ctx, fields.link)
    with errors.naming("event_id"):
        event = policy.event(ctx, fields.event_id, to=Right.SEE)
    count_event_write(ctx, event.id)
    who = author(ctx, fields.email_address, fields.name)
    with discard_if_blocked(ctx, who.email_address):
        if fields.scope != "this" and event.series_id is not None:
            return _create_for_series(ctx, event, who, params)
        return _create_for_event(ctx, event, who, params)


def _create_for_event(ctx: Context, event: Event, who: Author, params: Params[ResponseInput]) -> ResponseCreated:
    response = respond(ctx, event, who, params)
    if response is None:
        return _echo(ctx, event, who, params.value)
    if response.version > 1:
        ctx.status = 200
    return ResponseCreated(**present.record(ctx, response))


def _create_for_series(ctx: Context, event: Event, who: Author, params: Params[ResponseInput]) -> ResponseCreated:
    responses = respond_to_series(ctx, event, who, params)
    if responses is None:
        return _echo(ctx, event, who, params.value)
    if responses.main.version > 1:
        ctx.status = 200
    waiting = sum(row.queued_at is not None and row.held < row.people for row in responses.rows)
    held = sum(row.response == "YES" for row in responses.rows) - waiting
    return ResponseCreated(**present.record(ctx, responses.main), series=SeriesPlaces(len(responses.rows), held, waiting))


def _echo(ctx: Context, event: Event, who: Author, fields: ResponseInput) -> ResponseCreated:
    """The fields of the request, for a caller without proof: the stored response stays hidden."""
    asked = questions.of_event(ctx, event.id, event.calendar_id) if fields.answers else []
    return ResponseCreated(
        event_id=fields.event_id,
        email_address=who.email_address,
        name=who.name,
        response=fields.response,
        number=fields.number,
        plus_n=fields.plus_n,
        comment=fields.comment,
        opt_in=fields.opt_in,
        min_party=fields.min_party,
        answers=answer_items(answer_rules.read(asked, fields.answers or [], fields.number + fields.plus_n)),
    )


@endpoint("POST", "/api/responses/link", status=202, guests=True, rate_limited=True, fixed_time=True)
def link(ctx: Context, params: LinkRequest) -> LinkRequested:
    """Mail the personal link of a response to its address, at most three times an hour.

    The reply is the same whether or not the address has responded.
    """
    policy.open_link(ctx, params.link)
    with errors.naming("event_id"):
        event = policy.event(ctx, params.event_id, to=Right.SEE)
    guest_notice.insert_link(ctx, event, params.email_address)
    return LinkRequested(params.email_address)


@endpoint("GET", "/api/responses/{response_id}", guests=True)
def show(ctx: Context, response_id: int, params: ResponseProof) -> ResponseItem:
    """The response, for the event's editors, the responder, and anyone who has its `token`."""
    response, _ = _load(ctx, response_id, params.token)
    return present.item(ctx, response)


@endpoint("GET", "/api/responses/{response_id}/edit")
def edit(ctx: Context, response_id: int) -> ResponseFields:
    """The editable fields of the response."""
    response, _ = policy.response(ctx, response_id)
    return present.editable(ctx, response)


@endpoint("PUT", "/api/responses/{response_id}", guests=True, rate_limited=True)
def update(ctx: Context, response_id: int, params: Changes[ResponseChanges]) -> ResponseItem:
    """Change the response: the event's editors, the responder, and anyone who has its `token` may."""
    token = params.get("token")
    response, event = _load(ctx, response_id, token, of_hidden=params.get("response") == "NO")
    who = by_link(response.email_address, response.name) if token else author_of(ctx, response)
    is_asked = "response" in params or (who.is_proven and response.confirm_until is not None)
    changed = respond(ctx, event, who, present.input_of(response, params), asks=is_asked)
    assert changed is not None
    if who.is_proven:
        confirm_dates(ctx, event, who)
    return present.item(ctx, changed)


@endpoint("PUT", "/api/responses/{response_id}/accept")
def accept(ctx: Context, response_id: int, params: Acceptance) -> ResponseItem:
    """Accept the response, as an editor: of an event with `approval`, or one that the guest has not confirmed; with `force`, also beyond
    the capacity."""
    response, event = policy.response(ctx, response_id, to=Right.EDIT)
    return present.item(ctx, admission.accept(ctx, event, response, force=params.force))


@endpoint("PUT", "/api/responses/{response_id}/reset_link", guests=True, rate_limited=True)
def reset_link(ctx: Context, response_id: int, params: ResponseProof) -> ResponseItem:
    """Replace the personal link of the response by another one, which is mailed to its address. The old one stops.

    The event's editors, the responder, and anyone who has its `token` may.
    """
    response, event = _load(ctx, response_id, params.token)
    return present.item(ctx, replace_link(ctx, response, event))


@endpoint("PUT", "/api/responses/{response_id}/reminders", guests=True, rate_limited=True)
def reminders(ctx: Context, response_id: int, params: ReminderChoice) -> RemindersChosen:
    """Switch the reminders of the event off or on for the responder, of a series for all dates that they have responded to.

    The responder and anyone who has its `token` may; the event's editors may switch them off.
    """
    response, event = _load(ctx, response_id, params.token, of_hidden=True)
    if params.wanted and _is_by_editor(ctx, event, response, params.token):
        raise errors.Forbidden(gettext("Only the guest can turn reminders back on."))
    choice.save(ctx, event, response, is_wanted=params.wanted)
    return RemindersChosen(choice.is_wanted(ctx, event, response))


@endpoint("DELETE", "/api/responses/{response_id}", guests=True, rate_limited=True)
def destroy(ctx: Context, response_id: int, params: ResponseRemoval) -> Deletion:
    """Delete the response: the event's editors, the responder, and anyone who has its `token` may. Editors notify the guest by mail,
    unless they send `notify=false`. With `erase`, the responder has all personal data erased."""
    response, event = _load(ctx, response_id, params.token, of_hidden=True)
    by_editor = _is_by_editor(ctx, event, response, params.token)
    if params.erase:
        if by_editor:
            raise errors.Forbidden(gettext("Only the guest can have the data erased. You can delete the response."))
        erase_response(ctx, response, event, with_comments=params.erase_comments)
        return Deletion([response_id])
    if by_editor:
        ctx.via = "owner"
    admission.withdraw(ctx, event, response)
    state = store.find_state(ctx, event.id) if by_editor and params.notify and response.email_address else None
    if state and state.confirmations == "on":
        guest_notice.insert_removal(ctx, event, response.email_address)
    return Deletion([response_id])


def _load(ctx: Context, response_id: int, token: str | None, *, of_hidden: bool = False) -> tuple[Response, Event]:
    """The response with its event: by the token of its link, or else for the responder and the event's editors.

    of_hidden: by the token also if the guest cannot see the event any more.
    """
    if token is None:
        return policy.response(ctx, response_id)
    response, event = policy.linked_response(ctx, token, of_hidden=of_hidden)
    if response.id != response_id:
        raise errors.NotFound
    return response, event


def _is_by_editor(ctx: Context, event: Event, response: Response, token: str | None) -> bool:
    """Whether an editor of the event acts for the guest, and not the guest, who has the token or the address."""
    return token is None and acts_for_guest(ctx, event, author_of(ctx, response))
