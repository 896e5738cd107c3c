"""Invitations to make an account: the input and the replies of the API."""

from typing import Annotated

from msgspec import Meta, Struct

from kalends.http.input.types import CreatedAt, EmailAddress, Instant, RecordId
from kalends.http.paging import Page


class AccountInvitationInput(Struct, kw_only=True):
    """The person to invite."""

    email_address: EmailAddress


class AccountInvitationItem(Struct, kw_only=True):
    """An invitation that is valid, with its link."""

    id: RecordId
    email_address: Annotated[str, Meta(description="E-mail address.")]
    url: Annotated[str, Meta(description="The link that was mailed.")]
    created_at: CreatedAt
    expires_at: Annotated[Instant, Meta(description="When the link expires, in UTC.")]


class AccountInvitationIndex(Page):
    invitations: Annotated[list[AccountInvitationItem], Meta(description="The invitations.")]
