"""The suppressed addresses of the site: they get no more messages of an organiser, or of all."""

from msgspec import UNSET, structs

from kalends import policy
from kalends.features.admin.audit import store as audit
from kalends.features.admin.suppressions import store
from kalends.features.admin.suppressions.model import SiteSuppressionIndex, SiteSuppressionItem, SiteSuppressionQuery
from kalends.features.deliveries import present
from kalends.features.deliveries import suppression_store as suppressed
from kalends.http.context import Context
from kalends.http.endpoint import endpoint
from kalends.http.input.types import Deletion
from kalends.http.paging import paginate


@endpoint("GET", "/api/admin/suppressions", for_admins=True)
def site_suppressions(ctx: Context, params: SiteSuppressionQuery) -> SiteSuppressionIndex:
    """The addresses that get no more messages of an organiser, or of all, newest first; for admins."""
    policy.admin(ctx)
    rows, next_page = paginate(ctx, params, store.index(ctx, params))
    total = store.count(ctx, params) if params.count else UNSET
    items = [SiteSuppressionItem(**structs.asdict(present.suppression(row)), user_name=row.user_name) for row in rows]
    return SiteSuppressionIndex(items, limit=params.size, offset=params.offset, next=next_page, total=total)


@endpoint("DELETE", "/api/admin/suppressions/{suppression_id}")
def lift_suppression(ctx: Context, suppression_id: int) -> Deletion:
    """Send to the address again; for admins. 409 if the recipient asked for no more messages: only they can take that back."""
    suppressed.lift(ctx, policy.suppression_of_admin(ctx, suppression_id).id)
    audit.record(ctx, "suppression_lifted", "suppression", suppression_id)
    return Deletion([suppression_id])
