"""The status of an event: planned, cancelled or postponed, and a note on why it does not take place as planned."""

from kalends import errors
from kalends.records.event import Event


def require_status_for_note(status: str, note: str | None) -> None:
    """Refuse a note on a planned event."""
    if status == "planned" and note:
        raise errors.invalid("status_note", "goes with status cancelled or postponed; send one of them, or leave it out", "conflict")


def title_with_status(event: Event) -> str:
    """`Cancelled: Jazz`; of a planned event, its title."""
    return event.title if event.status == "planned" else f"{event.status.capitalize()}: {event.title}"


def describe(event: Event) -> str:
    """The status and its note in sentences; nothing for a planned event."""
    if event.status == "planned":
        return ""
    sentence = "This event is cancelled." if event.status == "cancelled" else "This event is postponed: it has no new date yet."
    return f"{sentence} {event.status_note}" if event.status_note else sentence
