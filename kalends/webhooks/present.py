"""Webhooks and their deliveries, as the API shows them."""

from kalends.records.webhook import Webhook, WebhookDelivery
from kalends.values import timestamps
from kalends.webhooks.model import WebhookDeliveryItem, WebhookInput, WebhookItem


def item(webhook: Webhook) -> WebhookItem:
    return WebhookItem(
        id=webhook.id,
        url=webhook.url,
        calendar_id=webhook.calendar_id,
        kinds=webhook.kinds.split() or None,
        enabled=webhook.enabled,
        disabled_reason=webhook.disabled_reason,
        failing_since=_instant(webhook.failing_since),
        next_attempt_at=_instant(webhook.next_at) if webhook.enabled and webhook.failures else None,
        created_at=timestamps.format_utc(webhook.created_at),
        updated_at=timestamps.format_utc(webhook.updated_at),
    )


def editable(webhook: Webhook) -> WebhookInput:
    kinds: list[str] | None = webhook.kinds.split() or None
    return WebhookInput(url=webhook.url, calendar_id=webhook.calendar_id, kinds=kinds, enabled=webhook.enabled)  # type: ignore[arg-type]


def delivery_item(delivery: WebhookDelivery) -> WebhookDeliveryItem:
    return WebhookDeliveryItem(
        id=delivery.id,
        message_id=delivery.message_id,
        kind=delivery.kind,
        record_id=delivery.record_id,
        state=delivery.state,
        attempts=delivery.attempts,
        status=delivery.status,
        duration_ms=delivery.duration_ms,
        error=delivery.error,
        created_at=timestamps.format_utc(delivery.created_at),
        updated_at=timestamps.format_utc(delivery.updated_at),
    )


def _instant(moment: int | None) -> str | None:
    return None if moment is None else timestamps.format_utc(moment)
