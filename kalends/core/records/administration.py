"""The rows of the administration: the settings of the site, the audit log, hidden events, reports and blocked senders."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

Registration = Annotated[
    Literal["open", "approval", "invitation", "closed"],
    Meta(description="Who can register: everybody, everybody whom an admin approves, who is invited, or nobody."),
]


SiteVisibility = Annotated[
    Literal["everyone", "members"],
    Meta(description="Who sees public events, calendars and organisers: everyone, or members. Links to single events work anyway."),
]


class SiteRow(Struct, frozen=True):
    """The row of the table `site`; null where nothing is set."""

    name: str | None = None
    headline: str | None = None
    tagline: str | None = None
    # The path of a picture.
    logo: str | None = None
    accent_color: str | None = None
    time_zone: str | None = None
    language: str | None = None
    imprint_url: str | None = None
    privacy_url: str | None = None
    registration: Registration | None = None
    visibility: SiteVisibility | None = None
    introduction: str | None = None
    # The digest of a style sheet.
    style: str | None = None


class Site(Struct, frozen=True, kw_only=True):
    """The settings of the site in force."""

    name: str
    headline: str
    tagline: str
    logo: str | None
    accent_color: str
    time_zone: str
    language: str
    imprint_url: str
    privacy_url: str
    registration: Registration
    visibility: SiteVisibility
    introduction: str = ""
    style: str = ""
    # Whether the reader administers it: what shows the settings also shows the way to change them.
    reader_is_admin: bool = False
    # Whether nobody has an account yet.
    is_new: bool = False
    # What waits for the reader, each up to MAX_WAITING.
    reader_news: int = 0
    reader_invitations: int = 0
    reader_comments: int = 0
    reader_reports: int = 0

    @property
    def reader_waits(self) -> int:
        """How much waits for the reader."""
        return self.reader_news + self.reader_invitations + self.reader_comments + self.reader_reports


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
    "factors_removed",
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
    "calendar_given",
    "calendar_erased",
]
AuditSubject = Literal["account", "invitation", "site", "event", "sender", "suppression", "report", "calendar"]


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


class HiddenEvent(Struct, frozen=True):
    """A row of the table `hidden_events`, with the title of its first date that was not deleted, if there is one."""

    id: int
    event_id: int
    reason: str
    hidden_at: int
    title: str | None


class HiddenDate(Struct, frozen=True):
    """A row of the table `hidden_dates`: what the event was before."""

    event_id: int
    public: bool
    by_link: bool
    granting: str

    @property
    def placement_ids(self) -> list[int]:
        return [int(number) for number in self.granting.split(",") if number]


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


class BlockedSender(Struct, frozen=True):
    """A row of the table `blocked_senders`: an e-mail address, or a domain."""

    id: int
    sender: str
    note: str | None
    created_at: int
