"""The row of an entry in the log of the administration."""

from typing import Literal

from msgspec import Struct

AuditVia = Literal["page", "api", "key", "command"]
AuditAction = Literal[
    "account_created",
    "account_approved",
    "account_refused",
    "account_suspended",
    "account_activated",
    "account_deleted",
    "role_changed",
    "sending_changed",
    "password_set",
    "account_invited",
    "invitation_withdrawn",
    "site_changed",
    "event_hidden",
    "event_shown",
    "sender_blocked",
    "sender_accepted",
    "suppression_lifted",
    "report_closed",
    "report_opened",
]
AuditSubject = Literal["account", "invitation", "site", "event", "sender", "suppression", "report"]


class AuditEntry(Struct, frozen=True):
    """A row of the table `audit_entries`."""

    id: int
    at: int
    # The admin; None: the operator.
    actor_id: int | None
    via: AuditVia
    action: AuditAction
    subject_kind: AuditSubject
    subject_id: int | None
    detail: str


class NamedAuditEntry(AuditEntry, frozen=True):
    """With the user names of the admin and of the account that it is about, while these exist."""

    actor_name: str | None
    subject_name: str | None
