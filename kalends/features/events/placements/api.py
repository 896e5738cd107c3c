"""Events on calendars: add them, remove them and copy them."""

from msgspec import structs

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.event import Event
from kalends.features.events import present, store
from kalends.features.events import uid_store as by_uid
from kalends.features.events.input_model import CalendarChoice
from kalends.features.events.model import EventDetail
from kalends.features.events.placements import store as placements
from kalends.features.events.reminders import store as reminders
from kalends.features.events.rules import visibility
from kalends.features.events.series import store as series_store
from kalends.features.events.steps.create import insert_event
from kalends.features.questions import store as questions
from kalends.http.context import Context
from kalends.http.endpoint import endpoint
from kalends.policy import Right


@endpoint("PUT", "/api/events/{event_id}/add", only_tags=True)
def add(ctx: Context, event_id: int, params: CalendarChoice) -> EventDetail:
    """Add the event to a calendar: `calendar_id`, or your primary calendar. Twice changes nothing."""
    placements.lock_home(ctx, event_id)
    event = policy.event(ctx, event_id, to=Right.SEE)
    policy.require_shown(ctx, [event])
    calendar = policy.target_calendar(ctx, params.calendar_id)
    granted_by = policy.user(ctx).id if event.can_edit else None
    # Its home has it already, and may show it to editors alone.
    if calendar.id != event.calendar_id:
        placements.insert(ctx, event.id, calendar.id, grants=event.can_edit, granted_by=granted_by)
    return present.load_detail(ctx, event_id)


@endpoint("PUT", "/api/events/{event_id}/remove", only_tags=True)
def remove(ctx: Context, event_id: int, params: CalendarChoice) -> EventDetail:
    """Remove the event from a calendar: `calendar_id`, or your primary calendar.

    Editors of the calendar may do this, and so may those who may edit the event. If the calendar was the event's home, another
    calendar of its owner that has the event becomes its home; if there is none, the reply is 409. It is 409 too if that calendar has
    another event with the `uid` of its series; an event alone gets a new one.
    """
    store.lock(ctx, [event_id])
    event = policy.event(ctx, event_id, to=Right.SEE)
    calendar_id = params.calendar_id or policy.primary_calendar(ctx).id
    with errors.naming("calendar_id"):
        policy.require_removal(ctx, event, calendar_id)
    _require_free_uid(ctx, event, calendar_id)
    if not placements.delete(ctx, event, calendar_id):
        raise errors.Conflict(
            gettext("This is the event’s last home calendar. Delete the event, or add it to another of its owner’s calendars first.")
        )
    try:
        return present.load_detail(ctx, event_id)
    except errors.NotFound:
        # The actor could see the event on this calendar alone.
        return present.detail(ctx, policy.event_with_counts(ctx, event_id, was_visible=True))


def _require_free_uid(ctx: Context, event: Event, calendar_id: int) -> None:
    """Raise UidTaken if the event's next home has another event with the UID of its series, which one date alone cannot change."""
    if event.series_id is None or event.calendar_id != calendar_id:
        return
    uid, home_id = series_store.get(ctx, event.series_id).uid, placements.find_next_home(ctx, event)
    if uid is not None and home_id is not None:
        by_uid.require_free(ctx, home_id, uid, of_series=event.series_id)


@endpoint("PUT", "/api/events/{event_id}/copy", status=201, location="/api/events/{id}", only_tags=True)
def copy(ctx: Context, event_id: int, params: CalendarChoice) -> EventDetail:
    """Copy the event to a calendar: `calendar_id`, or your primary calendar.

    The copy is a new event of yours, with the same content, tags and questions, and with the reminders if you may edit the event. It is
    public if both the event and the calendar are. If you may edit an event that is seen by its link, the copy has a link of its own.
    """
    event = policy.event(ctx, event_id, to=Right.SEE)
    calendar = policy.calendar_for_new_event(ctx, params.calendar_id)
    fields = structs.replace(present.editable(policy.reveal(ctx, event)), public=None, visibility=visibility.of_copy(event, calendar))
    created = insert_event(ctx, fields, calendar)
    if event.can_edit:
        reminders.copy_to_event(ctx, event.id, created.id)
    if not questions.copy_to_event(ctx, event, created.id):
        return created
    return present.load_detail(ctx, created.id)
