"""Webhooks: the input and the replies of the API."""

from typing import Annotated, ClassVar, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from kalends.changes.model import Change
from kalends.http.input.options import Secret, StructOptions
from kalends.http.input.types import Id, Instant
from kalends.records.change import Kind
from kalends.records.webhook import DisabledReason, WebhookKind, WebhookState

MAX_WEBHOOKS = 10
# The kind of record, and what became of it.
ChangeType = Literal[
    "calendar.put",
    "calendar.gone",
    "event.put",
    "event.gone",
    "series.put",
    "series.gone",
    "comment.put",
    "comment.gone",
    "response.put",
    "response.gone",
    "contact.put",
    "contact.gone",
]

Url = Annotated[
    str,
    Meta(
        max_length=2_000,
        description="Where changes are sent, by POST: a URL that begins with https:// and is on the Internet.",
        examples=["https://hooks.example/kalends"],
    ),
]


class WebhookInput(Struct, kw_only=True):
    """The editable fields of a webhook."""

    OPTIONS: ClassVar = StructOptions(rules={"url": "must lead to the Internet, by a name that has an address"}, refuses_unknown=True)

    url: Url
    calendar_id: Annotated[Id, Meta(description="Only one calendar and what is on it, instead of all of yours.")] | None = None
    kinds: Annotated[list[Kind], Meta(max_length=6, description="Only records of these kinds.")] | None = None
    enabled: Annotated[bool, Meta(description="Whether changes are sent. Enabled again, it goes on where it stopped.")] = True


class Redelivery(Struct, kw_only=True):
    """Which deliveries to send again."""

    OPTIONS: ClassVar = StructOptions(
        alternatives=(("delivery_id",), ("since",)),
        rules={"delivery_id": "must be of this webhook", "since": "must be an RFC 3339 instant, or a Unix time"},
        refuses_unknown=True,
    )

    delivery_id: Annotated[Id, Meta(description="One delivery.")] | None = None
    since: Annotated[str, Meta(max_length=40, description="All deliveries since this time.", examples=["2026-05-11T15:00:00Z"])] | None = (
        None
    )


class WebhookItem(Struct):
    """A webhook, without its secret."""

    id: int
    url: str
    calendar_id: int | None
    kinds: list[Kind] | None
    enabled: bool
    disabled_reason: DisabledReason | None
    failing_since: Instant | None
    next_attempt_at: Instant | None
    created_at: Instant
    updated_at: Instant


class WebhookSecret(WebhookItem):
    """A webhook with its new secret, which is sent this once."""

    secret: Secret


class WebhookIndex(Struct):
    """A page of webhooks."""

    webhooks: list[WebhookItem]
    limit: int
    offset: int
    next: str | None
    total: int | UnsetType = UNSET


class WebhookDeliveryItem(Struct):
    """A delivery: what it was about, and how the receiver's server replied. Its content is not stored."""

    id: int
    message_id: str
    kind: WebhookKind
    record_id: int | None
    state: WebhookState
    attempts: int
    status: int | None
    duration_ms: int | None
    error: str | None
    created_at: Instant
    updated_at: Instant


class WebhookDeliveryIndex(Struct):
    """A page of deliveries, newest first."""

    deliveries: list[WebhookDeliveryItem]
    limit: int
    offset: int
    next: str | None
    total: int | UnsetType = UNSET


class Message(Struct, kw_only=True):
    """What a webhook sends."""

    timestamp: Instant
    cursor: str


class ChangeMessage(Message, kw_only=True):
    """A record changed: `data` is the change, as `GET /api/changes` lists it."""

    type: ChangeType
    data: Change


class PingData(Struct):
    """The webhook that was tried."""

    webhook_id: int


class PingMessage(Message, kw_only=True):
    """A ping, which you asked for."""

    type: Literal["ping"] = "ping"
    data: PingData


class MissedData(Struct):
    """What to do now."""

    detail: str


class MissedMessage(Message, kw_only=True):
    """Changes were lost: list what you follow again."""

    type: Literal["changes.missed"] = "changes.missed"
    data: MissedData


class WebhookQueued(Struct):
    """How many deliveries were queued."""

    queued: int
