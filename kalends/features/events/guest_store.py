"""The guests of events whom a message may reach."""

from typing import Any

from msgspec import Struct

from kalends import policy
from kalends.core.records.delivery import GuestGroup
from kalends.db import columns
from kalends.features.responses.seat_store import ON_LIST
from kalends.http.context import Context

_GROUPS: dict[str, GuestGroup] = {"MAYBE": "maybe", "NO": "no", "": "not_answered"}


class Guest(Struct, frozen=True):
    """The fields of a response that decide whether its guest gets a message. A guest who was invited and has not responded has no id."""

    id: int | None
    event_id: int
    user_id: int | None
    email_address: str
    response: str
    is_waiting: bool
    # Whether they still see the event.
    sees: bool
    # Whether an editor added them.
    added: bool = False

    @property
    def group(self) -> GuestGroup:
        if self.response == "YES":
            return "waiting" if self.is_waiting else "going"
        return _GROUPS[self.response]


_GUEST = columns(Guest, "r", is_waiting=f"({ON_LIST} OR offer_until IS NOT NULL)", sees=policy.GUEST_SEES_EVENT)


def find_guests(ctx: Context, condition: str, **params: Any) -> list[Guest]:
    """The responses that meet the condition, in their order."""
    sql = f"SELECT {_GUEST} FROM responses r JOIN events e ON e.id = r.event_id WHERE {condition} ORDER BY r.id"
    return ctx.tx.all(Guest, sql, **params)
