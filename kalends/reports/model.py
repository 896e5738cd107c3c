"""Reports: the input and the replies of the API."""

from typing import Annotated, ClassVar, Literal, get_args

from msgspec import UNSET, Meta, Struct, UnsetType

from kalends.http.input.options import FieldOptions, StructOptions
from kalends.http.input.types import EmailAddress, EventLink, Id, Instant
from kalends.http.paging import Paging

Reason = Literal["spam", "abuse", "illegal", "misleading", "private", "other"]
REASONS: tuple[Reason, ...] = get_args(Reason)

ReportText = Annotated[str, Meta(max_length=2_000, description="What is wrong with it."), FieldOptions(multiline=True)]


class Subject(Struct, kw_only=True):
    """What a report is about."""

    event_id: Annotated[Id, Meta(description="The event.")] | None = None
    comment_id: Annotated[Id, Meta(description="The comment.")] | None = None
    calendar_id: Annotated[Id, Meta(description="The calendar.")] | None = None
    link: EventLink | None = None


class ReportInput(Subject, kw_only=True):
    """A new report, about an event, a comment or a calendar."""

    OPTIONS: ClassVar = StructOptions(rules={"event_id": "give one of event_id, comment_id and calendar_id"})

    reason: Annotated[Reason, Meta(description="What is wrong with it.")]
    text: ReportText | None = None
    email_address: EmailAddress | None = None


class ReportQuery(Paging, kw_only=True, frozen=True):
    """Which reports to list."""

    closed: Annotated[bool, Meta(description="Those that are closed, the last one first, instead of those that wait.")] = False


class ReportFields(Struct, kw_only=True):
    """What an admin changes of a report."""

    closed: Annotated[bool, Meta(description="Whether it was dealt with; `false`: it waits again.")]


class ReportItem(Struct, kw_only=True):
    """A report, as it was sent."""

    id: int
    event_id: int | None
    comment_id: int | None
    calendar_id: int | None
    reason: Reason
    text: str | None
    email_address: str | None
    created_at: Instant


class ReportDetail(ReportItem, kw_only=True):
    """A report for admins: with what it is about, and when it was closed."""

    closed_at: Instant | None
    subject: str
    url: str


class ReportIndex(Struct):
    reports: list[ReportDetail]
    limit: int
    offset: int
    next: str | None
    total: int | UnsetType = UNSET
