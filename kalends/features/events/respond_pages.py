"""Responding on the page of an event: the form of guests, the one tap of members, and the questions of the event."""

from typing import Any

from msgspec import UNSET

from kalends import policy
from kalends.core.records.event import Event
from kalends.features.events import pages
from kalends.features.questions import answer_rules
from kalends.features.questions import store as questions
from kalends.features.questions.steps import answer_form
from kalends.features.responses import api as responses
from kalends.features.responses.model import ResponseInput
from kalends.features.responses.rules.seating import require_few
from kalends.features.responses.steps import guest_cookie, newcomer
from kalends.features.responses.steps.guest_cookie import OwnResponse
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.fields import Params
from kalends.http.input.form import Form
from kalends.policy import Right
from kalends.web.forms import FormState
from kalends.web.page import page
from kalends.web.redirects import redirect

CARRIED = ("email_address", "response", "name", "number", "plus_n", "comment", "min_party", "scope")


@page(
    "POST",
    "/events/{event_id}/respond",
    guests=True,
    rate_limited=True,
    fixed_time=True,
    is_guest_form=True,
    again=pages.show,
    form="respond",
)
def respond(ctx: Context, event_id: int, params: Form) -> Document:
    """Respond to the event. The questions are asked afterwards, unless one must be answered before."""
    fields = Form(_filled_in(ctx, params) | {"event_id": event_id}).params(ResponseInput)
    event = policy.event(ctx, event_id, to=Right.SEE)
    _require_few(event, fields.value)
    is_asked = fields.value.response == "YES" and not _has_said_yes(ctx, event_id) and questions.of_event(ctx, event.id, event.calendar_id)
    if not is_asked:
        return _submit(ctx, event_id, fields)
    form = FormState(params.values)
    if not _must_answer(ctx, event, form):
        _save(ctx, event_id, fields)
    return _ask(ctx, event, form)


def _has_said_yes(ctx: Context, event_id: int) -> bool:
    """Whether a member has said YES and answered the questions."""
    mine = policy.my_response(ctx, event_id) if ctx.actor else None
    return mine is not None and mine.response == "YES"


def _must_answer(ctx: Context, event: Event, form: FormState) -> bool:
    """Whether the response cannot be stored without answers."""
    asked = questions.of_event(ctx, event.id, event.calendar_id)
    return bool(answer_rules.missing(asked, {}, answer_form.party_size(form.values)))


def ask_again(ctx: Context, event_id: int, form: FormState) -> Document:
    """The questions, with what was answered and what is wrong with it."""
    return _ask(ctx, policy.event(ctx, event_id, to=Right.SEE), form)


@page("POST", "/events/{event_id}/respond/questions", guests=True, rate_limited=True, fixed_time=True, is_guest_form=True, again=ask_again)
def answer(ctx: Context, event_id: int, params: Form) -> Document:
    """Respond with YES, and answer the questions of the event."""
    values = _filled_in(ctx, params.without("answers")) | {"event_id": event_id}
    event = policy.event(ctx, event_id, to=Right.SEE)
    typed = answer_form.read(ctx, event, values, answer_form.party_size(values))
    with typed.naming_inputs():
        # The form does not show what is stored, so nothing typed changes nothing.
        fields = Form(values | ({"answers": typed.params} if typed.params else {})).params(ResponseInput)
        _require_few(event, fields.value)
        return _submit(ctx, event_id, fields)


def _require_few(event: Event, value: ResponseInput) -> None:
    if not event.can_edit:
        require_few(value.number + value.plus_n, event.page_limit)


def _ask(ctx: Context, event: Event, form: FormState) -> Document:
    path, people = pages.path_of(ctx, event.id), answer_form.party_size(form.values)
    is_saved = not _must_answer(ctx, event, form)
    return answer_form.render_questions(
        ctx,
        event,
        form,
        people,
        action=f"{path}/respond/questions",
        back=f"{path}#ticket" if is_saved else path,
        carried=CARRIED,
        is_saved=is_saved,
    )


def _submit(ctx: Context, event_id: int, fields: Params[ResponseInput]) -> Document:
    return redirect(ctx, f"{pages.path_of(ctx, event_id)}#ticket", done=_save(ctx, event_id, fields))


def _save(ctx: Context, event_id: int, fields: Params[ResponseInput]) -> str:
    """Store the response; returns the key of the notice about it."""
    if ctx.actor is None:
        _respond_as_guest(ctx, event_id, fields)
        return ""
    response = responses.create(ctx, fields)
    # Of an address that the account has not verified, the mail alone says what holds.
    return "confirm-response" if response.id is UNSET else ""


def _respond_as_guest(ctx: Context, event_id: int, fields: Params[ResponseInput]) -> None:
    """Store the response or its proposal, and remember in the browser what the request says and a newcomer gets, never what is stored."""
    guest_cookie.ensure_key(ctx)
    value, before = fields.value, guest_cookie.find(ctx, event_id)
    place = newcomer.find_place(ctx, event_id, value)
    # Who changes a response keeps what they hold.
    is_kept = before is not None and place.state in ("held", "partly", "waiting", "in_mail") and not _waited(before)
    created = responses.create(ctx, fields)
    people = value.number + value.plus_n
    guest_cookie.put_person(ctx, value.name, created.email_address)
    guest_cookie.put(ctx, event_id, OwnResponse(value.response, "", people, None if is_kept else place, value.scope != "this"))


def _waited(own: OwnResponse) -> bool:
    return own.place is not None and own.place.state == "waiting"


def _filled_in(ctx: Context, form: Form) -> dict[str, Any]:
    """The values that were typed. An empty input changes nothing, nor does a box that a guest has not ticked."""
    empty = ("", "false") if ctx.actor is None else ("",)
    return {name: value for name, value in form.values.items() if value not in empty}
