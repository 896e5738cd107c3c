"""Offers to hand over a calendar: the input and the replies of the API."""

from typing import Annotated, ClassVar

from msgspec import UNSET, Meta, Struct, UnsetType

from kalends.core.records.people import Person
from kalends.features.calendars.model import CalendarItem
from kalends.features.users.model import CurrentPassword
from kalends.http.input.options import StructOptions
from kalends.http.input.types import CreatedAt, Instant, Name, RecordId
from kalends.http.paging import Page

_RULES = {"current_password": "is required if you signed in more than an hour ago"}


class OfferInput(Struct, kw_only=True):
    """To whom a calendar is offered."""

    OPTIONS: ClassVar = StructOptions(rules=_RULES | {"user_name": "must be someone else with an active account"})

    user_name: Annotated[Name, Meta(description="The user name of someone else.")]
    current_password: CurrentPassword | None = None


class OfferAnswer(Struct, kw_only=True):
    """Whether the offer is accepted."""

    OPTIONS: ClassVar = StructOptions(rules=_RULES)

    accepted: Annotated[bool, Meta(description="true: the calendar is yours from now on. false: the offer ends.")]
    current_password: CurrentPassword | None = None


class OfferItem(Struct, kw_only=True):
    """An offer to hand over a calendar."""

    id: RecordId
    calendar_id: Annotated[int, Meta(description="Id of the calendar.")]
    calendar_name: Annotated[str, Meta(description="Name of the calendar.")]
    user: Annotated[Person, Meta(description="To whom it is offered.")]
    offered_by: Annotated[Person, Meta(description="Who offers it: its owner, or an admin.")]
    created_at: CreatedAt
    expires_at: Annotated[Instant, Meta(description="When the offer ends, in UTC: 14 days after it was made.")]


class AnsweredOffer(OfferItem, kw_only=True):
    """An offer that ended with an answer."""

    accepted: Annotated[bool, Meta(description="Whether the calendar was handed over.")]


class OfferIndex(Page):
    """Offers of calendars."""

    ownership_offers: Annotated[list[OfferItem], Meta(description="The offers to you, and those that you made.")]
    ownerless_calendars: Annotated[
        list[CalendarItem] | UnsetType,
        Meta(description="For admins: calendars that others edit and whose owner is suspended; they may offer them."),
    ] = UNSET
