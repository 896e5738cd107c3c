"""The rows of questions and of what guests answered."""

from typing import Literal

from msgspec import Struct, json

QuestionKind = Literal["text", "long", "one", "many", "yes_no", "number"]
AskedPer = Literal["party", "person"]


class Option(Struct, frozen=True):
    """An option of a question, and how many may choose it."""

    label: str
    limit: int | None = None


_options = json.Decoder(list[Option])


class Question(Struct, frozen=True):
    """A row of the table `questions`."""

    id: int
    event_id: int | None
    calendar_id: int | None
    origin_id: int | None
    label: str
    kind: QuestionKind
    required: bool
    per: AskedPer
    options: str
    ask_if_origin: int | None
    ask_if_answer: str | None
    keep_days: int

    @property
    def origin(self) -> int:
        """What the copies of the question have in common."""
        return self.id if self.origin_id is None else self.origin_id

    @property
    def choices(self) -> list[Option]:
        return _options.decode(self.options)

    @property
    def is_limited(self) -> bool:
        return any(option.limit is not None for option in self.choices)


class Answer(Struct, frozen=True):
    """A row of the table `question_answers`."""

    id: int
    response_id: int
    question_id: int
    person: int | None
    label: str
    kind: QuestionKind
    answer: str


class NewAnswer(Struct, frozen=True):
    """An answer to be stored, with the question as it was asked, and its position in the request."""

    question_id: int
    person: int | None
    label: str
    kind: QuestionKind
    answer: str
    index: int
