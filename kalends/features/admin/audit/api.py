"""The log of the administration, which admins read."""

from typing import Annotated

from msgspec import Meta, Struct

from kalends import policy
from kalends.core.records.administration import AuditAction, AuditSubject, AuditVia, NamedAuditEntry
from kalends.core.values import timestamps
from kalends.features.admin.audit import store
from kalends.http.context import Context
from kalends.http.endpoint import endpoint
from kalends.http.input.types import Instant, RecordId
from kalends.http.paging import Page, Paging, build_page


class AuditItem(Struct):
    """What an admin did, or the operator with a command."""

    id: RecordId
    at: Annotated[Instant, Meta(description="When it was done, in UTC.")]
    actor_id: Annotated[int | None, Meta(description="Id of the admin who did it; null for the operator, with a command.")]
    actor_name: Annotated[str | None, Meta(description="User name of the admin; null if the account is deleted, and for the operator.")]
    via: Annotated[
        AuditVia, Meta(description="How it was done: on a `page`, by the `api`, with a `key`, or by the operator with a `command`.")
    ]
    action: Annotated[AuditAction, Meta(description="What was done.")]
    subject_kind: Annotated[AuditSubject, Meta(description="What it was done to.")]
    subject_id: Annotated[int | None, Meta(description="Id of what it was done to; null for the site.")]
    subject_name: Annotated[str | None, Meta(description="User name of the account that it was done to, unless that is deleted.")]
    detail: Annotated[str | None, Meta(description="The new role, or which settings were changed.")]


class AuditIndex(Page):
    """A page of the log, the newest first."""

    entries: Annotated[list[AuditItem], Meta(description="The entries, newest first.")]


@endpoint("GET", "/api/admin/audit", for_admins=True)
def audit(ctx: Context, params: Paging) -> AuditIndex:
    """What admins did, and the operator with `kalends users`, the newest first; for admins. Entries are kept for two years."""
    policy.admin(ctx)
    rows, page = build_page(ctx, params, store.index(ctx, params), lambda: store.count(ctx))
    return AuditIndex([_item(row) for row in rows], **page)


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
