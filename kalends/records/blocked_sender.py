"""The row of a blocked sender."""

from msgspec import Struct


class BlockedSender(Struct, frozen=True):
    """A row of the table `blocked_senders`: an e-mail address, or a domain."""

    id: int
    sender: str
    note: str | None
    created_at: int
