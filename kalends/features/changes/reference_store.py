"""What a restored row refers to may have been deleted since: users, calendars and series."""

from collections.abc import Sequence

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.features.changes.rules.record import Content, Record
from kalends.features.changes.rules.tables import Table
from kalends.http.context import Context

# For each kind of record, the columns that refer to other tables. If the row there is missing: NULL, or the record is left out.
_OPTIONAL = {
    "event": {"series_id": "series"},
    "placement": {"granted_by": "users"},
    "comment": {"user_id": "users"},
    "response": {"user_id": "users", "added_by": "users"},
    "answer": {"user_id": "users"},
    "event_invitation": {"invited_by": "users"},
    "cohost": {"added_by": "users"},
}
_REQUIRED = {
    "placement": {"event_id": "events", "calendar_id": "calendars"},
    "comment": {"event_id": "events"},
    "response": {"event_id": "events"},
    "cohost": {"event_id": "events", "user_id": "users"},
    "settings": {"event_id": "events"},
    "answer": {"event_id": "events", "response_id": "responses", "question_id": "questions"},
    "share": {"user_id": "users", "calendar_id": "calendars"},
    "invitation": {"calendar_id": "calendars", "user_id": "users"},
    "event_invitation": {"event_id": "events", "series_id": "series"},
    "exception": {"series_id": "series"},
}


def keep_valid(ctx: Context, table: Table, records: Sequence[Record]) -> list[tuple[Record, Content]]:
    """The records with what they are restored to, without references to rows that are missing."""
    contents = [(record, dict(record.before or {})) for record in records]
    for column, referred in _OPTIONAL.get(table.kind, {}).items():
        existing = _find_existing(ctx, referred, contents, column)
        for _, content in contents:
            if content.get(column) not in existing:
                content[column] = None
    for column, referred in _REQUIRED.get(table.kind, {}).items():
        existing = _find_existing(ctx, referred, contents, column)
        contents = [(record, content) for record, content in contents if content[column] is None or content[column] in existing]
    if table.kind == "event":
        homes = _find_existing(ctx, "calendars", contents, "calendar_id")
        if any(content["calendar_id"] not in homes for _, content in contents):
            raise errors.Conflict(gettext("The event’s calendar has since been deleted, so it can’t be restored."))
    return contents


def _find_existing(ctx: Context, table: str, contents: list[tuple[Record, Content]], column: str) -> set[int]:
    ids = sorted({content[column] for _, content in contents if content.get(column) is not None})
    if not ids:
        return set()
    return {row_id for (row_id,) in ctx.tx.rows(f"SELECT id FROM {table} WHERE id {ctx.db.in_list('ids')}", ids=ids)}
