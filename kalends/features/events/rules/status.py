"""The status of an event: planned, cancelled or postponed, and a note on why it does not take place as planned."""

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.event import Event


def require_status_for_note(status: str, note: str | None) -> None:
    """Refuse a note on a planned event."""
    if status == "planned" and note:
        raise errors.invalid(
            "status_note", gettext("requires the status cancelled or postponed. Send one of them, or leave this out"), "conflict"
        )


def title_with_status(event: Event) -> str:
    """`Cancelled: Jazz`; of a planned event, its title."""
    if event.status == "planned":
        return event.title
    if event.status == "cancelled":
        return gettext("Cancelled: %(title)s", title=event.title)
    return gettext("Postponed: %(title)s", title=event.title)


def describe(event: Event) -> str:
    """The status and its note in sentences; nothing for a planned event."""
    if event.status == "planned":
        return ""
    is_cancelled = event.status == "cancelled"
    sentence = (
        gettext("This event has been cancelled.")
        if is_cancelled
        else gettext("This event has been postponed and doesn’t have a new date yet.")
    )
    return gettext("%(sentence)s %(more)s", sentence=sentence, more=event.status_note) if event.status_note else sentence
