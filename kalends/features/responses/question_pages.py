"""The page on which the answers of a response are given and corrected, by the event's editors and the responder."""

from kalends import policy
from kalends.features.questions import answer_store as answers
from kalends.features.questions.steps import answer_form
from kalends.features.responses import api
from kalends.features.responses.model import ResponseChanges
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.web.forms import FormState
from kalends.web.page import page
from kalends.web.redirects import redirect


@page("GET", "/responses/{response_id}/questions")
def edit(ctx: Context, response_id: int, form: FormState | None = None) -> Document:
    """The questions of the event, with the answers of the response."""
    response, event = policy.response(ctx, response_id)
    form = form or FormState(answer_form.values_of(answers.of_responses(ctx, [response.id]).get(response.id, [])))
    path = f"/responses/{response.id}"
    return answer_form.render_questions(
        ctx, event, form, response.number + response.plus_n, action=f"{path}/questions", back=f"{path}/edit"
    )


@page("POST", "/responses/{response_id}/questions", again=edit)
def update(ctx: Context, response_id: int, params: Form) -> Document:
    """Answer the questions, and say YES."""
    response, event = policy.response(ctx, response_id)
    typed = answer_form.read(ctx, event, params.values, response.number + response.plus_n)
    with typed.naming_inputs():
        api.update(ctx, response_id, Form({"response": "YES", "answers": typed.params}).changes(ResponseChanges))
    return redirect(ctx, f"/responses/{response.id}/edit", done="saved", can_undo=True)
