"""Questions and answers: the input and the replies of the API."""

from typing import Annotated, Any, ClassVar, get_args

from msgspec import Meta, Struct

from kalends.core.records.question import AskedPer, QuestionKind
from kalends.core.values import text
from kalends.http.input import fields
from kalends.http.input.fields import NestedInvalid
from kalends.http.input.options import FieldOptions, StructOptions
from kalends.http.input.readers import FieldInvalid
from kalends.http.input.types import Id, RecordId, Scope
from kalends.http.paging import Page

Kind = Annotated[
    QuestionKind,
    Meta(description="What is asked for: a line of text, a long text, one of the options, several of them, yes or no, or a number."),
]
Per = Annotated[AskedPer, Meta(description="Whether it is asked once of the party, or of each person.")]
KINDS: tuple[str, ...] = get_args(get_args(Kind)[0])
PER: tuple[str, ...] = get_args(get_args(Per)[0])
WITH_OPTIONS = ("one", "many")

MAX_QUESTIONS = 50
MAX_OPTIONS = 100
MAX_TEXT, MAX_LONG_TEXT = 500, 5_000
MAX_LABEL = 500
MAX_OPTION = 200

Label = Annotated[str, Meta(max_length=MAX_LABEL, description="The question, as guests read it.", examples=["Which menu would you like?"])]
OptionLabel = Annotated[str, Meta(max_length=MAX_OPTION, description="The option, as guests read it.")]


class OptionInput(Struct, frozen=True):
    """An option of a question."""

    label: OptionLabel
    limit: Annotated[int, Meta(ge=0, le=1_000_000, description="How many may choose it; without one, everybody may.")] | None = None


def _read_option(value: Any) -> OptionInput:
    """An object, or its label alone."""
    if not isinstance(value, str | dict):
        raise FieldInvalid('must be an option such as {"label": "Salad", "limit": 20}, or a label', "wrong_type")
    option, invalid = fields.read(OptionInput, {"label": value} if isinstance(value, str) else value)
    if option is None:
        raise NestedInvalid(invalid)
    return option


class AskIf(Struct, frozen=True):
    """The condition on which a question is asked."""

    question_id: Annotated[Id, Meta(description="An earlier question of the same event or calendar.")]
    answer: Annotated[str, Meta(max_length=MAX_OPTION, description="The option that must be chosen; of a yes/no question, yes or no.")]


class QuestionFields(Struct, kw_only=True):
    """The editable fields of a question."""

    OPTIONS: ClassVar = StructOptions(
        rules={
            "options": "are required of the kinds one and many, go with no other kind, and must differ",
            "ask_if": "must be an option of an earlier question of the kinds one, many and yes_no",
        }
    )

    label: Label
    kind: Kind
    required: Annotated[bool, Meta(description="Whether a YES needs an answer.")] = False
    per: Per = "party"
    options: Annotated[
        list[Annotated[OptionInput, FieldOptions(read=_read_option)]],
        Meta(max_length=MAX_OPTIONS, description="The options of the kinds one and many, each with its limit."),
    ] = []
    ask_if: Annotated[AskIf, Meta(description="Ask only if another question has this answer.")] | None = None
    keep_days: Annotated[int, Meta(ge=0, le=3_650, description="The days after the end of the event until the answers are erased.")] = 30


class EventQuestionFields(QuestionFields, kw_only=True):
    """A question of one event or of dates of its series."""

    scope: Scope = "this"


class QuestionScope(Struct, kw_only=True):
    """The dates of a series from which a question is removed."""

    scope: Scope = "this"


class OptionItem(Struct):
    """An option of a question, how many may choose it and how many still may."""

    label: Annotated[str, Meta(description="The option.")]
    limit: Annotated[int | None, Meta(description="How many may choose it; null: everybody.")]
    left: Annotated[int | None, Meta(description="How many still may choose it; null: everybody.")]


class Condition(Struct):
    """The answer to another question on which a question is asked."""

    question_id: Annotated[int, Meta(description="Id of the question.")]
    answer: Annotated[str, Meta(description="The answer on which it is asked.")]


class QuestionItem(Struct, kw_only=True):
    """A question to those who say YES."""

    id: RecordId
    event_id: Annotated[int | None, Meta(description="Id of the event; null for a question of a calendar.")]
    calendar_id: Annotated[int | None, Meta(description="Id of the calendar whose events all ask it; null for a question of one event.")]
    label: Annotated[str, Meta(description="The question.")]
    kind: Kind
    required: Annotated[bool, Meta(description="Whether a YES needs an answer.")]
    per: Per
    options: Annotated[list[OptionItem], Meta(description="The options of the kinds one and many.")]
    ask_if: Annotated[Condition | None, Meta(description="It is asked only if another question has this answer; null: it is always asked.")]
    keep_days: Annotated[int, Meta(description="The days after the end of the event until the answers are erased.")]


class QuestionIndex(Page):
    questions: Annotated[list[QuestionItem], Meta(description="The questions, in the order in which they are asked.")]


def _read_answer(value: Any) -> list[str]:
    """A text, a number, true or false, or a list of texts: as texts."""
    parts = value if isinstance(value, list) else [value]
    if not all(isinstance(part, str | bool | int | float) for part in parts):
        raise FieldInvalid("must be a text, a number, true or false, or a list of options", "wrong_type")
    if len(parts) > MAX_OPTIONS:
        raise FieldInvalid(f"must have at most {MAX_OPTIONS} items", "too_many")
    try:
        return [text.clean(part, lines=True) if isinstance(part, str) else str(part).lower() for part in parts]
    except ValueError as error:
        raise FieldInvalid(error.args[0]) from None


class AnswerInput(Struct, frozen=True):
    """An answer to a question."""

    question_id: Annotated[Id, Meta(description="The question.")]
    answer: Annotated[
        list[str],
        Meta(description="A text, a number, true or false, the label of an option, or a list of labels, as the question asks."),
        FieldOptions(
            read=_read_answer, schema={"type": ["string", "number", "boolean", "array"], "items": {"type": "string"}}, takes_list=True
        ),
    ]
    person: Annotated[int, Meta(ge=0, le=20_000, description="Who of the party, where each person is asked: 0 is the guest.")] | None = None


Answers = Annotated[
    list[AnswerInput],
    Meta(max_length=500, description="The answers to the event's questions, all of them; they go with YES."),
]


class AnswerItem(Struct):
    """An answer, with the question as it was asked."""

    question_id: Annotated[int, Meta(description="Id of the question.")]
    label: Annotated[str, Meta(description="The question, as it was asked.")]
    person: Annotated[int | None, Meta(description="Who of the party answered, from 0; null if the party was asked.")]
    answer: Annotated[
        str | bool | int | float | list[str], Meta(description="The answer: as text, a number, true or false, or a list of options.")
    ]
