"""Invitations to make an account: the input and the replies of the API."""

from msgspec import UNSET, Struct, UnsetType

from kalends.http.input.types import EmailAddress, Instant


class AccountInvitationInput(Struct, kw_only=True):
    """Whom to invite."""

    email_address: EmailAddress


class AccountInvitationItem(Struct, kw_only=True):
    """An invitation that is valid, with its link."""

    id: int
    email_address: str
    url: str
    created_at: Instant
    expires_at: Instant


class AccountInvitationIndex(Struct):
    invitations: list[AccountInvitationItem]
    limit: int
    offset: int
    next: str | None
    total: int | UnsetType = UNSET
