"""The suppressed addresses of the site: they get no more messages of an organiser, or of all."""

from typing import Annotated

from msgspec import Meta, structs

from kalends import policy
from kalends.features.admin.audit import store as audit
from kalends.features.deliveries import present
from kalends.features.deliveries import suppression_store as store
from kalends.features.deliveries.model import SuppressionItem
from kalends.http.context import Context
from kalends.http.endpoint import endpoint
from kalends.http.input.types import Deletion
from kalends.http.paging import Page, Paging, build_page


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


@endpoint("GET", "/api/admin/suppressions", for_admins=True)
def site_suppressions(ctx: Context, params: SiteSuppressionQuery) -> SiteSuppressionIndex:
    """The addresses that get no more messages of an organiser, or of all, newest first; for admins."""
    policy.admin(ctx)
    rows, page = build_page(
        ctx, params, store.index_all(ctx, params.address, params.fetch, params.offset), lambda: store.count_all(ctx, params.address)
    )
    items = [SiteSuppressionItem(**structs.asdict(present.suppression(row)), user_name=row.user_name) for row in rows]
    return SiteSuppressionIndex(items, **page)


@endpoint("DELETE", "/api/admin/suppressions/{suppression_id}")
def lift_suppression(ctx: Context, suppression_id: int) -> Deletion:
    """Send to the address again; for admins. 409 if the recipient asked for no more messages: only they can take that back."""
    store.lift(ctx, policy.suppression_of_admin(ctx, suppression_id).id)
    audit.record(ctx, "suppression_lifted", "suppression", suppression_id)
    return Deletion([suppression_id])
