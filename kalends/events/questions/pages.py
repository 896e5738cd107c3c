"""Pages on which organisers write the questions of an event."""

from kalends import policy
from kalends.context import Context
from kalends.events.questions import api
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.policy import Right
from kalends.questions import editor, editor_form, store
from kalends.questions.editor import Owner
from kalends.questions.model import EventQuestionFields, QuestionScope
from kalends.web.forms import FormState
from kalends.web.page import page
from kalends.web.redirects import redirect


@page("GET", "/events/{event_id}/questions")
def index(ctx: Context, event_id: int, form: FormState | None = None) -> Document:
    """The questions of an event, and the form to add one."""
    return editor.index(ctx, _load(ctx, event_id), form)


@page("POST", "/events/{event_id}/questions", again=index)
def create(ctx: Context, event_id: int, params: Form) -> Document:
    """Add a question to an event."""
    api.add_question(ctx, event_id, Form(editor_form.params(params)).read(EventQuestionFields))
    return redirect(ctx, f"/events/{event_id}/questions", done="saved", can_undo=True)


@page("GET", "/events/{event_id}/questions/{question_id}/edit")
def edit(ctx: Context, event_id: int, question_id: int, form: FormState | None = None) -> Document:
    """The form to change a question."""
    return editor.edit(ctx, _load(ctx, event_id), question_id, form)


@page("POST", "/events/{event_id}/questions/{question_id}/edit", again=edit)
def update(ctx: Context, event_id: int, question_id: int, params: Form) -> Document:
    """Change a question."""
    api.update_question(ctx, event_id, question_id, Form(editor_form.params(params)).changes(EventQuestionFields))
    return redirect(ctx, f"/events/{event_id}/questions", done="saved", can_undo=True)


@page("GET", "/events/{event_id}/questions/{question_id}/delete")
def ask(ctx: Context, event_id: int, question_id: int, form: FormState | None = None) -> Document:
    """Ask before a question is deleted with its answers."""
    return editor.ask_deletion(ctx, _load(ctx, event_id), question_id, form)


@page("POST", "/events/{event_id}/questions/{question_id}/delete", again=ask)
def destroy(ctx: Context, event_id: int, question_id: int, params: Form) -> Document:
    """Delete a question."""
    api.delete_question(ctx, event_id, question_id, params.read(QuestionScope))
    return redirect(ctx, f"/events/{event_id}/questions", done="deleted", can_undo=True)


def _load(ctx: Context, event_id: int) -> Owner:
    event = policy.event(ctx, event_id, to=Right.EDIT)
    questions = store.of_event(ctx, event.id, event.calendar_id)
    return Owner(
        f"/events/{event.id}",
        event.title,
        [question for question in questions if question.event_id],
        [question for question in questions if question.calendar_id],
        calendar_id=event.calendar_id,
        event_id=event.id,
        is_repeated=event.series_id is not None,
    )
