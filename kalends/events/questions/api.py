"""The questions to those who come to an event."""

from kalends import policy
from kalends.context import Context
from kalends.events.questions import change
from kalends.http.endpoint import endpoint
from kalends.http.input.fields import Changes
from kalends.http.input.types import Deletion
from kalends.policy import Right
from kalends.questions import present
from kalends.questions.model import EventQuestionFields, QuestionIndex, QuestionItem, QuestionScope


@endpoint("GET", "/api/events/{event_id}/questions", guests=True)
def questions(ctx: Context, event_id: int) -> QuestionIndex:
    """What is asked of those who say YES: the questions of the event's home calendar, then its own."""
    event = policy.event(ctx, event_id, to=Right.SEE)
    return QuestionIndex(present.load(ctx, event.id, event.calendar_id))


@endpoint("POST", "/api/events/{event_id}/questions", status=201)
def add_question(ctx: Context, event_id: int, params: EventQuestionFields) -> QuestionItem:
    """Add a question to the event. Of a series, `scope` adds it to the following dates too, or to all.

    It is asked with YES only. Responses that came before stay as they are; if it is required, `missing` names it there.
    """
    question_id = change.add_to_event(ctx, event_id, params)
    return _of_event(ctx, event_id, question_id)


@endpoint("PUT", "/api/events/{event_id}/questions/{question_id}")
def update_question(ctx: Context, event_id: int, question_id: int, params: Changes[EventQuestionFields]) -> QuestionItem:
    """Change the question; answers that were given keep the wording with which it was asked. `scope` changes its copies on other
    dates of the series, too."""
    change.change_of_event(ctx, event_id, question_id, params)
    return _of_event(ctx, event_id, question_id)


@endpoint("DELETE", "/api/events/{event_id}/questions/{question_id}")
def delete_question(ctx: Context, event_id: int, question_id: int, params: QuestionScope) -> Deletion:
    """Delete the question with its answers. `scope` deletes its copies on other dates of the series, too."""
    return Deletion(change.delete_of_event(ctx, event_id, question_id, params.scope))


def _of_event(ctx: Context, event_id: int, question_id: int) -> QuestionItem:
    event = policy.event(ctx, event_id, to=Right.SEE)
    return next(item for item in present.load(ctx, event.id, event.calendar_id) if item.id == question_id)
