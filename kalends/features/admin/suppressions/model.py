"""Suppressed addresses of the site, for admins: the query and the replies of the API."""

from typing import Annotated

from msgspec import Meta

from kalends.features.deliveries.model import SuppressionItem
from kalends.http.paging import Page, Paging


class SiteSuppressionQuery(Paging, kw_only=True, frozen=True):
    """Which suppressed addresses to list."""

    address: Annotated[str, Meta(max_length=320, description="Only this e-mail address or mobile number.")] | None = None


class SiteSuppressionItem(SuppressionItem, kw_only=True):
    """An address that gets no more messages of a purpose: from one organiser, or from all."""

    event_id: Annotated[int | None, Meta(description="Id of the only event that it is about; null for all.")]
    user_name: Annotated[
        str | None, Meta(description="User name of the organiser whose messages they get no more; null for all organisers.")
    ]


class SiteSuppressionIndex(Page):
    suppressions: Annotated[list[SiteSuppressionItem], Meta(description="The addresses that get no more messages.")]
