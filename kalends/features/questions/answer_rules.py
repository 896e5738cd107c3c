"""The rules of answers: each fits its question, and the required ones are there."""

from collections.abc import Sequence
from math import isfinite

from msgspec import Struct

from kalends.core import errors
from kalends.core.errors import Code, FieldError
from kalends.core.i18n import Text, gettext
from kalends.core.records.question import Answer, NewAnswer, Question
from kalends.features.questions.model import MAX_LONG_TEXT, MAX_TEXT, AnswerInput
from kalends.http.input.readers import FieldInvalid, read_bool

MAX_NUMBER = 10**15
# Of a larger party, only this many must answer: nobody types in more.
MAX_PERSONS = 50

# The values that were chosen, by the ids of the question and the person.
ChoicesByPlace = dict[tuple[int, int | None], list[str]]


class Place(Struct, frozen=True):
    """Where an answer belongs: the question, and the person if each is asked."""

    question_id: int
    person: int | None


def read(questions: Sequence[Question], answers: Sequence[AnswerInput], people: int) -> list[NewAnswer]:
    """What to store, a row for each option that was chosen; raises Invalid with every broken answer."""
    by_id = {question.id: question for question in questions}
    rows: list[NewAnswer] = []
    broken: list[FieldError] = []
    seen: dict[Place, int] = {}
    for i, answer in enumerate(answers):
        question = by_id.get(answer.question_id)
        place = Place(answer.question_id, answer.person)
        try:
            if question is None:
                raise _Broken("question_id", gettext("isn’t a question of this event"), "not_found")
            if place in seen:
                raise _Broken("question_id", gettext("is answered twice"), "repeated")
            _check_person(question, answer.person, people)
            rows += [NewAnswer(question.id, answer.person, question.label, question.kind, each, i) for each in _values(question, answer)]
            seen[place] = i
        except _Broken as error:
            broken.append(FieldError(f"answers[{i}].{error.field}", error.message, error.code))
    by_place = group_by_place(rows)
    for place, i in seen.items():
        question = by_id[place.question_id]
        if not is_asked(question, place.person, by_place, questions):
            broken.append(FieldError(f"answers[{i}].question_id", _describe_condition(question, questions), "conflict"))
    if broken:
        raise errors.Invalid(broken)
    return rows


def _describe_condition(question: Question, questions: Sequence[Question]) -> Text:
    condition = find_condition(question, questions)
    assert condition is not None
    return gettext("is only asked if “%(question)s” is answered with “%(answer)s”", question=condition.label, answer=question.ask_if_answer)


def require_complete(questions: Sequence[Question], by_place: ChoicesByPlace, people: int) -> None:
    """Raise Invalid if a required question is not answered."""
    by_id = {question.id: question for question in questions}
    broken = [
        FieldError("answers", _describe_missing(place, by_id[place.question_id].label), "required")
        for place in missing(questions, by_place, people)
    ]
    if broken:
        raise errors.Invalid(broken)


def _describe_missing(place: Place, label: str) -> Text:
    if place.person is None:
        return gettext("must answer question %(id)s, “%(question)s”", id=str(place.question_id), question=label)
    return gettext(
        "must answer question %(id)s, “%(question)s”, for person %(person)s",
        id=str(place.question_id),
        question=label,
        person=str(place.person),
    )


def missing(questions: Sequence[Question], by_place: ChoicesByPlace, people: int) -> list[Place]:
    """The required answers that are not there."""
    return [
        Place(question.id, person)
        for question in questions
        if question.required
        for person in persons(question, people)
        if (question.id, person) not in by_place and is_asked(question, person, by_place, questions)
    ]


def persons(question: Question, people: int) -> Sequence[int | None]:
    """The numbers of the people of a party whom the question is asked about; None: it is asked once."""
    return range(min(people, MAX_PERSONS)) if question.per == "person" else (None,)


