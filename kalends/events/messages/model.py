"""Messages to the guests of an event: the input and the replies of the API."""

from typing import Annotated, Any, ClassVar, Literal, get_args

from msgspec import UNSET, Meta, Struct, UnsetType

from kalends.deliveries.model import Told
from kalends.http.input.fields import reader
from kalends.http.input.options import FieldOptions, StructOptions
from kalends.http.input.readers import INT_MAX, FieldInvalid
from kalends.http.input.types import Id, Instant, Name

MAX_TEXT = 10_000
MAX_RECIPIENTS = 500

# Those who said YES and have a place, said MAYBE, wait for a place, said NO, or were invited and have not responded.
MessageGroup = Literal["going", "maybe", "waiting", "no", "not_answered"]
GROUPS: tuple[MessageGroup, ...] = get_args(MessageGroup)

_read_id = reader(Id)


def _read_recipient(value: Any) -> str:
    """One of the groups, or the id of a response."""
    word = value.strip() if isinstance(value, str) else value
    if isinstance(word, str) and word in GROUPS:
        return word
    try:
        return str(_read_id(value))
    except FieldInvalid:
        raise FieldInvalid(f"must be some of {', '.join(GROUPS)}, or ids of responses", "not_a_choice") from None


_RECIPIENT_SCHEMA = {
    "anyOf": [{"type": "string", "enum": list(GROUPS)}, {"type": "integer", "format": "int64", "minimum": 1, "maximum": INT_MAX}]
}
MessageRecipient = Annotated[str, FieldOptions(read=_read_recipient, schema=_RECIPIENT_SCHEMA)]


class MessageInput(Struct, kw_only=True):
    """A message to guests, and to which of them."""

    OPTIONS: ClassVar = StructOptions(rules={"to": "must name someone; ids must be those of responses to this event"})

    to: Annotated[
        list[MessageRecipient],
        Meta(
            max_length=MAX_RECIPIENTS,
            description="Whom: `going`, `maybe`, `waiting` (for a place), `no`, `not_answered` (invited people), and ids of responses.",
        ),
    ]
    subject: Annotated[Name, Meta(description="The subject of the mail, in one line.")]
    text: Annotated[str, Meta(max_length=MAX_TEXT, description="What you write to them."), FieldOptions(multiline=True)]


class MessageSent(Struct):
    """How many people a message goes to."""

    told: Told


class MessageItem(Struct, kw_only=True):
    """A message to guests, and what became of its mails."""

    id: int
    subject: str
    text: str
    mails: int
    sent: int
    failed: int
    created_at: Instant


class MessageIndex(Struct):
    messages: list[MessageItem]
    limit: int
    offset: int
    next: str | None
    total: int | UnsetType = UNSET
