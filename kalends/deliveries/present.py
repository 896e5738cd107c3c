"""Suppressed addresses as the API shows them."""

from kalends.deliveries.model import SuppressionItem
from kalends.records.suppression import Suppression
from kalends.values import timestamps


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
