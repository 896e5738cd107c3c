"""Identities at providers of OpenID Connect: the input and the replies."""

from typing import Annotated

from msgspec import Meta, Struct

from kalends.http.input.types import CreatedAt, Instant
from kalends.http.paging import Page


class Callback(Struct, kw_only=True):
    """What a provider sends back with the browser. Anything else in the query is ignored."""

    code: Annotated[str, Meta(max_length=8_000)] | None = None
    state: Annotated[str, Meta(max_length=200)] | None = None
    iss: Annotated[str, Meta(max_length=1_000)] | None = None
    error: Annotated[str, Meta(max_length=200)] | None = None


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
