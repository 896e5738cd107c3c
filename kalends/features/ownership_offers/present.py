"""Representations of offers to hand over a calendar in API replies."""

from kalends.core.records.calendar import OwnershipOffer
from kalends.core.records.people import Person
from kalends.core.values import timestamps
from kalends.features.ownership_offers.model import OfferItem
from kalends.policy import OFFER_SECONDS


def item(offer: OwnershipOffer) -> OfferItem:
    return OfferItem(
        id=offer.id,
        calendar_id=offer.calendar_id,
        calendar_name=offer.calendar_name,
        user=Person(offer.user_id, offer.user_display_name),
        offered_by=Person(offer.offered_by, offer.offered_by_name),
        created_at=timestamps.format_utc(offer.created_at),
        expires_at=timestamps.format_utc(offer.created_at + OFFER_SECONDS),
    )
