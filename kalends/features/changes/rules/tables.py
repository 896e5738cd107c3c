"""The tables of the journal: how their rows are put back as they were."""

from typing import Any

from msgspec import Struct

from kalends.core.records.change import JournalKind
from kalends.core.records.event import Event
from kalends.core.records.response_settings import NAMES as SETTINGS

# The columns of an event that its own table has.
EVENT_COLUMNS = tuple(
    name
    for name in Event.__struct_fields__
    if name not in ("sent_uid", "owner_name", "can_edit", "rrule", "first_date", "calendar_party_max", "settings_text", "link_number")
)
# Whether it is seen by its link, and the number in the link, which is there all the same.
LINK_COLUMNS = ("by_link", "link_number")


def link_number(content: dict[str, Any]) -> int | None:
    """The number in the link of the event with these columns; None if it is not seen by its link, or is older than links."""
    return content.get("link_number") if content.get("by_link") else None


class Table(Struct, frozen=True):
    """A table: its key, and the columns that an insertion or update must compute, since the journal has no derived ones."""

    kind: JournalKind
    name: str
    key: tuple[str, ...] = ("id",)
    flags: tuple[str, ...] = ()
    # Whether it has `version` and `updated_at`.
    has_version: bool = False
    has_updated_at: bool = True
    # The columns that the history of an event shows.
    shown_columns: tuple[str, ...] = ()


# Each after those to which it refers.
TABLES = (
    Table("calendar", "calendars", flags=("public", "is_primary")),
    Table("share", "calendar_shares", key=("calendar_id", "user_id"), flags=("manages",), has_updated_at=False),
    Table("invitation", "calendar_invitations", flags=("declined", "manages"), has_updated_at=False),
    Table("series", "series", has_updated_at=False),
    Table("exception", "series_exceptions", key=("series_id", "slot"), has_updated_at=False),
    Table(
        "event", "events", flags=("all_day", "public", "by_link", "edited"), has_version=True, shown_columns=(*EVENT_COLUMNS, *LINK_COLUMNS)
    ),
    Table(
        "question",
        "questions",
        flags=("required",),
        shown_columns=("label", "kind", "required", "per", "options", "ask_if_answer", "keep_days"),
    ),
    Table("reminder", "reminders", shown_columns=("before", "days_before", "at", "audience", "channel", "text")),
    Table("cohost", "cohosts", flags=("by_series",), has_updated_at=False, shown_columns=("user_id",)),
    Table("placement", "placements", flags=("grants", "by_invitation"), has_updated_at=False, shown_columns=("calendar_id",)),
    Table("comment", "comments", flags=("approved", "proposed"), shown_columns=("name", "comment", "response", "approved")),
    Table(
        "response",
        "responses",
        flags=("opt_in", "proven", "forced", "by_series", "added"),
        has_version=True,
        shown_columns=("name", "email_address", "response", "number", "plus_n", "comment", "opt_in", "min_party", "forced", "accepted_for"),
    ),
    # After the responses: its counts are computed from them.
    Table(
        "settings",
        "response_settings",
        key=("event_id",),
        flags=("responses_open", "show_counts", "approval"),
        has_updated_at=False,
        shown_columns=SETTINGS,
    ),
    # Their content is shown with the responses alone.
    Table("answer", "question_answers", has_updated_at=False),
    Table("event_invitation", "invitations", flags=("off_calendar",)),
    Table("contact", "contacts", has_version=True),
)
BY_KIND: dict[str, Table] = {table.kind: table for table in TABLES}
