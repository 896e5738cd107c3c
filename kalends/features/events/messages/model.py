"""Messages to the guests of an event: the input and the replies of the API."""

from typing import Annotated, Any, ClassVar

from msgspec import Meta, Struct

from kalends.core.records.delivery import GUEST_GROUPS
from kalends.features.deliveries.model import Notified
from kalends.http.input.fields import reader
from kalends.http.input.options import FieldOptions, StructOptions
from kalends.http.input.readers import INT_MAX, FieldInvalid
from kalends.http.input.types import CreatedAt, Id, Name, RecordId
from kalends.http.paging import Page

MAX_TEXT = 10_000
MAX_RECIPIENTS = 500

_read_id = reader(Id)


def _read_recipient(value: Any) -> str:
    """One of the groups, or the id of a response."""
    word = value.strip() if isinstance(value, str) else value
    if isinstance(word, str) and word in GUEST_GROUPS:
        return word
    try:
        return str(_read_id(value))
    except FieldInvalid:
        raise FieldInvalid(f"must be some of {', '.join(GUEST_GROUPS)}, or ids of responses", "not_a_choice") from None


_RECIPIENT_SCHEMA = {
    "anyOf": [{"type": "string", "enum": list(GUEST_GROUPS)}, {"type": "integer", "format": "int64", "minimum": 1, "maximum": INT_MAX}]
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

    notified: Annotated[Notified, Meta(description="How many people get the message, and how many not.")]


class MessageItem(Struct, kw_only=True):
    """A message to guests, and what became of its mails."""

    id: RecordId
    subject: Annotated[str, Meta(description="The subject of the mail.")]
    text: Annotated[str, Meta(description="What was written.")]
    mails: Annotated[int, Meta(description="To how many guests it went.")]
    sent: Annotated[int, Meta(description="How many of the mails were sent.")]
    failed: Annotated[int, Meta(description="How many could not be sent, or were only written to files.")]
    created_at: CreatedAt


class MessageIndex(Page):
    messages: Annotated[list[MessageItem], Meta(description="The messages.")]