def group_by_place(answers: Sequence[NewAnswer] | Sequence[Answer]) -> ChoicesByPlace:
    """The values that were chosen, by question and person."""
    by_place: ChoicesByPlace = {}
    for each in answers:
        by_place.setdefault((each.question_id, each.person), []).append(each.answer)
    return by_place


def is_asked(question: Question, person: int | None, by_place: ChoicesByPlace, questions: Sequence[Question]) -> bool:
    """Whether the condition of the question holds: for the same person, for the party, or else for anybody in it."""
    condition = find_condition(question, questions)
    if condition is None:
        return True
    if condition.per == "party":
        who: list[int | None] = [None]
    elif person is not None:
        who = [person]
    else:
        who = [each for question_id, each in by_place if question_id == condition.id]
    return any(
        question.ask_if_answer in by_place.get((condition.id, each), ()) and is_asked(condition, each, by_place, questions) for each in who
    )


def find_condition(question: Question, others: Sequence[Question]) -> Question | None:
    """The question on whose answer this one depends: one of the same event or calendar."""
    if question.ask_if_origin is None:
        return None
    same_owner = [each for each in others if (each.event_id, each.calendar_id) == (question.event_id, question.calendar_id)]
    return next((each for each in same_owner if each.origin == question.ask_if_origin), None)


class _Broken(Exception):
    """A broken field of one answer."""

    def __init__(self, field: str, message: str, code: Code):
        super().__init__(message)
        self.field, self.message, self.code = field, message, code


def _check_person(question: Question, person: int | None, people: int) -> None:
    if question.per == "party" and person is not None:
        raise _Broken("person", gettext("works only with questions asked for each person. Leave it out"), "conflict")
    if question.per == "person" and person is None:
        raise _Broken("person", gettext("is required because each person is asked. 0 is the guest who sends the RSVP"), "required")
    if person is not None and person >= people:
        raise _Broken(
            "person",
            gettext("must be at most %(max)s, because the group has %(people)s people", max=people - 1, people=people),
            "too_large",
        )


def _values(question: Question, answer: AnswerInput) -> list[str]:
    """The answer as texts: one, or one for each option of the kind `many`."""
    values = [value for value in answer.answer if value]
    if not values:
        raise _Broken("answer", gettext("must not be empty. To give no answer, leave the whole entry out"), "required")
    if question.kind == "many":
        if len(set(values)) < len(values):
            raise _Broken("answer", gettext("lists an option twice"), "repeated")
    elif len(values) > 1:
        raise _Broken("answer", gettext("must be a single value, not a list"), "wrong_type")
    return [_value(question, value) for value in values]


def _value(question: Question, value: str) -> str:
    if question.kind in ("one", "many"):
        labels = [option.label for option in question.choices]
        if value not in labels:
            raise _Broken("answer", gettext("must be one of %(choices)s", choices=", ".join(labels)), "not_a_choice")
        return value
    if question.kind == "yes_no":
        try:
            return "yes" if read_bool(value) else "no"
        except FieldInvalid as error:
            raise _Broken("answer", error.message, error.code) from None
    if question.kind == "number":
        return _number(value)
    longest = MAX_LONG_TEXT if question.kind == "long" else MAX_TEXT
    if len(value) > longest:
        raise _Broken("answer", gettext("must have at most %(max)s characters", max=longest), "too_long")
    if question.kind == "text" and "\n" in value:
        raise _Broken("answer", gettext("must be a single line"), "invalid_format")
    return value


def _number(value: str) -> str:
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    if not isfinite(number) or "_" in value:
        raise _Broken("answer", gettext("must be a number"), "wrong_type")
    if abs(number) > MAX_NUMBER:
        raise _Broken("answer", gettext("must be between %(min)s and %(max)s", min=-MAX_NUMBER, max=MAX_NUMBER), "too_large")
    return str(int(number)) if number.is_integer() else str(number)
