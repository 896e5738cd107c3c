"""The log of the administration: the replies of the API."""

from msgspec import UNSET, Struct, UnsetType

from kalends.http.input.types import Instant
from kalends.records.audit_entry import AuditAction, AuditSubject, AuditVia


class AuditItem(Struct):
    """What an admin did, or the operator with a command."""

    id: int
    at: Instant
    actor_id: int | None
    actor_name: str | None
    via: AuditVia
    action: AuditAction
    subject_kind: AuditSubject
    subject_id: int | None
    subject_name: str | None
    detail: str | None


class AuditIndex(Struct):
    """A page of the log, the newest first."""

    entries: list[AuditItem]
    limit: int
    offset: int
    next: str | None
    total: int | UnsetType = UNSET
