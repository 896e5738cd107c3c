"""Identities: the accounts at OpenID Connect providers that sign a user in. Linking one takes a browser: Settings → Linked sign-ins."""

from typing import Annotated

from msgspec import Meta, Struct

from kalends import policy
from kalends.core import errors, oidc_providers
from kalends.core.i18n import gettext
from kalends.core.records.credentials import Identity
from kalends.core.values import timestamps
from kalends.features.deliveries import store as deliveries
from kalends.features.identities import store
from kalends.features.passkeys import store as passkeys
from kalends.features.sessions.steps import credentials
from kalends.features.users import store as users
from kalends.http.context import Context
from kalends.http.endpoint import endpoint
from kalends.http.input.types import CreatedAt, Instant, TextDeletion
from kalends.http.paging import Page, Paging, build_page


class IdentityItem(Struct):
    """An account at a provider of OpenID Connect that signs you in."""

    id: Annotated[str, Meta(description="Id of the record.")]
    issuer: Annotated[str, Meta(description="Address of the provider.")]
    label: Annotated[str, Meta(description="Name of the provider.")]
    created_at: CreatedAt
    last_used_at: Annotated[Instant | None, Meta(description="When it last signed in, in UTC; null if it never did.")]


class IdentityIndex(Page):
    """A page of identities."""

    identities: Annotated[list[IdentityItem], Meta(description="The identities.")]


@endpoint("GET", "/api/identities")
def index(ctx: Context, params: Paging) -> IdentityIndex:
    """Your accounts at OpenID Connect providers that sign you in."""
    user = policy.user(ctx)
    identities, page = build_page(ctx, params, store.index(ctx, user.id, params), lambda: store.count(ctx, user.id))
    return IdentityIndex(identities=[_item(ctx, each) for each in identities], **page)


@endpoint("DELETE", "/api/identities/{identity_id}")
def destroy(ctx: Context, identity_id: str) -> TextDeletion:
    """Unlink the account: it no longer signs you in. You get mail.

    It needs a session that was opened within the last hour, and another way to sign in: a password, a passkey or another identity.
    """
    identity = policy.identity(ctx, identity_id)
    policy.recent_session(ctx)
    user = users.lock(ctx, users.get(ctx, identity.user_id))
    if not credentials.has_password(ctx, user) and store.count(ctx, user.id) == 1 and not passkeys.count(ctx, user.id):
        raise errors.Conflict(gettext("This is your only way to sign in. Add a passkey first."))
    store.delete(ctx, identity.id)
    deliveries.insert_account_mail(ctx, user, "notice", "identity_unlinked")
    return TextDeletion([identity.id])


def _item(ctx: Context, identity: Identity) -> IdentityItem:
    used_at = None if identity.last_used_at is None else timestamps.format_utc(identity.last_used_at)
    labels = {each.issuer: each.label for each in oidc_providers.read(ctx.settings.oidc).values()}
    label = labels.get(identity.issuer, identity.issuer)
    return IdentityItem(identity.id, identity.issuer, label, timestamps.format_utc(identity.created_at), used_at)
