"""Representations of calendars, and of offers to hand one over, in API replies and forms."""

from typing import Any

from msgspec import UNSET

from kalends import policy
from kalends.core.records.calendar import Calendar, OwnershipOffer
from kalends.core.records.people import Person
from kalends.core.values import timestamps
from kalends.features.calendars import sharing_store as sharing
from kalends.features.calendars.model import CalendarDetail, CalendarInput, CalendarItem
from kalends.features.ownership_offers.model import OfferItem
from kalends.http.context import Context


def editable(calendar: Calendar) -> CalendarInput:
    """The editable fields with their current values."""
    return CalendarInput(**{name: getattr(calendar, name) for name in CalendarInput.__struct_fields__})


def item(calendar: Calendar) -> CalendarItem:
    return CalendarItem(**_limited_fields(calendar))


def detail(ctx: Context, calendar: Calendar) -> CalendarDetail:
    return CalendarDetail(
        **_limited_fields(calendar),
        description=calendar.description,
        moderation=calendar.moderation,
        party_max=calendar.party_max,
        confirmations=calendar.confirmations,
        confirm_responses=calendar.confirm_responses,
        confirm_above=calendar.confirm_above,
        hold_minutes=calendar.hold_minutes,
        scheduling=calendar.scheduling,
        keep_responses_days=calendar.keep_responses_days,
        can_edit=policy.can_edit(calendar),
        feed_url=policy.feed_url(ctx.settings, calendar),
        created_at=timestamps.format_utc(calendar.created_at),
        shares=sharing.index(ctx, calendar.id) if policy.can_manage(calendar) else UNSET,
    )


def _limited_fields(calendar: Calendar) -> dict[str, Any]:
    return {
        "id": calendar.id,
        "name": calendar.name,
        "color": calendar.color,
        "time_zone": calendar.time_zone,
        "public": calendar.public,
        "primary": calendar.is_primary,
        "role": calendar.role,
        "owner": Person(calendar.owner_id, calendar.owner_name),
        "updated_at": timestamps.format_utc(calendar.updated_at),
    }


def offer_item(offer: OwnershipOffer) -> OfferItem:
    return OfferItem(
        id=offer.id,
        calendar_id=offer.calendar_id,
        calendar_name=offer.calendar_name,
        user=Person(offer.user_id, offer.user_display_name),
        offered_by=Person(offer.offered_by, offer.offered_by_name),
        created_at=timestamps.format_utc(offer.created_at),
        expires_at=timestamps.format_utc(offer.created_at + policy.OFFER_SECONDS),
    )
