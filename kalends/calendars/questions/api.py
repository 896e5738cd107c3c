"""The questions that all events of a calendar ask."""

from msgspec import structs

from kalends import policy
from kalends.context import Context
from kalends.events.series import copies
from kalends.http.endpoint import endpoint
from kalends.http.input.fields import Changes
from kalends.http.input.types import Deletion
from kalends.http.paging import Paging, slice_page
from kalends.policy import Right
from kalends.questions import present, rules, store
from kalends.questions.model import QuestionFields, QuestionIndex, QuestionItem
from kalends.records.question import Question


@endpoint("GET", "/api/calendars/{calendar_id}/questions", guests=True)
def calendar_questions(ctx: Context, calendar_id: int, params: Paging) -> QuestionIndex:
    """The questions that every event of the calendar asks, before its own."""
    policy.calendar(ctx, calendar_id, to=Right.SEE)
    return QuestionIndex(*slice_page(ctx, params, present.items(store.of_calendar(ctx, calendar_id), {})))


@endpoint("POST", "/api/calendars/{calendar_id}/questions", status=201)
def add_calendar_question(ctx: Context, calendar_id: int, params: QuestionFields) -> QuestionItem:
    """Add a question to all events whose home is the calendar. The limits of its options count for each event. Only the owner may."""
    origin = rules.check(params, _lock(ctx, calendar_id))
    question_id = store.insert(ctx, params, origin, calendar_id=calendar_id)
    return _item(ctx, calendar_id, question_id)


@endpoint("PUT", "/api/calendars/{calendar_id}/questions/{question_id}")
def update_calendar_question(ctx: Context, calendar_id: int, question_id: int, params: Changes[QuestionFields]) -> QuestionItem:
    """Change the question for all events of the calendar; answers that were given keep their wording. Only the owner may."""
    others = _lock(ctx, calendar_id)
    question = copies.find(others, question_id, "question")
    fields = structs.replace(present.editable(question, others), **params.values)
    store.update(ctx, [question.id], fields, rules.check(fields, others, question))
    return _item(ctx, calendar_id, question_id)


@endpoint("DELETE", "/api/calendars/{calendar_id}/questions/{question_id}")
def delete_calendar_question(ctx: Context, calendar_id: int, question_id: int) -> Deletion:
    """Delete the question, with its answers to all events. Only the owner may."""
    others = _lock(ctx, calendar_id)
    question = copies.find(others, question_id, "question")
    rules.require_no_dependants(others, question)
    store.delete(ctx, [question.id])
    return Deletion([question.id])


def _lock(ctx: Context, calendar_id: int) -> list[Question]:
    """The questions of the calendar, which nobody else changes until the transaction ends."""
    copies.lock_calendar(ctx, calendar_id)
    return store.of_calendar(ctx, calendar_id)


def _item(ctx: Context, calendar_id: int, question_id: int) -> QuestionItem:
    return next(item for item in present.items(store.of_calendar(ctx, calendar_id), {}) if item.id == question_id)
