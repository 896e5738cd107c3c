"""The status of an event: planned, cancelled or postponed, and a note on why it does not take place as planned."""

from kalends import errors


def require_status_for_note(status: str, note: str | None) -> None:
    """Refuse a note on a planned event."""
    if status == "planned" and note:
        raise errors.invalid("status_note", "goes with status cancelled or postponed; send one of them, or leave it out", "conflict")
