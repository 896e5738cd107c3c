"""The state of the service, for admins: the replies of the API."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from kalends.core.records.delivery import MessageKind, Notice
from kalends.http.input.types import CreatedAt, Instant, RecordId, UpdatedAt


class MailItem(Struct, kw_only=True):
    """An e-mail that waits, or could not be sent."""

    id: RecordId
    kind: Annotated[MessageKind, Meta(description="What the message is about.")]
    notice: Annotated[Notice | None, Meta(description="Of notices: what it says.")]
    address: Annotated[str, Meta(description="E-mail address or mobile number.")]
    attempts: Annotated[int, Meta(description="How often sending was tried.")]
    error: Annotated[str | None, Meta(description="Why the last attempt failed.")]
    created_at: CreatedAt
    updated_at: UpdatedAt


class MailDetail(Struct, kw_only=True):
    """How e-mail is sent, what waits, and what could not be sent lately."""

    server: Annotated[str | None, Meta(description="Host and port of the mail server; null where mail is written to files.")]
    sender: Annotated[str, Meta(description="Sender of the mail.")]
    waiting: Annotated[list[MailItem], Meta(description="The messages that are sent next, up to 20.")]
    waiting_count: Annotated[int, Meta(description="Number of messages that wait.")]
    failed: Annotated[list[MailItem], Meta(description="The last messages that could not be sent in the last day, up to 20.")]


class CheckItem(Struct):
    """Something of the installation that was checked."""

    name: Annotated[str, Meta(description="What was checked.")]
    state: Annotated[
        Literal["ok", "wrong", "unknown"],
        Meta(description="`unknown`: it could not be checked, or it is for you to judge."),
    ]
    advice: Annotated[str | None, Meta(description="What is wrong, and what to do; null if it is ok.")] = None


class HealthDetail(Struct, kw_only=True):
    """Whether the service is well."""

    version: Annotated[str, Meta(description="Version of Kalends.")]
    url: Annotated[str, Meta(description="Base URL of the site, with which its links begin.")]
    mail_server: Annotated[
        str | None, Meta(description="Host and port of the mail server; null if none is set, and mail is written to files.")
    ]
    database: Annotated[str, Meta(description="Which database it is.")]
    migration: Annotated[int, Meta(description="Number of the newest migration that has run.")]
    worker_alive: Annotated[bool, Meta(description="Whether the background worker has run within three minutes.")]
    worker_seen_at: Annotated[Instant | None, Meta(description="When the background worker last ran, in UTC; null if it never did.")]
    waiting_count: Annotated[int, Meta(description="Number of messages that wait.")]
    waiting_since: Annotated[Instant | None, Meta(description="Since when the oldest of the messages waits, in UTC; null if none does.")]
    sent_count: Annotated[int, Meta(description="Number of messages that were sent in the last hour.")]
    written_count: Annotated[
        int, Meta(description="Number of messages that were written to files in the last hour, since no service is set up to send them.")
    ]
    failed_count: Annotated[int, Meta(description="Number of messages that failed in the last hour.")]
    last_backup_at: Annotated[Instant | None, Meta(description="When `kalends backup` last wrote a backup, in UTC; null if it never did.")]
    disk_free: Annotated[int, Meta(description="Bytes that are free on the disk of the data folder.")]
    disk_total: Annotated[int, Meta(description="Bytes of that disk.")]
    checks: Annotated[list[CheckItem], Meta(description="What `kalends doctor` checks too, and what this request shows of the proxy.")]
