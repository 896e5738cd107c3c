"""The form in which guests answer the questions of an event, before a YES is stored or later: its inputs, and what was typed."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from msgspec import Struct, structs

from kalends.core import errors
from kalends.core.errors import FieldError
from kalends.core.i18n import Text, gettext
from kalends.core.records.event import Event
from kalends.core.records.question import Answer, Question
from kalends.core.values.text import is_blank
from kalends.features.questions import answer_rules, present, store
from kalends.features.questions.answer_rules import MAX_PERSONS, ChoicesByPlace
from kalends.features.questions.model import QuestionItem
from kalends.features.questions.rules.checks import name_answer
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.web.forms import FormState
from kalends.web.render import render

MAX_DIGITS = 6

_INDEX = re.compile(r"answers\[(\d+)\]")


class Input(Struct, frozen=True):
    """An input of the form: a question, to the party or to one person."""

    name: str
    question: QuestionItem
    person: int | None
    # When it is asked, for those who see it in any case.
    condition: str

    @property
    def label(self) -> str:
        return (
            self.question.label
            if self.person is None
            else gettext("%(question)s (%(person)s)", question=self.question.label, person=person_name(self.person))
        )

    @property
    def is_required(self) -> bool:
        return self.question.required and not self.condition


def party_size(values: Mapping[str, Any], number: int = 1, plus_n: int = 0) -> int:
    """The people of the party that was typed; by default, `number` and `plus_n`. What is wrong with it is said when the response is
    stored."""
    return max(_read_count(values.get("number"), number), 1) + _read_count(values.get("plus_n"), plus_n)


def _read_count(value: Any, default: int) -> int:
    is_count = isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < MAX_DIGITS
    return int(value) if is_count else default


def render_questions(
    ctx: Context,
    event: Event,
    form: FormState,
    people: int,
    *,
    action: str,
    back: str,
    carried: Sequence[str] = (),
    is_saved: bool = False,
) -> Document:
    """The page with the form. carried: the names of other inputs that were typed, which it sends beside the answers. is_saved: the YES is
    stored already."""
    questions = store.of_event(ctx, event.id, event.calendar_id)
    inputs = _inputs(questions, present.load(ctx, event.id, event.calendar_id), people)
    labels = {each.name: each.label for each in inputs}
    ctx.headers["Cache-Control"] = "no-store"
    return render(
        "questions/ask.html",
        ctx,
        title=gettext("Questions about %(title)s", title=event.title),
        event=event,
        form=form,
        inputs=inputs,
        problems=[(error.field, labels.get(error.field, ""), error.message) for error in form.errors],
        person_name=person_name,
        is_partial=people > MAX_PERSONS and any(each.person is not None for each in inputs),
        action=action,
        back=back,
        carried=[(name, form.values[name]) for name in carried if isinstance(form.values.get(name), str)],
        is_saved=is_saved,
    )


def person_name(person: int) -> Text:
    return gettext("You") if person == 0 else gettext("Person %(number)s", number=person + 1)


def _inputs(questions: Sequence[Question], items: Sequence[QuestionItem], people: int) -> list[Input]:
    """The inputs, those of each person together."""
    asked = list(zip(questions, items, [_condition(question, questions) for question in questions], strict=True))
    of_party = [Input(_name(question, None), item, None, condition) for question, item, condition in asked if item.per == "party"]
    return of_party + [
        Input(_name(question, person), item, person, condition)
        for person in range(min(people, MAX_PERSONS))
        for question, item, condition in asked
        if item.per == "person"
    ]


def _name(question: Question, person: int | None) -> str:
    return f"q{question.id}" if person is None else f"q{question.id}p{person}"


def _condition(question: Question, questions: Sequence[Question]) -> str:
    condition = answer_rules.find_condition(question, questions)
    return (
        gettext(
            "Only if the answer to “%(question)s” is “%(answer)s”.",
            question=condition.label,
            answer=name_answer(condition, question.ask_if_answer or ""),
        )
        if condition
        else ""
    )


def values_of(answers: Sequence[Answer]) -> dict[str, Any]:
    """The stored answers as values of the inputs."""
    values: dict[str, Any] = {}
    for (question_id, person), choices in answer_rules.group_by_place(answers).items():
        many = any(each.kind == "many" for each in answers if each.question_id == question_id)
        values[f"q{question_id}" if person is None else f"q{question_id}p{person}"] = choices if many else choices[0]
    return values


class Typed(Struct, frozen=True):
    """The answers that were typed, as parameters, and the names of their inputs."""

    params: list[dict[str, Any]]
    names: list[str]

    @contextmanager
    def naming_inputs(self) -> Iterator[None]:
        """Name the input in errors about an answer."""
        try:
            yield
        except (errors.Invalid, errors.OptionFull) as problem:
            problem.errors = [self._rename(error) for error in problem.errors]
            raise

    def _rename(self, error: FieldError) -> FieldError:
        match = _INDEX.match(error.field)
        return structs.replace(error, field=self.names[int(match[1])]) if match else error


def read(ctx: Context, event: Event, values: dict[str, Any], people: int) -> Typed:
    """The answers to what is asked; raises Invalid if a required one is missing. What is typed beside that is left out."""
    questions = store.of_event(ctx, event.id, event.calendar_id)
    by_place: ChoicesByPlace = {}
    for question in questions:
        for person in answer_rules.persons(question, people):
            value = values.get(_name(question, person))
            texts = [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str) and not is_blank(each)]
            if texts:
                by_place[question.id, person] = texts
    by_id = {question.id: question for question in questions}
    asked = {
        (question_id, person): texts
        for (question_id, person), texts in by_place.items()
        if answer_rules.is_asked(by_id[question_id], person, by_place, questions)
    }
    missing = answer_rules.missing(questions, asked, people)
    if missing:
        names = [_name(by_id[place.question_id], place.person) for place in missing]
        raise errors.Invalid([FieldError(name, gettext("needs an answer"), "required") for name in names])
    params = [
        {"question_id": question_id, "answer": texts} | ({} if person is None else {"person": person})
        for (question_id, person), texts in asked.items()
    ]
    return Typed(params, [_name(by_id[question_id], person) for question_id, person in asked])
