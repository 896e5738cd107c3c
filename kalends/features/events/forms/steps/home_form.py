"""The calendar in the form of an event: where a new one is created, and where an existing one can move. And its picture."""

from kalends import policy
from kalends.core.i18n import Text, gettext
from kalends.core.records.calendar import Calendar
from kalends.core.records.event import Event
from kalends.features.calendars import sharing_store as sharing
from kalends.features.events.placements import store as placements
from kalends.features.pictures.steps.add import add_picture
from kalends.http.context import Context
from kalends.http.input.form import Form

FIELD = "calendar_id"

FILE, REMOVE = "file", "remove_image"


def find_calendars(ctx: Context, event: Event | None) -> list[Calendar]:
    """The calendars to choose from, as policy.require_move allows them; none if the event stays where it is."""
    calendars = [calendar for calendar in policy.member_calendars(ctx) if policy.can_edit(calendar)]
    if event is None:
        return calendars
    owner_ids = {event.owner_id, *(calendar.owner_id for calendar in calendars if calendar.id == event.calendar_id)}
    is_own = event.owner_id == policy.user(ctx).id
    homes = [calendar for calendar in calendars if is_own or calendar.owner_id in owner_ids]
    return homes if len(homes) > 1 and event.calendar_id in {calendar.id for calendar in homes} else []


def describe_people(ctx: Context, calendars: list[Calendar]) -> dict[int, Text]:
    """Who sees an event on each of the calendars that is for its members. How many they are, only who manages the calendar sees."""
    shares = sharing.count_shares(ctx, [calendar.id for calendar in calendars])
    return {calendar.id: _people(calendar, shares.get(calendar.id, 0)) for calendar in calendars}


def _people(calendar: Calendar, shares: int) -> Text:
    if not shares:
        return gettext("Only me")
    if policy.can_manage(calendar):
        return gettext("People on this calendar (%(number)s)", number=shares + 1)
    return gettext("People on this calendar")


def is_alone(ctx: Context, event: Event, calendars: list[Calendar]) -> bool:
    """Whether nobody else is a member of the event's calendars, nor of another to which the form can move it."""
    shares = sharing.count_shares(ctx, [event.calendar_id, *(calendar.id for calendar in calendars)])
    return policy.edits_home(ctx, event) and not shares and not placements.count_beyond_home(ctx, [event.id])


def find_move(ctx: Context, event: Event, form: Form) -> int | None:
    """The calendar to which the form moves the event; None if it stays."""
    ids = [
        calendar.id for calendar in find_calendars(ctx, event) if str(calendar.id) == form.text(FIELD) and calendar.id != event.calendar_id
    ]
    return ids[0] if ids else None


def save(ctx: Context, form: Form) -> None:
    """Store the picture that came with the form, and put its path into the form: if that is shown again, the picture is not lost."""
    if upload := form.file(FILE):
        form.values["image_url"] = add_picture(ctx, upload)
    elif form.text(REMOVE):
        form.values |= {"image_url": "", "image_alt": ""}
    form.values = form.without(FILE, REMOVE).values
