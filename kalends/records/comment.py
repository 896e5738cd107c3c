"""The row of a comment."""

from msgspec import Struct

from kalends.records.response import Attendance


class Comment(Struct, frozen=True):
    """A row of the table `comments`."""

    id: int
    event_id: int
    user_id: int | None
    email_address: str
    name: str | None
    comment: str
    response: Attendance | None
    approved: bool
    # Whether the response waits for the owner of the address to confirm it.
    proposed: bool
    created_at: int
    updated_at: int
