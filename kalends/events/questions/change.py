"""Add, change and delete the questions of an event, of dates of its series, or of a calendar."""

from msgspec import structs

from kalends.context import Context
from kalends.events.series import copies
from kalends.http.input.fields import Changes
from kalends.questions import present, rules, store
from kalends.questions.model import EventQuestionFields, QuestionFields
from kalends.records.question import Question


def add_to_event(ctx: Context, event_id: int, fields: EventQuestionFields) -> int:
    """Add the question to the event and, with a wider scope, to others of its series; returns its id."""
    event = copies.lock_event(ctx, event_id)
    origin = rules.check(fields, store.of_events(ctx, [event.id]))
    question_id = store.insert(ctx, fields, origin, event_id=event.id)
    others = copies.find_other_dates(ctx, event, fields.scope)
    if others:
        store.insert_copies(ctx, [question_id], others)
    return question_id


def change_of_event(ctx: Context, event_id: int, question_id: int, changes: Changes[EventQuestionFields]) -> None:
    """Change the question and, with a wider scope, its copies on other dates of the series."""
    event = copies.lock_event(ctx, event_id)
    others = store.of_events(ctx, [event.id])
    question = _find(others, question_id)
    fields = changes.over(present.editable(question, others))
    origin = rules.check(fields, others, question)
    store.update(ctx, [each.id for each in copies.with_copies(ctx, event, question, fields.scope, store.of_events)], fields, origin)


def delete_of_event(ctx: Context, event_id: int, question_id: int, which: str) -> list[int]:
    """Delete the question with its answers and, with a wider scope, its copies on other dates; returns the ids."""
    event = copies.lock_event(ctx, event_id)
    others = store.of_events(ctx, [event.id])
    question = _find(others, question_id)
    rules.require_no_dependants(others, question)
    ids = [each.id for each in copies.with_copies(ctx, event, question, which, store.of_events)]
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


def _lock_calendar(ctx: Context, calendar_id: int) -> list[Question]:
    """The questions of the calendar, which nobody else changes until the transaction ends."""
    copies.lock_calendar(ctx, calendar_id)
    return store.of_calendar(ctx, calendar_id)


def _find(questions: list[Question], question_id: int) -> Question:
    return copies.find(questions, question_id, "question")
