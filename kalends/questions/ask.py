"""The page that asks the questions of an event, before a response with YES is stored or to change its answers."""

from collections.abc import Sequence

from kalends.context import Context
from kalends.http.endpoint import Document
from kalends.i18n import gettext
from kalends.questions import answer_form, present, store
from kalends.questions.asking import MAX_PERSONS
from kalends.records.event import Event
from kalends.web.forms import FormState
from kalends.web.render import render


def render_questions(
    ctx: Context, event: Event, form: FormState, people: int, *, action: str, back: str, carried: Sequence[str] = ()
) -> Document:
    """The form with the questions. carried: the names of other inputs that were typed, which it sends beside the answers."""
    questions = store.of_event(ctx, event.id, event.calendar_id)
    inputs = answer_form.inputs(questions, present.load(ctx, event.id, event.calendar_id), people)
    ctx.headers["Cache-Control"] = "no-store"
    return render(
        "questions/ask.html",
        ctx,
        title=gettext("Questions about %(title)s", title=event.title),
        event=event,
        form=form,
        inputs=inputs,
        problems=answer_form.with_labels(form, answer_form.labels(inputs)),
        person_name=answer_form.person_name,
        is_partial=people > MAX_PERSONS and any(each.person is not None for each in inputs),
        action=action,
        back=back,
        carried=[(name, form.values[name]) for name in carried if isinstance(form.values.get(name), str)],
    )
