"""The row of a report."""

from msgspec import Struct


class Report(Struct, frozen=True):
    """A row of the table `reports`: it is about an event, a comment or a calendar."""

    id: int
    event_id: int | None
    comment_id: int | None
    calendar_id: int | None
    user_id: int | None
    email_address: str | None
    reason: str
    text: str | None
    created_at: int
    closed_at: int | None


class ReportWithSubject(Report, frozen=True):
    """A report with the title, name or text of what it is about, and the event whose page shows it."""

    subject: str
    shown_on_event_id: int | None
