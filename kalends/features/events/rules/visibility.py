"""Who sees an event, which clients say with `visibility`, or with `public` alone; and its status."""

from typing import TypeVar

from msgspec import structs

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.calendar import Calendar, TargetCalendar
from kalends.core.records.event import Event, Visibility
from kalends.features.events.input_model import EventChanges, EventFields
from kalends.http.input.fields import Changes

F = TypeVar("F", bound=EventFields)


def complete(fields: F, calendar: Calendar | TargetCalendar) -> F:
    """The fields of a new event with both; by default it is as visible as its calendar."""
    visibility, public = fields.visibility, fields.public
    if visibility is None:
        public = calendar.public if public is None else public
        return structs.replace(fields, public=public, visibility=_of(public))
    if public is not None and public != (visibility == "public"):
        raise _contradiction()
    return structs.replace(fields, public=visibility == "public", visibility=visibility)


def change(event: Event, fields: EventFields, changes: Changes[EventChanges]) -> None:
    """Set both in the fields of the event with its changes. If both were sent, the one that differs from the event counts."""
    public, visibility = changes.get("public"), changes.get("visibility")
    if visibility is None:
        visibility = event.visibility if public is None else _of(public)
    elif public is not None and public != (visibility == "public") and public != event.public:
        if visibility != event.visibility:
            raise _contradiction()
        visibility = _of(public)
    fields.public, fields.visibility = visibility == "public", visibility


def of_copy(event: Event, calendar: TargetCalendar) -> Visibility:
    """Who sees a copy on the calendar: everyone if both are public; it has a link if the copied event has one that the actor may see."""
    return "link" if event.visibility == "link" and event.can_edit else _of(event.public and calendar.public)


def _of(public: bool) -> Visibility:
    return "public" if public else "members"


def _contradiction() -> errors.Invalid:
    return errors.invalid("visibility", gettext("contradicts public. Send one of them"), "conflict")


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


def describe_status(event: Event) -> str:
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
