"""The row of an invitation to make an account."""

from msgspec import Struct


class AccountInvitation(Struct, frozen=True):
    """A row of the table `account_invitations`."""

    id: int
    email_address: str
    email_key: str
    invited_by: int | None
    created_at: int
    expires_at: int
