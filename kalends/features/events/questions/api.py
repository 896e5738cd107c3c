"""The questions to those who come to an event, and those that all events of a calendar ask."""

from msgspec import structs

from kalends import policy
from kalends.core.records.question import Question
from kalends.features.events.series.steps import copies
from kalends.features.events.series.steps.copies import Owner
from kalends.features.questions import present, store
from kalends.features.questions.model import EventQuestionFields, QuestionFields, QuestionIndex, QuestionItem, QuestionScope
from kalends.features.questions.rules import checks as rules
from kalends.http.context import Context
from kalends.http.endpoint import endpoint
from kalends.http.input.fields import Changes
from kalends.http.input.types import Deletion
from kalends.http.paging import Paging, slice_page
from kalends.policy import Right


@endpoint("GET", "/api/events/{event_id}/questions", guests=True)
def questions(ctx: Context, event_id: int, params: Paging) -> QuestionIndex:
    """What is asked of those who say YES: the questions of the event's home calendar, then its own."""
    owner = copies.event_owner(policy.event(ctx, event_id, to=Right.SEE))
    page, fields = slice_page(ctx, params, _items(ctx, owner))
    return QuestionIndex(page, **fields)


@endpoint("GET", "/api/calendars/{calendar_id}/questions", guests=True)
def calendar_questions(ctx: Context, calendar_id: int, params: Paging) -> QuestionIndex:
    """The questions that every event of the calendar asks, before its own."""
    owner = copies.calendar_owner(policy.calendar(ctx, calendar_id, to=Right.SEE))
    page, fields = slice_page(ctx, params, _items(ctx, owner))
    return QuestionIndex(page, **fields)


@endpoint("POST", "/api/events/{event_id}/questions", status=201)
def add_question(ctx: Context, event_id: int, params: EventQuestionFields) -> QuestionItem:
    """Add a question to the event. Of a series, `scope` adds it to the following dates too, or to all.

    It is asked with YES only. Responses that came before stay as they are; if it is required, `missing` names it there.
    """
    return insert(ctx, copies.lock(ctx, event_id=event_id), params, params.scope)


@endpoint("POST", "/api/calendars/{calendar_id}/questions", status=201)
def add_calendar_question(ctx: Context, calendar_id: int, params: QuestionFields) -> QuestionItem:
    """Add a question to all events whose home is the calendar. The limits of its options count for each event. Only the owner may."""
    return insert(ctx, copies.lock(ctx, calendar_id=calendar_id), params)


@endpoint("PUT", "/api/events/{event_id}/questions/{question_id}")
def update_question(ctx: Context, event_id: int, question_id: int, params: Changes[EventQuestionFields]) -> QuestionItem:
    """Change the question; answers that were given keep the wording with which it was asked. `scope` changes its copies on other
    dates of the series, too."""
    return update(ctx, copies.lock(ctx, event_id=event_id), question_id, params)


@endpoint("PUT", "/api/calendars/{calendar_id}/questions/{question_id}")
def update_calendar_question(ctx: Context, calendar_id: int, question_id: int, params: Changes[QuestionFields]) -> QuestionItem:
    """Change the question for all events of the calendar; answers that were given keep their wording. Only the owner may."""
    return update(ctx, copies.lock(ctx, calendar_id=calendar_id), question_id, params)


@endpoint("DELETE", "/api/events/{event_id}/questions/{question_id}")
def delete_question(ctx: Context, event_id: int, question_id: int, params: QuestionScope) -> Deletion:
    """Delete the question with its answers. `scope` deletes its copies on other dates of the series, too."""
    return delete(ctx, copies.lock(ctx, event_id=event_id), question_id, params.scope)


@endpoint("DELETE", "/api/calendars/{calendar_id}/questions/{question_id}")
def delete_calendar_question(ctx: Context, calendar_id: int, question_id: int) -> Deletion:
    """Delete the question, with its answers to all events. Only the owner may."""
    return delete(ctx, copies.lock(ctx, calendar_id=calendar_id), question_id)


def insert(ctx: Context, owner: Owner, fields: QuestionFields, which: str = "this") -> QuestionItem:
    """Add a question to the owner, which is locked, and to the other dates of the scope."""
    origin = rules.check(fields, find_own(ctx, owner))
    question_id = store.insert(ctx, fields, origin, **owner.key)
    dates = copies.find_other_dates(ctx, owner, which)
    if dates:
        store.insert_copies(ctx, [question_id], dates)
    return _item(ctx, owner, question_id)


def update(ctx: Context, owner: Owner, question_id: int, changes: Changes[EventQuestionFields] | Changes[QuestionFields]) -> QuestionItem:
    """Change a question of the owner, which is locked, and its copies on the other dates of the scope."""
    others = find_own(ctx, owner)
    question = copies.find(others, question_id, "question")
    fields = structs.replace(present.editable(question, others), **changes.values)
    origin = rules.check(fields, others, question)
    store.update(ctx, copies.with_copies(ctx, owner, question, fields.scope, store.of_events), fields, origin)
    return _item(ctx, owner, question_id)


def delete(ctx: Context, owner: Owner, question_id: int, which: str = "this") -> Deletion:
    """Delete a question of the owner, which is locked, and its copies on the other dates of the scope."""
    others = find_own(ctx, owner)
    question = copies.find(others, question_id, "question")
    rules.require_no_dependants(others, question)
    ids = copies.with_copies(ctx, owner, question, which, store.of_events)
    store.delete(ctx, ids)
    return Deletion(ids)


def find_own(ctx: Context, owner: Owner) -> list[Question]:
    """The questions of the owner itself, without those of an event's calendar."""
    return store.of_events(ctx, [owner.event.id]) if owner.event else store.of_calendar(ctx, owner.calendar_id)


def _items(ctx: Context, owner: Owner) -> list[QuestionItem]:
    return present.load(ctx, owner.event.id, owner.calendar_id) if owner.event else present.items(find_own(ctx, owner), {})


def _item(ctx: Context, owner: Owner, question_id: int) -> QuestionItem:
    return next(item for item in _items(ctx, owner) if item.id == question_id)
