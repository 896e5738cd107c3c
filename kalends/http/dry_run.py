"""`dry_run` on every write of the API: what the action would reply, change and send. Its transaction is rolled back."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from kalends.core import errors
from kalends.core.records.change import JournalKind, JournalOp
from kalends.db import journal
from kalends.http.context import Context, Message
from kalends.http.endpoint import Endpoint
from kalends.http.input.batch import ITEMS
from kalends.http.input.fields import fields_of
from kalends.http.input.readers import FieldInvalid, read_bool
from kalends.http.input.types import RecordId
from kalends.http.reply import Reply

DRY_RUN = "dry_run"
# The changes and messages that a reply lists.
MAX_LISTED = 1_000
# They describe what does not exist, or would sign someone in.
OMITTED = ("ETag", "Location")


class WouldNotify(Struct, kw_only=True):
    """The messages that the action would queue."""

    email: Annotated[int, Meta(description="How many by e-mail.")]
    sms: Annotated[int, Meta(description="How many by SMS.")]
    messages: Annotated[list[Message], Meta(description="The messages.")]


class WouldChange(Struct, frozen=True):
    """A record that the action would create, update or delete."""

    kind: Annotated[JournalKind, Meta(description="The kind of record.")]
    id: RecordId | None
    op: Annotated[JournalOp, Meta(description="What it would do to the record.")]


class Outcome(Struct):
    """What the action would have done; null where guests may do it, who would learn from it which addresses have responded."""

    would_notify: Annotated[
        WouldNotify | None, Meta(description="Of a dry run: the messages that it would send; null where guests may write.")
    ]
    would_change: Annotated[
        list[WouldChange] | None,
        Meta(description="Of a dry run: the records that it would create, update or delete; null where guests may write."),
    ]


def is_taken(endpoint: Endpoint) -> bool:
    """Whether the parameter is taken here: every write of the API takes it, unless it has one of its own."""
    has_own = endpoint.params is not None and any(field.name == DRY_RUN for field in fields_of(endpoint.params))
    return endpoint.writes and endpoint.in_api and not has_own


def is_offered(endpoint: Endpoint) -> bool:
    """Whether the parameter may be true: not where one signs in or registers. Nobody could use a token that signs nobody in."""
    return is_taken(endpoint) and not (endpoint.pool == "hash" and endpoint.guests)


def take_parameter(endpoint: Endpoint, params: dict[str, Any]) -> bool:
    """Remove the parameter from the others, and return it."""
    items = params.get(ITEMS, [params])
    values = [item.pop(DRY_RUN) for item in items if DRY_RUN in item]
    try:
        is_dry_run = True in map(read_bool, values)
    except FieldInvalid as error:
        raise errors.invalid(DRY_RUN, str(error), error.code) from None
    if is_dry_run and not is_offered(endpoint):
        raise errors.invalid(DRY_RUN, "cannot be used to sign in or to register; leave it out", "conflict")
    return is_dry_run


def find_outcome(ctx: Context, endpoint: Endpoint) -> Outcome:
    """What the open transaction has changed and queued."""
    if endpoint.guests:
        return Outcome(None, None)
    rows = journal.find_set(ctx.tx, ctx.author().set_id, MAX_LISTED)
    messages = list(ctx.messages.values())
    channels = [message.channel for message in messages]
    would_notify = WouldNotify(email=channels.count("email"), sms=channels.count("sms"), messages=messages[:MAX_LISTED])
    return Outcome(would_notify, list(dict.fromkeys(WouldChange(*row) for row in rows)))


def build_reply(reply: Reply, outcome: Outcome) -> Reply:
    """The reply as it would be, with the outcome beside its fields; a list is in `reply`."""
    content = msgspec.json.decode(reply.body) if reply.content_type == "application/json" else {}
    fields = content if isinstance(content, dict) else {"reply": content}
    reply.body = msgspec.json.encode(fields | msgspec.to_builtins(outcome))
    reply.headers = {name: value for name, value in reply.headers.items() if name not in OMITTED}
    reply.cookies = []
    return reply
