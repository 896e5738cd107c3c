"""The pages on which organisers write the questions of an event or of a calendar."""

from collections.abc import Sequence

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.question import Question
from kalends.features.events.questions import api
from kalends.features.events.series.steps import copies
from kalends.features.questions import answer_store as answers
from kalends.features.questions import present, store
from kalends.features.questions.model import EventQuestionFields, QuestionScope
from kalends.features.questions.rules import editor_form
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.http.input.form import Form
from kalends.web.forms import FormState
from kalends.web.page import page
from kalends.web.redirects import redirect
from kalends.web.render import render

KINDS = {
    "text": gettext("Short text"),
    "long": gettext("Long text"),
    "one": gettext("One option"),
    "many": gettext("Several options"),
    "yes_no": gettext("Yes or no"),
    "number": gettext("Number"),
}
NEW = {"kind": "text", "per": "party", "keep_days": 30}


@page("GET", "/events/{event_id}/questions")
@page("GET", "/calendars/{calendar_id}/questions")
def index(ctx: Context, event_id: int = 0, calendar_id: int = 0, form: FormState | None = None) -> Document:
    """The questions of an event or calendar, and the form to add one. An event asks those of its calendar before its own."""
    owner = copies.load(ctx, event_id, calendar_id)
    own = api.find_own(ctx, owner)
    counts = answers.count(ctx, event_id) if event_id else {}
    return render(
        "questions/index.html",
        ctx,
        title=gettext("Questions for %(name)s", name=owner.name),
        owner=owner,
        form=form or FormState(NEW),
        kinds=KINDS,
        items=present.items(own, counts),
        shared=present.items(store.of_calendar(ctx, owner.calendar_id), {}) if event_id else [],
        answered={question_id: sum(each.values()) for question_id, each in counts.items()},
        conditions=editor_form.conditions(own),
    )


@page("POST", "/events/{event_id}/questions", again=index)
@page("POST", "/calendars/{calendar_id}/questions", again=index)
def create(ctx: Context, params: Form, event_id: int = 0, calendar_id: int = 0) -> Document:
    """Add a question to an event or calendar."""
    fields = Form(editor_form.params(params)).read(EventQuestionFields)
    owner = copies.lock(ctx, event_id, calendar_id)
    api.insert(ctx, owner, fields, fields.scope)
    return redirect(ctx, f"{owner.path}/questions", done="saved", can_undo=True)


@page("GET", "/events/{event_id}/questions/{question_id}/edit")
@page("GET", "/calendars/{calendar_id}/questions/{question_id}/edit")
def edit(ctx: Context, question_id: int, event_id: int = 0, calendar_id: int = 0, form: FormState | None = None) -> Document:
    """The form to change a question."""
    owner = copies.load(ctx, event_id, calendar_id)
    own = api.find_own(ctx, owner)
    question = _find(own, question_id)
    return render(
        "questions/edit.html",
        ctx,
        title=gettext("Edit question"),
        owner=owner,
        form=form or FormState(editor_form.values_of(present.editable(question, own))),
        question=question,
        conditions=editor_form.conditions(own, question_id),
    )


@page("POST", "/events/{event_id}/questions/{question_id}/edit", again=edit)
@page("POST", "/calendars/{calendar_id}/questions/{question_id}/edit", again=edit)
def update(ctx: Context, question_id: int, params: Form, event_id: int = 0, calendar_id: int = 0) -> Document:
    """Change a question."""
    changes = Form(editor_form.params(params)).changes(EventQuestionFields)
    owner = copies.lock(ctx, event_id, calendar_id)
    api.update(ctx, owner, question_id, changes)
    return redirect(ctx, f"{owner.path}/questions", done="saved", can_undo=True)


@page("GET", "/events/{event_id}/questions/{question_id}/delete")
@page("GET", "/calendars/{calendar_id}/questions/{question_id}/delete")
def ask(ctx: Context, question_id: int, event_id: int = 0, calendar_id: int = 0, form: FormState | None = None) -> Document:
    """Ask before a question is deleted with its answers."""
    owner = copies.load(ctx, event_id, calendar_id)
    question = _find(api.find_own(ctx, owner), question_id)
    return render(
        "questions/delete.html",
        ctx,
        title=gettext("Delete question"),
        owner=owner,
        form=form,
        question=question,
        number=answers.count_of_question(ctx, question.id),
    )


@page("POST", "/events/{event_id}/questions/{question_id}/delete", again=ask)
@page("POST", "/calendars/{calendar_id}/questions/{question_id}/delete", again=ask)
def destroy(ctx: Context, question_id: int, params: Form, event_id: int = 0, calendar_id: int = 0) -> Document:
    """Delete a question."""
    which = params.read(QuestionScope).scope if event_id else "this"
    owner = copies.lock(ctx, event_id, calendar_id)
    api.delete(ctx, owner, question_id, which)
    return redirect(ctx, f"{owner.path}/questions", done="deleted", can_undo=True)


def _find(questions: Sequence[Question], question_id: int) -> Question:
    for question in questions:
        if question.id == question_id:
            return question
    raise errors.NotFound
