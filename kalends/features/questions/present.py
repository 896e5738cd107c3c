"""Representations of questions and answers in API replies and forms."""

from collections.abc import Sequence

from kalends.core.i18n import gettext
from kalends.core.records.question import Answer, NewAnswer, Question
from kalends.features.questions import answer_store as answers
from kalends.features.questions import store
from kalends.features.questions.answer_rules import find_condition
from kalends.features.questions.answer_store import Counts
from kalends.features.questions.model import AnswerItem, AskIf, Condition, EventQuestionFields, OptionInput, OptionItem, QuestionItem
from kalends.http.context import Context


def load(ctx: Context, event_id: int, calendar_id: int) -> list[QuestionItem]:
    """What is asked of those who come to the event."""
    questions = store.of_event(ctx, event_id, calendar_id)
    counts = answers.count(ctx, event_id) if any(question.is_limited for question in questions) else {}
    return items(questions, counts)


def items(questions: Sequence[Question], counts: Counts) -> list[QuestionItem]:
    """counts: how often each answer was given."""
    return [_item(question, questions, counts.get(question.id, {})) for question in questions]


def _item(question: Question, others: Sequence[Question], counts: dict[str, int]) -> QuestionItem:
    options = [
        OptionItem(each.label, each.limit, None if each.limit is None else max(each.limit - counts.get(each.label, 0), 0))
        for each in question.choices
    ]
    return QuestionItem(
        id=question.id,
        event_id=question.event_id,
        calendar_id=question.calendar_id,
        label=question.label,
        kind=question.kind,
        required=question.required,
        per=question.per,
        options=options,
        ask_if=_condition(question, others),
        keep_days=question.keep_days,
    )


def _condition(question: Question, others: Sequence[Question]) -> Condition | None:
    condition = find_condition(question, others)
    return Condition(condition.id, question.ask_if_answer or "") if condition else None


def editable(question: Question, others: Sequence[Question]) -> EventQuestionFields:
    """The fields that a client may change."""
    condition = find_condition(question, others)
    return EventQuestionFields(
        label=question.label,
        kind=question.kind,
        required=question.required,
        per=question.per,
        options=[OptionInput(option.label, option.limit) for option in question.choices],
        ask_if=AskIf(condition.id, question.ask_if_answer or "") if condition else None,
        keep_days=question.keep_days,
    )


def answer_items(rows: Sequence[Answer] | Sequence[NewAnswer]) -> list[AnswerItem]:
    """The answers, with the options of one question together."""
    by_place: dict[tuple[int, int | None], list[Answer | NewAnswer]] = {}
    for row in rows:
        by_place.setdefault((row.question_id, row.person), []).append(row)
    return [AnswerItem(question_id, each[0].label, person, _value(each)) for (question_id, person), each in by_place.items()]


def describe(answer: str | bool | int | float | list[str]) -> str:
    """An answer as people read it."""
    if isinstance(answer, bool):
        return gettext("yes") if answer else gettext("no")
    return ", ".join(answer) if isinstance(answer, list) else str(answer)


def _value(rows: Sequence[Answer | NewAnswer]) -> str | bool | int | float | list[str]:
    kind, answer = rows[0].kind, rows[0].answer
    if kind == "many":
        return [row.answer for row in rows]
    if kind == "yes_no":
        return answer == "yes"
    if kind == "number":
        return float(answer) if "." in answer or "e" in answer else int(answer)
    return answer
