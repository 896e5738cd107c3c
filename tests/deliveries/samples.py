"""Sample rows of an event and a delivery."""

from typing import Any

from kalends.records.delivery import Delivery
from kalends.records.event import Event

# Monday, 11 May 2026, 17:00 in Paris.
FIVE = 1_778_511_600


def a_row(**fields: Any) -> Event:
    """An event's row, by default two hours long."""
    row: dict[str, Any] = dict.fromkeys(Event.__struct_fields__)
    row |= {"id": 7, "owner_id": 1, "calendar_id": 1, "title": "Jazz", "start_at": FIVE, "end_at": FIVE + 7200, "all_day": False}
    row |= {"time_zone": "Europe/Paris", "tags": "", "public": True, "version": 1, "created_at": 1_778_000_000, "updated_at": 1_778_000_001}
    row |= {"edited": False, "owner_name": "Ana", "can_edit": False}
    row["status"] = "planned"
    return Event(**row | fields)


def a_delivery(**fields: Any) -> Delivery:
    """A requested delivery, or with `subscriber_id` one to a subscriber."""
    row: dict[str, Any] = dict.fromkeys(Delivery.__struct_fields__)
    row |= {"id": 42, "owner_id": 1, "event_id": 7, "kind": "send_to_me", "channel": "email", "address": "gus@example.org"}
    row |= {"public": True, "state": "sending", "attempts": 1, "due_at": 0, "created_at": 1_778_000_000, "updated_at": 0}
    return Delivery(**row | fields)
