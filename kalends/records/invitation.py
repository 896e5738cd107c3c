"""The row of an invitation: to an event, or to all dates of a series."""

from typing import Literal

from msgspec import Struct

# What became of the mail. Whether the guest has responded is known from the responses.
MailState = Literal["queued", "sent", "bounced", "withdrawn"]


class Invitation(Struct, frozen=True):
    """A row of the table `invitations`, to the event or to the series."""

    id: int
    event_id: int | None
    series_id: int | None
    address: str
    email_key: str
    name: str | None
    message: str | None
    party_max: int | None
    state: MailState
    detail: str | None
    sequence: int
    mails: int
    created_at: int
    updated_at: int
    split_from: int | None


class InvitationWithResponse(Invitation, frozen=True):
    """The same, with the guest's response to the event that is listed."""

    response: str | None
