"""The state of the service, for admins: the replies of the API."""

from msgspec import Struct

from kalends.http.input.types import Instant
from kalends.records.delivery import MessageKind, Notice


class MailItem(Struct, kw_only=True):
    """An e-mail that waits, or could not be sent."""

    id: int
    kind: MessageKind
    notice: Notice | None
    address: str
    attempts: int
    error: str | None
    created_at: Instant
    updated_at: Instant


class MailDetail(Struct, kw_only=True):
    """How e-mail is sent, what waits, and what could not be sent lately."""

    server: str | None
    sender: str
    waiting: list[MailItem]
    waiting_count: int
    failed: list[MailItem]


class HealthDetail(Struct, kw_only=True):
    """Whether the service is well."""

    version: str
    database: str
    migration: int
    worker_alive: bool
    worker_seen_at: Instant | None
    waiting_count: int
    waiting_since: Instant | None
    sent_count: int
    failed_count: int
    last_backup_at: Instant | None
    disk_free: int
    disk_total: int
