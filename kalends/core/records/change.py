"""What the journal says of a change, and the rows of the webhooks that send changes."""

from typing import Any, Literal

from msgspec import Struct, json

# The kinds of records that clients follow.
Kind = Literal["calendar", "event", "series", "comment", "response", "contact"]
JournalKind = Literal[
    Kind, "placement", "exception", "settings", "question", "answer", "reminder", "cohost", "share", "invitation", "event_invitation"
]
JournalOp = Literal["create", "update", "delete"]
Way = Literal["api", "page", "dav", "owner", "mail", "worker", "database", "moderation", "transfer"]


class ChangeRow(Struct, frozen=True):
    """A row of the journal."""

    id: int
    set_id: int
    at: int
    actor_id: int | None
    via: Way
    kind: JournalKind
    record_id: int
    event_id: int | None
    owner_id: int | None
    calendar_id: int | None
    op: JournalOp
    before: str | None

    @property
    def content(self) -> dict[str, Any]:
        """The row as it was."""
        content: dict[str, Any] = json.decode(self.before or "{}")
        return content


DisabledReason = Literal["owner", "failing", "gone", "calendar", "password", "suspended", "key"]
WebhookKind = Literal[Kind, "ping", "missed"]
WebhookState = Literal["queued", "sent", "failed", "superseded"]


class Webhook(Struct, frozen=True):
    """A row of the table `webhooks`."""

    id: int
    user_id: int
    url: str
    calendar_id: int | None
    # Separated by spaces; empty for all.
    kinds: str
    secret_id: str
    previous_secret_id: str | None
    rotated_at: int | None
    epoch: int
    tx: int
    entry_id: int
    advanced_at: int
    enabled: bool
    disabled_reason: DisabledReason | None
    # Attempts that failed since the last one that did not.
    failures: int
    failing_since: int | None
    next_at: int
    # Until then a worker sends to it, unless that worker died.
    leased_until: int
    created_at: int
    updated_at: int
    # The key by which it was made or last changed, if it was one.
    key_id: str | None = None


class WebhookDelivery(Struct, frozen=True):
    """A row of the table `webhook_deliveries`. The kind is that of a record, or `ping`, or `missed`."""

    id: int
    webhook_id: int
    message_id: str
    kind: WebhookKind
    record_id: int | None
    # Separated by spaces.
    event_ids: str
    tx: int
    entry_id: int
    state: WebhookState
    attempts: int
    status: int | None
    duration_ms: int | None
    error: str | None
    created_at: int
    updated_at: int
