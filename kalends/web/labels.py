"""The names of fields, error messages and counts as pages show them."""

import re

from kalends.i18n import gettext
from kalends.i18n.locale import ENGLISH, Locale

# Labels of fields whose name alone is not enough.
LABELS = {
    "at": gettext("Time of that day"),
    "audience": gettext("Whom"),
    "before": gettext("When"),
    "calendar_id": gettext("Calendar"),
    "by_day": gettext("Weekdays"),
    "by_month": gettext("Months"),
    "by_month_day": gettext("Days of the month"),
    "by_set_pos": gettext("Which of these days"),
    "calendar_ids": gettext("Calendars"),
    "capacity": gettext("Places"),
    "color": gettext("Colour"),
    "comment": gettext("Comment"),
    "count": gettext("Number of times"),
    "channel": gettext("How"),
    "current_password": gettext("Your password"),
    "days_before": gettext("Days before"),
    "description": gettext("Description"),
    "email": gettext("E-mail address"),
    "email_address": gettext("E-mail address"),
    "enabled": gettext("Switched on"),
    "end_clock": gettext("Time of the end"),
    "end_date": gettext("Last day"),
    "end_time": gettext("End"),
    "ends": gettext("End of the repetition"),
    "frequency": gettext("How often"),
    "hours": gettext("Deliveries"),
    "image_alt": gettext("What the picture shows"),
    "image_url": gettext("Address of the picture"),
    "kinds": gettext("Kinds of records"),
    "keep_days": gettext("Days until the answers are erased"),
    "label": gettext("Question"),
    "location": gettext("Place"),
    "min_party": gettext("Fewest who would come"),
    "moderation": gettext("Comments that wait for approval"),
    "name": gettext("Name"),
    "notify": gettext("Mail to guests"),
    "nth": gettext("Which weekday"),
    "number": gettext("People"),
    "options": gettext("Options"),
    "per": gettext("Ask"),
    "phone_number": gettext("Mobile number"),
    "plus_n": gettext("Guests"),
    "public": gettext("Who sees it"),
    "visibility": gettext("Who sees it"),
    "repeat": gettext("Repeat"),
    "offer_hours": gettext("Hours to take an offered place"),
    "response": gettext("Your response"),
    "responses_until": gettext("Respond by"),
    "rrule": gettext("Whole rule"),
    "short_months": gettext("Months without the day"),
    "start_clock": gettext("Time of the start"),
    "start_date": gettext("First day"),
    "start_time": gettext("Start"),
    "status": gettext("Status"),
    "status_note": gettext("Note"),
    "tag_list": gettext("Tags"),
    "text": gettext("What to say"),
    "time_zone": gettext("Time zone"),
    "title": gettext("Title"),
    "to": gettext("To whom?"),
    "until_clock": gettext("Time of the last response"),
    "unique_id": gettext("Your own id"),
    "url": gettext("Address"),
    "zip_code": gettext("Postal code"),
}

STATUSES = {"planned": gettext("Planned"), "cancelled": gettext("Cancelled"), "postponed": gettext("Postponed")}
RESPONSES = {"YES": gettext("Yes"), "MAYBE": gettext("Maybe"), "NO": gettext("No")}

_FIELD = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")

# What the changes in an event's history did.
CHANGES = {
    ("event", "create"): gettext("Created"),
    ("event", "update"): gettext("Changed"),
    ("answer", "create"): gettext("Answer added"),
    ("answer", "update"): gettext("Answer changed"),
    ("answer", "delete"): gettext("Answer removed"),
    ("comment", "create"): gettext("Comment added"),
    ("comment", "update"): gettext("Comment changed"),
    ("comment", "delete"): gettext("Comment removed"),
    ("question", "create"): gettext("Question added"),
    ("question", "update"): gettext("Question changed"),
    ("question", "delete"): gettext("Question removed"),
    ("reminder", "create"): gettext("Reminder added"),
    ("reminder", "update"): gettext("Reminder changed"),
    ("reminder", "delete"): gettext("Reminder removed"),
    ("response", "create"): gettext("Response added"),
    ("response", "update"): gettext("Response changed"),
    ("response", "delete"): gettext("Response removed"),
    ("placement", "create"): gettext("Added to a calendar"),
    ("placement", "delete"): gettext("Removed from a calendar"),
    ("settings", "create"): gettext("Places and responses set"),
    ("settings", "update"): gettext("Places and responses changed"),
    ("settings", "delete"): gettext("Places and responses reset"),
}
OTHER_CHANGES = {"create": gettext("Something added"), "update": gettext("Something changed"), "delete": gettext("Something removed")}


def label(field: str) -> str:
    """The label of a field in its form."""
    return LABELS.get(field) or field.replace("_", " ").capitalize()


def message(text: str, locale: Locale = ENGLISH) -> str:
    """An error message with the labels of fields: `must not be before the start`."""
    return _FIELD.sub(lambda match: _name(match[0], locale), locale.translate(text))


def _name(field: str, locale: Locale) -> str:
    # Other languages have other articles and capitals.
    return f"the {label(field).lower()}" if locale == ENGLISH else f"“{locale.translate(label(field))}”"


def change(kind: str, op: str) -> str:
    """What a change of an event's history did."""
    return CHANGES.get((kind, op)) or OTHER_CHANGES[op]


def plural(number: int, one: str, many: str = "") -> str:
    """`1 event`, `1,400 events`, in English."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
