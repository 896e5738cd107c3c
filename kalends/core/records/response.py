"""The rows of responses, invitations and comments to an event."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

Attendance = Literal["YES", "MAYBE", "NO"]


class Response(Struct, frozen=True):
    """A row of the table `responses`."""

    id: int
    event_id: int
    user_id: int | None
    email_address: str
    name: str | None
    response: Attendance
    number: int
    plus_n: int
    comment: str | None
    opt_in: bool
    version: int
    proven: bool
    link_version: int
    created_at: int
    updated_at: int
    held: int
    offered: int
    offer_until: int | None
    queued_at: int | None
    queued_for: int
    min_party: int | None
    forced: bool
    accepted_for: int | None
    by_series: bool
    # Whether an editor of the event added it.
    added: bool
    # Until when it has its places without confirmation; 0: it has none and does not count until it is confirmed; None: it is confirmed, or
    # need not be.
    confirm_until: int | None
    # The hash of the key of the browser that made it without proof.
    browser: str | None

    @property
    def people(self) -> int:
        """How many come."""
        return self.number + self.plus_n if self.response == "YES" else 0

    @property
    def is_pending(self) -> bool:
        """Whether an editor has not accepted it yet."""
        return self.accepted_for is not None and self.accepted_for < self.people

    @property
    def has_place(self) -> bool:
        """Whether they come: a YES that is confirmed if it must be, and that is not only on a waiting list or before an editor."""
        waits = self.queued_at is not None or self.offer_until is not None or self.is_pending
        return self.response == "YES" and self.confirm_until is None and (self.held > 0 or not waits)

    def is_unconfirmed(self, now: int) -> bool:
        """Whether it waits for its confirmation, and has no places until then."""
        return self.confirm_until is not None and self.confirm_until <= now


class EventTally(Struct, frozen=True):
    """The numbers of responses to an event; people is the sum of number + plus_n of the YES responses."""

    event_id: int
    yes: int
    maybe: int
    no: int
    people: int
    last_at: int


class Tally(Struct, frozen=True):
    """The number of responses of each kind; people is the sum of number + plus_n of the YES responses."""

    yes: Annotated[int, Meta(description="Number of YES responses.")] = 0
    maybe: Annotated[int, Meta(description="Number of MAYBE responses.")] = 0
    no: Annotated[int, Meta(description="Number of NO responses.")] = 0
    people: Annotated[int, Meta(description="Sum of number + plus_n over the YES responses, also of those who wait for a place.")] = 0


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
    """An invitation with the guest's response to the event that is listed."""

    response: str | None


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
