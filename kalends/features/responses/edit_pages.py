"""Pages on which a response and its answers are corrected, and it is removed, by the event's editors and the responder."""

from msgspec import structs

from kalends import policy
from kalends.core.i18n import gettext
from kalends.core.records.event import Event
from kalends.features.events.pages import path_of
from kalends.features.questions import answer_store as answers
from kalends.features.questions import store as questions
from kalends.features.questions.steps import answer_form
from kalends.features.responses import api, present
from kalends.features.responses.model import Acceptance, ResponseChanges, ResponseProof, ResponseRemoval
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.web.forms import FormState, filled
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render


@page("GET", "/responses/{response_id}/edit")
def edit(ctx: Context, response_id: int, form: FormState | None = None) -> Document:
    """The form to correct a response."""
    response, event = policy.response(ctx, response_id)
    place = present.find_places(ctx, [response]).get(response.id)
    is_asked = present.is_asked(place) and not event.can_edit
    form = form or filled(structs.asdict(api.edit(ctx, response_id)) | {"notify": True} | ({"response": None} if is_asked else {}))
    return render(
        "responses/edit.html",
        ctx,
        title=gettext("Edit RSVP"),
        form=form,
        response=response,
        event=event,
        place=place,
        is_asked=is_asked,
        has_questions=bool(questions.of_event(ctx, event.id, event.calendar_id)),
        back=_back(ctx, event),
    )


@page("POST", "/responses/{response_id}/edit", again=edit)
def update(ctx: Context, response_id: int, params: Form) -> Document:
    """Correct a response."""
    _, event = policy.response(ctx, response_id)
    api.update(ctx, response_id, params.changes(ResponseChanges))
    return redirect(ctx, _back(ctx, event), done="saved", can_undo=True)


@page("POST", "/responses/{response_id}/accept", again=edit)
def accept(ctx: Context, response_id: int, params: Form) -> Document:
    """Accept a response, or let it in beyond the capacity."""
    api.accept(ctx, response_id, params.read(Acceptance))
    _, event = policy.response(ctx, response_id)
    return redirect(ctx, _back(ctx, event), done="saved")


@page("GET", "/responses/{response_id}/delete")
def ask(ctx: Context, response_id: int) -> Document:
    """Ask before a response is removed."""
    response, event = policy.response(ctx, response_id)
    form = filled({"notify": True})
    return render(
        "responses/delete.html",
        ctx,
        title=gettext("Remove RSVP"),
        form=form,
        response=response,
        event=event,
        back=_back(ctx, event),
    )


@page("POST", "/responses/{response_id}/delete")
def destroy(ctx: Context, response_id: int, params: Form) -> Document:
    """Remove a response."""
    _, event = policy.response(ctx, response_id)
    api.destroy(ctx, response_id, params.read(ResponseRemoval))
    return redirect(ctx, _back(ctx, event), done="response-removed", can_undo=True)


@page("POST", "/responses/{response_id}/reset_link", again=edit)
def reset_link(ctx: Context, response_id: int, params: Form) -> Document:
    """Give the response another personal link, which is mailed to the guest."""
    _, event = policy.response(ctx, response_id)
    api.reset_link(ctx, response_id, ResponseProof())
    return redirect(ctx, _back(ctx, event), done="guest-link-reset")


def _back(ctx: Context, event: Event) -> str:
    return f"/events/{event.id}/responses" if event.can_edit else path_of(ctx, event.id)


@page("GET", "/responses/{response_id}/questions")
def edit_answers(ctx: Context, response_id: int, form: FormState | None = None) -> Document:
    """The questions of the event, with the answers of the response."""
    response, event = policy.response(ctx, response_id)
    form = form or FormState(answer_form.values_of(answers.of_responses(ctx, [response.id]).get(response.id, [])))
    path = f"/responses/{response.id}"
    people, is_saved = response.number + response.plus_n, response.response == "YES"
    return answer_form.render_questions(ctx, event, form, people, action=f"{path}/questions", back=f"{path}/edit", is_saved=is_saved)


@page("POST", "/responses/{response_id}/questions", again=edit_answers)
def update_answers(ctx: Context, response_id: int, params: Form) -> Document:
    """Answer the questions, and say YES."""
    response, event = policy.response(ctx, response_id)
    typed = answer_form.read(ctx, event, params.values, response.number + response.plus_n)
    with typed.naming_inputs():
        api.update(ctx, response_id, Form({"response": "YES", "answers": typed.params}).changes(ResponseChanges))
    return redirect(ctx, f"/responses/{response.id}/edit", done="saved", can_undo=True)
