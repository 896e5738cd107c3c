"""Suppressed addresses of the site, for admins: the query and the replies of the API."""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from kalends.deliveries.model import SuppressionItem
from kalends.http.paging import Paging


class SiteSuppressionQuery(Paging, kw_only=True, frozen=True):
    """Which suppressed addresses to list."""

    address: Annotated[str, Meta(max_length=320, description="Only this e-mail address or mobile number.")] | None = None


class SiteSuppressionItem(SuppressionItem, kw_only=True):
    """An address that gets no more messages of a purpose: from one organiser, or from all."""

    user_name: str | None


class SiteSuppressionIndex(Struct):
    suppressions: list[SiteSuppressionItem]
    limit: int
    offset: int
    next: str | None
    total: int | UnsetType = UNSET
