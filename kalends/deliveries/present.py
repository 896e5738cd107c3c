"""Representations of deliveries in API replies."""

from kalends.deliveries.model import DeliveryItem, SuppressionItem
from kalends.records.delivery import Delivery
from kalends.records.suppression import Suppression
from kalends.values import timestamps


def item(delivery: Delivery) -> DeliveryItem:
    return DeliveryItem(
        id=delivery.id,
        event_id=delivery.event_id,
        kind=delivery.kind,
        notice=delivery.notice,
        channel=delivery.channel,
        address=delivery.address,
        state=delivery.state,
        attempts=delivery.attempts,
        error=delivery.error,
        created_at=timestamps.format_utc(delivery.created_at),
        updated_at=timestamps.format_utc(delivery.updated_at),
    )


def suppression_item(suppression: Suppression) -> SuppressionItem:
    return SuppressionItem(
        id=suppression.id,
        event_id=suppression.event_id,
        channel=suppression.channel,
        address=suppression.address,
        purpose=suppression.purpose,
        reason=suppression.reason,
        detail=suppression.detail,
        created_at=timestamps.format_utc(suppression.created_at),
    )
