"""The row of an offer to hand over a calendar."""

from msgspec import Struct


class OwnershipOffer(Struct, frozen=True):
    """A calendar that somebody offers to another user, who may accept it."""

    id: int
    calendar_id: int
    calendar_name: str
    # Its owner now.
    owner_id: int
    user_id: int
    user_name: str
    user_display_name: str
    offered_by: int
    offered_by_name: str
    created_at: int
