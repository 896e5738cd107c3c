"""Reports: the input and the replies of the API."""

from typing import Annotated, ClassVar, Literal, get_args

from msgspec import Meta, Struct

from kalends.http.input.options import FieldOptions, StructOptions
from kalends.http.input.types import CreatedAt, EmailAddress, EventId, EventLink, Id, Instant, RecordId
from kalends.http.paging import Page, Paging

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

    OPTIONS: ClassVar = StructOptions(rules={"event_id": "is required: send exactly one of event_id, comment_id and calendar_id"})

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

    id: RecordId
    event_id: EventId | None
    comment_id: Annotated[int | None, Meta(description="Id of the comment.")]
    calendar_id: Annotated[int | None, Meta(description="Id of the calendar.")]
    reason: Annotated[Reason, Meta(description="What is wrong with it.")]
    text: Annotated[str | None, Meta(description="What the reporter wrote.")]
    email_address: Annotated[str | None, Meta(description="Where the reporter gets a reply; null if they gave no address.")]
    created_at: CreatedAt


class ReportDetail(ReportItem, kw_only=True):
    """A report for admins: with what it is about, and when it was closed."""

    closed_at: Annotated[Instant | None, Meta(description="When an admin closed it; null while it waits.")]
    subject: Annotated[str, Meta(description="Title of the event, name of the calendar, or text of the comment.")]
    url: Annotated[str, Meta(description="The page of the event or the calendar.")]


class ReportIndex(Page):
    reports: Annotated[list[ReportDetail], Meta(description="The reports.")]
