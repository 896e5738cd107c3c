"""The row of a delivery: a message to one address."""

from typing import Literal

from msgspec import Struct

# The changes of an account that its user is notified of.
Notice = Literal["password_changed", "password_reset", "address_changed", "key_created", "webhook_created", "webhook_disabled"]


class Delivery(Struct, frozen=True):
    """A row of the table `deliveries`."""

    id: int
    owner_id: int
    event_id: int | None
    subscriber_id: int | None
    kind: str
    channel: str
    address: str
    public: bool
    state: str
    attempts: int
    due_at: int
    error: str | None
    created_at: int
    updated_at: int
    notice: Notice | None = None

    @property
    def is_about_new_date(self) -> bool:
        """Whether it tells that the event has a new date. Other notices are about an account."""
        return self.kind == "notice" and self.notice is None
