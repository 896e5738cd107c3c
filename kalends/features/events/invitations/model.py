"""Invitations: the input and the replies of the API."""

from typing import Annotated, ClassVar, Literal

from msgspec import Meta, Struct

from kalends.features.responses.model import Attendance
from kalends.http.input.options import FieldOptions, StructOptions
from kalends.http.input.types import CreatedAt, EmailAddress, Id, PartyMax, RecordId, UpdatedAt
from kalends.http.paging import Page, Paging

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
            "tag": "may have a * at its beginning or its end only, and at most 20 tags",
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

    invited: Annotated[int, Meta(description="How many people are invited now.")]
    already: Annotated[int, Meta(description="How many were invited before.")]
    skipped: Annotated[int, Meta(description="How many are not invited: they want no invitations, or their address does not work.")]
    without_address: Annotated[int, Meta(description="How many contacts have no e-mail address.")]


class InvitationItem(Struct, kw_only=True):
    """An invitation, for the event's editors. `detail` says why its mail came back."""

    id: RecordId
    event_id: Annotated[int | None, Meta(description="Id of the event; null for an invitation to a series.")]
    series_id: Annotated[int | None, Meta(description="Id of the series whose dates it is to; null for an invitation to one event.")]
    address: Annotated[str, Meta(description="The invited e-mail address.")]
    name: Annotated[str | None, Meta(description="The guest's name, if it is known.")]
    party_max: Annotated[int | None, Meta(description="The most people that the guest may bring, the guest included.")]
    state: Annotated[
        InvitationState,
        Meta(description="What became of it: its mail waits, was sent or came back, the guest has responded, or it was taken back."),
    ]
    response: Annotated[Attendance | None, Meta(description="The guest's response to the event; null if there is none.")]
    detail: Annotated[str | None, Meta(description="Why the mail came back.")]
    created_at: CreatedAt
    updated_at: UpdatedAt


class InvitationQuery(Paging, kw_only=True, frozen=True):
    """Which page of the invitations to list."""


class InvitationIndex(Page):
    invitations: Annotated[list[InvitationItem], Meta(description="The invitations.")]
