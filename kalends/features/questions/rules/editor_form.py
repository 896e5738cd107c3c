"""The form in which organisers write a question: options are lines of text, and a condition is one choice."""

from collections.abc import Sequence
from typing import Any

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.question import Question
from kalends.features.questions.model import WITH_OPTIONS, QuestionFields
from kalends.features.questions.rules.checks import name_answer, possible_answers
from kalends.http.input.form import Form

LIMIT_SIGN = "|"


def params(form: Form) -> dict[str, Any]:
    """The values of the form as parameters of the API."""
    values: dict[str, Any] = {name: form.values.get(name) for name in ("label", "kind", "required", "per", "keep_days", "scope")}
    values = {name: value for name, value in values.items() if value is not None}
    lines = [line.strip() for line in form.text("options").splitlines() if line.strip()] if form.text("kind") in WITH_OPTIONS else []
    question_id, _, answer = form.text("ask_if").partition(":")
    return values | {
        "options": [_option(i, line) for i, line in enumerate(lines)],
        "ask_if": {"question_id": question_id, "answer": answer} if question_id else None,
    }


def _option(i: int, line: str) -> dict[str, Any]:
    """`Soup | 20`: the label, and the limit if there is one."""
    label, sign, limit = line.rpartition(LIMIT_SIGN)
    if not sign:
        return {"label": line}
    if not limit.strip().isdecimal():
        raise errors.invalid(
            "options",
            gettext("has no number after the bar in line %(line)s. Write it like this: “Soup %(sign)s 20”", line=i + 1, sign=LIMIT_SIGN),
        )
    return {"label": label.strip(), "limit": limit.strip()}


def values_of(fields: QuestionFields) -> dict[str, Any]:
    """The fields as values of the form."""
    lines = [option.label if option.limit is None else f"{option.label} {LIMIT_SIGN} {option.limit}" for option in fields.options]
    return {
        **{name: getattr(fields, name) for name in ("label", "kind", "required", "per", "keep_days")},
        "options": "\n".join(lines),
        "ask_if": f"{fields.ask_if.question_id}:{fields.ask_if.answer}" if fields.ask_if else "",
    }


def conditions(questions: Sequence[Question], question_id: int | None = None) -> Sequence[tuple[str, str]]:
    """The conditions that a question may have: an answer to one of those before it."""
    before = [question for question in questions if question_id is None or question.id < question_id]
    answers = [(question, answer) for question in before for answer in possible_answers(question)]
    return [("", gettext("Always"))] + [
        (
            f"{question.id}:{answer}",
            gettext("Only if “%(question)s” is “%(answer)s”", question=question.label, answer=name_answer(question, answer)),
        )
        for question, answer in answers
    ]
