"""Invitations: the input and the replies of the API."""

from typing import Annotated, ClassVar, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from kalends.http.input.options import FieldOptions, StructOptions
from kalends.http.input.types import EmailAddress, Id, Instant, PartyMax
from kalends.http.paging import Paging
from kalends.responses.model import Attendance

MAX_AT_ONCE = 500
MAX_MESSAGE = 2_000

# What became of an invitation: its mail waits, was sent or came back, the guest has responded, or it was taken back.
InvitationState = Literal["queued", "sent", "bounced", "answered", "withdrawn"]
InvitationScope = Annotated[Literal["this", "all"], Meta(description="Of a series: this date, or all of them.")]


class InvitationInput(Struct, kw_only=True):
    """Whom to invite: addresses, contacts, and all contacts with a tag; at most 500 at once."""

    OPTIONS: ClassVar = StructOptions(
        rules={
            "addresses": "at least one of addresses, contact_ids and tag is required, and together they name at most 500 people",
            "contact_ids": "must be contacts of yours",
        }
    )

    addresses: Annotated[list[EmailAddress], Meta(max_length=MAX_AT_ONCE, description="The e-mail addresses.")] = []
    contact_ids: Annotated[list[Id], Meta(max_length=MAX_AT_ONCE, description="Contacts of yours, by their ids.")] = []
    tag: Annotated[str, Meta(max_length=200, description="All contacts of yours with this tag.")] | None = None
    message: (
        Annotated[str, Meta(max_length=MAX_MESSAGE, description="What you write to them in the mail."), FieldOptions(multiline=True)] | None
    ) = None
    party_max: PartyMax | None = None
    scope: InvitationScope = "this"


class Invited(Struct):
    """How many people are invited now, and how many not: they are invited already, want no invitations or their address does not
    work, or the contact has no address."""

    invited: int
    already: int
    skipped: int
    without_address: int


class InvitationItem(Struct, kw_only=True):
    """An invitation, for the event's editors. `detail` says why its mail came back."""

    id: int
    event_id: int | None
    series_id: int | None
    address: str
    name: str | None
    party_max: int | None
    state: InvitationState
    response: Attendance | None
    detail: str | None
    created_at: Instant
    updated_at: Instant


class InvitationQuery(Paging, kw_only=True, frozen=True):
    """Which page of the invitations to list."""


class InvitationIndex(Struct):
    invitations: list[InvitationItem]
    limit: int
    offset: int
    next: str | None
    total: int | UnsetType = UNSET
