"""The log of the administration: the replies of the API."""

from typing import Annotated

from msgspec import Meta, Struct

from kalends.core.records.administration import AuditAction, AuditSubject, AuditVia
from kalends.http.input.types import Instant, RecordId
from kalends.http.paging import Page


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
