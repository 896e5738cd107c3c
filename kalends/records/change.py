"""What the journal says of a change: the kind of record, what was done to it, and by which way."""

from typing import Literal

# The kinds of records that clients follow.
Kind = Literal["calendar", "event", "series", "comment", "response", "contact"]
JournalKind = Literal[
    Kind, "placement", "exception", "settings", "question", "answer", "reminder", "share", "invitation", "event_invitation"
]
JournalOp = Literal["create", "update", "delete"]
Way = Literal["api", "page", "dav", "owner", "mail", "worker", "database", "moderation"]
