"""Suppressed addresses as the API shows them."""

from kalends.core.records.delivery import Suppression
from kalends.core.values import timestamps
from kalends.features.deliveries.model import SuppressionItem


def suppression(row: Suppression) -> SuppressionItem:
    return SuppressionItem(
        id=row.id,
        event_id=row.event_id,
        channel=row.channel,
        address=row.address,
        purpose=row.purpose,
        reason=row.reason,
        detail=row.detail,
        created_at=timestamps.format_utc(row.created_at),
    )
