"""Webhooks: the input and the replies of the API."""

from typing import Annotated, ClassVar, Literal

from msgspec import Meta, Struct

from kalends.core.records.change import DisabledReason, Kind, WebhookKind, WebhookState
from kalends.features.changes.model import Change
from kalends.http.input.options import Secret, StructOptions
from kalends.http.input.types import CreatedAt, Id, Instant, RecordId, UpdatedAt
from kalends.http.paging import Page

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

    id: RecordId
    url: Annotated[str, Meta(description="Where changes are sent.")]
    calendar_id: Annotated[int | None, Meta(description="Id of the only calendar whose changes are sent; null for all of yours.")]
    kinds: Annotated[list[Kind] | None, Meta(description="The only kinds of records whose changes are sent; null for all.")]
    enabled: Annotated[bool, Meta(description="Whether changes are sent.")]
    disabled_reason: Annotated[
        DisabledReason | None,
        Meta(
            description="Why nothing is sent: you switched it off (`owner`), the receiver failed for five days (`failing`) or replied with "
            "status 410 (`gone`), you cannot see the calendar any more (`calendar`), your password was reset (`password`), your account "
            "was suspended (`suspended`), or the key was deleted by which it was made or last changed (`key`)."
        ),
    ]
    failing_since: Annotated[
        Instant | None, Meta(description="When the first of the attempts failed that have failed since; null if the last one did not.")
    ]
    next_attempt_at: Annotated[Instant | None, Meta(description="When it is tried again after a failure, in UTC.")]
    created_at: CreatedAt
    updated_at: UpdatedAt


class WebhookSecret(WebhookItem):
    """A webhook with its new secret, which is sent this once."""

    secret: Annotated[Secret, Meta(description="The secret that verifies deliveries. It is shown once.")]


class WebhookIndex(Page):
    """A page of webhooks."""

    webhooks: Annotated[list[WebhookItem], Meta(description="The webhooks.")]


class WebhookDeliveryItem(Struct):
    """A delivery: what it was about, and how the receiver's server replied. Its content is not stored."""

    id: RecordId
    message_id: Annotated[str, Meta(description="The `webhook-id` of the delivery, the same in each attempt.")]
    kind: Annotated[WebhookKind, Meta(description="The kind of record, or `ping`, or `missed` if changes were lost.")]
    record_id: RecordId | None
    state: Annotated[WebhookState, Meta(description="State of the delivery; `superseded`: there was nothing left to tell.")]
    attempts: Annotated[int, Meta(description="How often sending was tried.")]
    status: Annotated[int | None, Meta(description="HTTP status of the last attempt; null if there was no HTTP response.")]
    duration_ms: Annotated[int | None, Meta(description="Milliseconds that the last attempt took.")]
    error: Annotated[str | None, Meta(description="Why the last attempt failed.")]
    created_at: CreatedAt
    updated_at: UpdatedAt


class WebhookDeliveryIndex(Page):
    """A page of deliveries, newest first."""

    deliveries: Annotated[list[WebhookDeliveryItem], Meta(description="The deliveries, newest first.")]


class Message(Struct, kw_only=True):
    """What a webhook sends."""

    timestamp: Annotated[Instant, Meta(description="When it was queued, in UTC.")]
    cursor: Annotated[str, Meta(description="Send it as `cursor` to get what changes from now on.")]


class ChangeMessage(Message, kw_only=True):
    """A record changed: `data` is the change, as `GET /api/changes` lists it."""

    type: Annotated[ChangeType, Meta(description="What has happened.")]
    data: Annotated[Change, Meta(description="The change.")]


class PingData(Struct):
    """The webhook that was tried."""

    webhook_id: Annotated[int, Meta(description="Id of the webhook.")]


class PingMessage(Message, kw_only=True):
    """A ping, which you asked for."""

    type: Annotated[Literal["ping"], Meta(description="What has happened.")] = "ping"
    data: Annotated[PingData, Meta(description="Which webhook was tried.")]


class MissedData(Struct):
    """What to do now."""

    detail: Annotated[str, Meta(description="What was not sent, and how to read it.")]


class MissedMessage(Message, kw_only=True):
    """Changes were lost: list what you follow again."""

    type: Annotated[Literal["changes.missed"], Meta(description="What has happened.")] = "changes.missed"
    data: Annotated[MissedData, Meta(description="What to do.")]


class WebhookQueued(Struct):
    """How many deliveries were queued."""

    queued: Annotated[int, Meta(description="Number of deliveries that were queued.")]
