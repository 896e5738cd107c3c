"""Pages on which owners write the questions that all events of a calendar ask."""

from kalends import policy
from kalends.calendars.questions import api
from kalends.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.policy import Right
from kalends.questions import editor, editor_form, store
from kalends.questions.editor import Owner
from kalends.questions.model import QuestionFields
from kalends.web.forms import FormState
from kalends.web.page import page
from kalends.web.redirects import redirect


@page("GET", "/calendars/{calendar_id}/questions")
def index(ctx: Context, calendar_id: int, form: FormState | None = None) -> Document:
    """The questions of a calendar, and the form to add one."""
    return editor.index(ctx, _load(ctx, calendar_id), form)


@page("POST", "/calendars/{calendar_id}/questions", again=index)
def create(ctx: Context, calendar_id: int, params: Form) -> Document:
    """Add a question to a calendar."""
    api.add_calendar_question(ctx, calendar_id, Form(editor_form.params(params)).read(QuestionFields))
    return redirect(ctx, f"/calendars/{calendar_id}/questions", done="saved", can_undo=True)


@page("GET", "/calendars/{calendar_id}/questions/{question_id}/edit")
def edit(ctx: Context, calendar_id: int, question_id: int, form: FormState | None = None) -> Document:
    """The form to change a question of a calendar."""
    return editor.edit(ctx, _load(ctx, calendar_id), question_id, form)


@page("POST", "/calendars/{calendar_id}/questions/{question_id}/edit", again=edit)
def update(ctx: Context, calendar_id: int, question_id: int, params: Form) -> Document:
    """Change a question of a calendar."""
    api.update_calendar_question(ctx, calendar_id, question_id, Form(editor_form.params(params)).changes(QuestionFields))
    return redirect(ctx, f"/calendars/{calendar_id}/questions", done="saved", can_undo=True)


@page("GET", "/calendars/{calendar_id}/questions/{question_id}/delete")
def ask(ctx: Context, calendar_id: int, question_id: int, form: FormState | None = None) -> Document:
    """Ask before a question of a calendar is deleted with its answers."""
    return editor.ask_deletion(ctx, _load(ctx, calendar_id), question_id, form)


@page("POST", "/calendars/{calendar_id}/questions/{question_id}/delete", again=ask)
def destroy(ctx: Context, calendar_id: int, question_id: int, params: Form) -> Document:
    """Delete a question of a calendar."""
    api.delete_calendar_question(ctx, calendar_id, question_id)
    return redirect(ctx, f"/calendars/{calendar_id}/questions", done="deleted", can_undo=True)


def _load(ctx: Context, calendar_id: int) -> Owner:
    calendar = policy.calendar(ctx, calendar_id, to=Right.OWN)
    return Owner(f"/calendars/{calendar.id}", calendar.name, store.of_calendar(ctx, calendar.id))
