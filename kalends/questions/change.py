"""Add, change and delete the questions of an event, of dates of its series, or of a calendar."""

from msgspec import structs

from kalends import errors, policy
from kalends.context import Context
from kalends.events import store as events
from kalends.events.series import scope
from kalends.http.input.fields import Changes
from kalends.policy import Right
from kalends.questions import present, rules, store
from kalends.questions.model import EventQuestionFields, QuestionFields
from kalends.records.event import Event
from kalends.records.question import Question


def add_to_event(ctx: Context, event_id: int, fields: EventQuestionFields) -> int:
    """Add the question to the event and, with a wider scope, to others of its series; returns its id."""
    event = _lock_event(ctx, event_id)
    origin = rules.check(fields, store.of_events(ctx, [event.id]))
    question_id = store.insert(ctx, fields, origin, event_id=event.id)
    others = [each.id for each in _find_events(ctx, event, fields.scope) if each.id != event.id]
    if others:
        store.insert_copies(ctx, [question_id], others)
    return question_id


def change_of_event(ctx: Context, event_id: int, question_id: int, changes: Changes[EventQuestionFields]) -> None:
    """Change the question and, with a wider scope, its copies on other dates of the series."""
    event = _lock_event(ctx, event_id)
    others = store.of_events(ctx, [event.id])
    question = _find(others, question_id)
    fields = changes.over(present.editable(question, others))
    origin = rules.check(fields, others, question)
    store.update(ctx, [each.id for each in _copies(ctx, event, question, fields.scope)], fields, origin)


def delete_of_event(ctx: Context, event_id: int, question_id: int, which: str) -> list[int]:
    """Delete the question with its answers and, with a wider scope, its copies on other dates; returns the ids."""
    event = _lock_event(ctx, event_id)
    others = store.of_events(ctx, [event.id])
    question = _find(others, question_id)
    rules.require_no_dependants(others, question)
    ids = [each.id for each in _copies(ctx, event, question, which)]
    store.delete(ctx, ids)
    return ids


def add_to_calendar(ctx: Context, calendar_id: int, fields: QuestionFields) -> int:
    origin = rules.check(fields, _lock_calendar(ctx, calendar_id))
    return store.insert(ctx, fields, origin, calendar_id=calendar_id)


def change_of_calendar(ctx: Context, calendar_id: int, question_id: int, changes: Changes[QuestionFields]) -> None:
    others = _lock_calendar(ctx, calendar_id)
    question = _find(others, question_id)
    fields = structs.replace(present.editable(question, others), **changes.values)
    store.update(ctx, [question.id], fields, rules.check(fields, others, question))


def delete_of_calendar(ctx: Context, calendar_id: int, question_id: int) -> None:
    others = _lock_calendar(ctx, calendar_id)
    question = _find(others, question_id)
    rules.require_no_dependants(others, question)
    store.delete(ctx, [question.id])


def _lock_event(ctx: Context, event_id: int) -> Event:
    """The event, whose questions and responses nobody else changes until the transaction ends."""
    events.lock(ctx, [event_id])
    return policy.event(ctx, event_id, to=Right.EDIT)


def _lock_calendar(ctx: Context, calendar_id: int) -> list[Question]:
    """The questions of the calendar, which nobody else changes until the transaction ends."""
    ctx.tx.advisory_lock(f"calendar {calendar_id}")
    policy.calendar(ctx, calendar_id, to=Right.OWN)
    return store.of_calendar(ctx, calendar_id)


def _find_events(ctx: Context, event: Event, which: str) -> list[Event]:
    found = scope.find_events(ctx, event, which)
    if len(found) > 1:
        events.lock_events(ctx, [each.id for each in found])
    return found


def _copies(ctx: Context, event: Event, question: Question, which: str) -> list[Question]:
    """The question, and its copies on the other dates of the scope."""
    dates = [each.id for each in _find_events(ctx, event, which) if each.id != event.id]
    copies = [each for each in store.of_events(ctx, dates) if each.origin == question.origin] if dates else []
    return [question, *copies]


def _find(questions: list[Question], question_id: int) -> Question:
    for question in questions:
        if question.id == question_id:
            return question
    raise errors.NotFound("There is no such question here. The questions of a calendar are changed under /api/calendars.")
