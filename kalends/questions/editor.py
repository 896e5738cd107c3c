"""The pages on which organisers write the questions of an event or of a calendar."""

from collections.abc import Sequence

from msgspec import Struct

from kalends import errors
from kalends.context import Context
from kalends.http.endpoint import Document
from kalends.i18n import gettext
from kalends.questions import answers, editor_form, present
from kalends.records.question import Question
from kalends.web.forms import FormState
from kalends.web.render import render

KINDS = {
    "text": gettext("A line of text"),
    "long": gettext("A long text"),
    "one": gettext("One of the options"),
    "many": gettext("Several of the options"),
    "yes_no": gettext("Yes or no"),
    "number": gettext("A number"),
}
NEW = {"kind": "text", "per": "party", "keep_days": 30}


class Owner(Struct, frozen=True):
    """The event or calendar whose questions are written."""

    # The path of its page.
    path: str
    name: str
    questions: list[Question]
    # The questions of the home calendar, which an event asks before its own.
    shared: list[Question] = []
    calendar_id: int | None = None
    event_id: int | None = None
    is_repeated: bool = False


def index(ctx: Context, owner: Owner, form: FormState | None) -> Document:
    counts = answers.count(ctx, owner.event_id) if owner.event_id else {}
    return render(
        "questions/index.html",
        ctx,
        title=gettext("Questions of %(name)s", name=owner.name),
        owner=owner,
        form=form or FormState(NEW),
        kinds=KINDS,
        items=present.items(owner.questions, counts),
        shared=present.items(owner.shared, {}),
        answered={question_id: sum(each.values()) for question_id, each in counts.items()},
        conditions=editor_form.conditions(owner.questions),
    )


def edit(ctx: Context, owner: Owner, question_id: int, form: FormState | None) -> Document:
    question = find(owner.questions, question_id)
    return render(
        "questions/edit.html",
        ctx,
        title=gettext("Change the question"),
        owner=owner,
        form=form or FormState(editor_form.values_of(present.editable(question, owner.questions))),
        question=question,
        conditions=editor_form.conditions(owner.questions, question_id),
    )


def ask_deletion(ctx: Context, owner: Owner, question_id: int, form: FormState | None) -> Document:
    question = find(owner.questions, question_id)
    number = answers.count_of_question(ctx, question.id)
    return render(
        "questions/delete.html", ctx, title=gettext("Delete the question"), owner=owner, form=form, question=question, number=number
    )


def find(questions: Sequence[Question], question_id: int) -> Question:
    for question in questions:
        if question.id == question_id:
            return question
    raise errors.NotFound
