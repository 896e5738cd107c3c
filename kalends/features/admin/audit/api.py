"""The log of the administration, which admins read."""

from msgspec import UNSET

from kalends import policy
from kalends.core.records.administration import NamedAuditEntry
from kalends.core.values import timestamps
from kalends.features.admin.audit import store
from kalends.features.admin.audit.model import AuditIndex, AuditItem
from kalends.http.context import Context
from kalends.http.endpoint import endpoint
from kalends.http.paging import Paging, paginate


@endpoint("GET", "/api/admin/audit", for_admins=True)
def audit(ctx: Context, params: Paging) -> AuditIndex:
    """What admins did, and the operator with `kalends users`, the newest first; for admins. Entries are kept for two years."""
    policy.admin(ctx)
    rows, next_page = paginate(ctx, params, store.index(ctx, params))
    total = store.count(ctx) if params.count else UNSET
    return AuditIndex([_item(row) for row in rows], limit=params.size, offset=params.offset, next=next_page, total=total)


def _item(row: NamedAuditEntry) -> AuditItem:
    return AuditItem(
        id=row.id,
        at=timestamps.format_utc(row.at),
        actor_id=row.actor_id,
        actor_name=row.actor_name,
        via=row.via,
        action=row.action,
        subject_kind=row.subject_kind,
        subject_id=row.subject_id,
        subject_name=row.subject_name,
        detail=row.detail or None,
    )
