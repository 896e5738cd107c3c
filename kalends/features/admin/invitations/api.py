"""Invitations of admins to make an account."""

from typing import Annotated

from msgspec import Meta, Struct

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.people import AccountInvitation
from kalends.core.values import timestamps
from kalends.features.admin.audit import store as audit
from kalends.features.deliveries import store as deliveries
from kalends.features.deliveries.steps import limits
from kalends.features.users import invitation_store as store
from kalends.features.users import store as users
from kalends.http.context import Context
from kalends.http.endpoint import endpoint
from kalends.http.input.types import CreatedAt, Deletion, EmailAddress, Instant, RecordId
from kalends.http.paging import Page, Paging, build_page


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


@endpoint("GET", "/api/admin/invitations", for_admins=True)
def invitations(ctx: Context, params: Paging) -> AccountInvitationIndex:
    """The invitations to make an account that are valid, the last one first; for admins."""
    policy.admin(ctx)
    rows, page = build_page(ctx, params, store.index(ctx, params.fetch, params.offset), lambda: store.count(ctx))
    return AccountInvitationIndex([_item(ctx, row) for row in rows], **page)


@endpoint("POST", "/api/admin/invitations", status=201)
def invite(ctx: Context, params: AccountInvitationInput) -> AccountInvitationItem:
    """Invite someone by mail to make an account; for admins. The link works once, within two weeks.

    An address that is invited already gets a new link, and the old one is void. 409 if it has an account.
    """
    admin = users.get(ctx, policy.admin(ctx).id)
    if users.find(ctx, params.email_address):
        raise errors.Conflict(
            gettext("This address already has an account."),
            [errors.FieldError("email_address", gettext("already has an account"), "taken")],
        )
    limits.count_invitations(ctx, 1)
    invitation = store.insert(ctx, params.email_address, admin.id)
    deliveries.insert_notice(ctx, admin, "account_invited", address=invitation.email_address)
    audit.record(ctx, "account_invited", "invitation", invitation.id)
    return _item(ctx, invitation)


@endpoint("DELETE", "/api/admin/invitations/{account_invitation_id}")
def withdraw_invitation(ctx: Context, account_invitation_id: int) -> Deletion:
    """Withdraw an invitation: its link is void; for admins."""
    policy.admin(ctx)
    if not store.delete(ctx, account_invitation_id):
        raise errors.NotFound
    audit.record(ctx, "invitation_withdrawn", "invitation", account_invitation_id)
    return Deletion([account_invitation_id])


def _item(ctx: Context, invitation: AccountInvitation) -> AccountInvitationItem:
    return AccountInvitationItem(
        id=invitation.id,
        email_address=invitation.email_address,
        url=store.invitation_url(ctx.settings, invitation),
        created_at=timestamps.format_utc(invitation.created_at),
        expires_at=timestamps.format_utc(invitation.expires_at),
    )
