"""The questions to those who come to an event."""

from kalends import policy
from kalends.context import Context
from kalends.events.series import copies
from kalends.http.endpoint import endpoint
from kalends.http.input.fields import Changes
from kalends.http.input.types import Deletion
from kalends.http.paging import Paging, slice_page
from kalends.policy import Right
from kalends.questions import present, rules, store
from kalends.questions.model import EventQuestionFields, QuestionIndex, QuestionItem, QuestionScope
from kalends.records.event import Event
from kalends.records.question import Question


@endpoint("GET", "/api/events/{event_id}/questions", guests=True)
def questions(ctx: Context, event_id: int, params: Paging) -> QuestionIndex:
    """What is asked of those who say YES: the questions of the event's home calendar, then its own."""
    event = policy.event(ctx, event_id, to=Right.SEE)
    return QuestionIndex(*slice_page(ctx, params, present.load(ctx, event.id, event.calendar_id)))


@endpoint("POST", "/api/events/{event_id}/questions", status=201)
def add_question(ctx: Context, event_id: int, params: EventQuestionFields) -> QuestionItem:
    """Add a question to the event. Of a series, `scope` adds it to the following dates too, or to all.

    It is asked with YES only. Responses that came before stay as they are; if it is required, `missing` names it there.
    """
    event = copies.lock_event(ctx, event_id)
    origin = rules.check(params, store.of_events(ctx, [event.id]))
    question_id = store.insert(ctx, params, origin, event_id=event.id)
    others = copies.find_other_dates(ctx, event, params.scope)
    if others:
        store.insert_copies(ctx, [question_id], others)
    return _item(ctx, event, question_id)


@endpoint("PUT", "/api/events/{event_id}/questions/{question_id}")
def update_question(ctx: Context, event_id: int, question_id: int, params: Changes[EventQuestionFields]) -> QuestionItem:
    """Change the question; answers that were given keep the wording with which it was asked. `scope` changes its copies on other
    dates of the series, too."""
    event = copies.lock_event(ctx, event_id)
    others = store.of_events(ctx, [event.id])
    question = copies.find(others, question_id, "question")
    fields = params.over(present.editable(question, others))
    origin = rules.check(fields, others, question)
    store.update(ctx, _with_copies(ctx, event, question, fields.scope), fields, origin)
    return _item(ctx, event, question_id)


@endpoint("DELETE", "/api/events/{event_id}/questions/{question_id}")
def delete_question(ctx: Context, event_id: int, question_id: int, params: QuestionScope) -> Deletion:
    """Delete the question with its answers. `scope` deletes its copies on other dates of the series, too."""
    event = copies.lock_event(ctx, event_id)
    others = store.of_events(ctx, [event.id])
    question = copies.find(others, question_id, "question")
    rules.require_no_dependants(others, question)
    ids = _with_copies(ctx, event, question, params.scope)
    store.delete(ctx, ids)
    return Deletion(ids)


def _with_copies(ctx: Context, event: Event, question: Question, which: str) -> list[int]:
    """The ids of the question, and of its copies on other dates of the scope."""
    return [each.id for each in copies.with_copies(ctx, event, question, which, store.of_events)]


def _item(ctx: Context, event: Event, question_id: int) -> QuestionItem:
    return next(item for item in present.load(ctx, event.id, event.calendar_id) if item.id == question_id)
