"""The row of a suppressed address: it gets no messages of one purpose."""

from typing import Literal

from msgspec import Struct

from kalends.records.delivery import Channel

# Notices are messages about changes and cancellations, and those that an organiser writes.
Purpose = Literal["notice", "reminder", "invitation"]
# The mail server refused the address permanently, a message came back, or the recipient wants no more.
Reason = Literal["refused", "bounced", "unsubscribed"]


class Suppression(Struct, frozen=True):
    """A row of the table `suppressed_addresses`. Without an event it holds for all events, without an owner for the whole service."""

    id: int
    owner_id: int | None
    event_id: int | None
    channel: Channel
    address: str
    purpose: Purpose
    reason: Reason
    detail: str | None
    created_at: int
