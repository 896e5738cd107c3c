"""What a question must be: its options, and the condition on which it is asked."""

from collections.abc import Sequence

from kalends.core import errors
from kalends.core.i18n import Text, gettext
from kalends.core.records.question import Question
from kalends.features.questions.model import MAX_QUESTIONS, WITH_OPTIONS, QuestionFields

YES_NO = ("yes", "no")


def check(fields: QuestionFields, others: Sequence[Question], question: Question | None = None) -> int | None:
    """Raise Invalid if the fields do not go together; returns the origin of the question on which it depends.

    others: the questions of the same event or calendar. question: the one that is changed; without it, a new one is added.
    """
    _check_options(fields)
    if question is None and len(others) >= MAX_QUESTIONS:
        raise errors.Conflict(gettext("There are already %(max)s questions. Delete one first.", max=MAX_QUESTIONS))
    if question is not None:
        _check_dependants(fields, others, question)
    if fields.ask_if is None:
        return None
    before = [other for other in others if question is None or other.id < question.id]
    condition = next((other for other in before if other.id == fields.ask_if.question_id), None)
    if condition is None:
        message = gettext("must be an earlier question of the same event or calendar")
        raise errors.invalid("ask_if[question_id]", message, "not_found")
    answers = possible_answers(condition)
    if fields.ask_if.answer not in answers:
        message = _describe_answers(answers)
        raise errors.invalid("ask_if[answer]", message, "not_a_choice")
    return condition.origin


def _describe_answers(answers: list[str]) -> Text:
    if not answers:
        return gettext("works with questions of the kinds one, many and yes_no only")
    return gettext("must be one of %(choices)s", choices=", ".join(answers))


def possible_answers(question: Question) -> list[str]:
    """The answers on which another question may depend."""
    return list(YES_NO) if question.kind == "yes_no" else [option.label for option in question.choices]


def name_answer(question: Question, answer: str) -> str:
    """An answer as people read it."""
    return (gettext("yes") if answer == YES_NO[0] else gettext("no")) if question.kind == "yes_no" else answer


def _check_options(fields: QuestionFields) -> None:
    labels = [option.label for option in fields.options]
    if fields.kind in WITH_OPTIONS and not labels:
        raise errors.invalid("options", gettext("are required for the kind %(kind)s", kind=fields.kind), "required")
    if fields.kind not in WITH_OPTIONS and labels:
        raise errors.invalid("options", gettext("work with the kinds one and many only. Leave them out"), "conflict")
    for i, label in enumerate(labels):
        if label in labels[:i]:
            raise errors.invalid(f"options[{i}].label", gettext("is listed twice"), "repeated")


def _check_dependants(fields: QuestionFields, others: Sequence[Question], question: Question) -> None:
    """The options on which other questions depend must stay."""
    answers = list(YES_NO) if fields.kind == "yes_no" else [option.label for option in fields.options]
    for other in others:
        if other.ask_if_origin == question.origin and other.ask_if_answer not in answers:
            raise errors.Conflict(
                gettext(
                    "“%(question)s” is only asked if the answer to this question is “%(answer)s”. Change that question first.",
                    question=other.label,
                    answer=other.ask_if_answer,
                )
            )


def require_no_dependants(others: Sequence[Question], question: Question) -> None:
    """A question on which others depend cannot be deleted."""
    for other in others:
        if other.ask_if_origin == question.origin:
            raise errors.Conflict(
                gettext(
                    "“%(question)s” is only asked after this question is answered. Delete or change that one first.", question=other.label
                )
            )
