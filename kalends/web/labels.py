"""The names of fields, error messages and counts as pages show them."""

import re

from kalends.i18n import gettext

# Labels of fields whose name alone is not enough.
LABELS = {
    "at": "Time of that day",
    "audience": "Whom",
    "before": "When",
    "calendar_id": "Calendar",
    "by_day": "Weekdays",
    "by_month": "Months",
    "by_month_day": "Days of the month",
    "by_set_pos": "Which of these days",
    "calendar_ids": "Calendars",
    "capacity": "Places",
    "color": "Colour",
    "comment": "Comment",
    "count": "Number of times",
    "channel": "How",
    "current_password": "Your password",
    "days_before": "Days before",
    "description": "Description",
    "email": "E-mail address",
    "email_address": "E-mail address",
    "enabled": "Switched on",
    "end_clock": "Time of the end",
    "end_date": "Last day",
    "end_time": "End",
    "ends": "End of the repetition",
    "frequency": "How often",
    "hours": "Deliveries",
    "image_alt": "What the picture shows",
    "image_url": "Address of the picture",
    "kinds": "Kinds of records",
    "keep_days": "Days until the answers are erased",
    "label": "Question",
    "location": "Place",
    "min_party": "Fewest who would come",
    "moderation": "Comments that wait for approval",
    "name": "Name",
    "notify": "Mail to guests",
    "nth": "Which weekday",
    "number": "People",
    "options": "Options",
    "per": "Ask",
    "phone_number": "Mobile number",
    "plus_n": "Guests",
    "public": "Who sees it",
    "visibility": "Who sees it",
    "repeat": "Repeat",
    "offer_hours": "Hours to take an offered place",
    "response": "Your response",
    "responses_until": "Respond by",
    "rrule": "Whole rule",
    "short_months": "Months without the day",
    "start_clock": "Time of the start",
    "start_date": "First day",
    "start_time": "Start",
    "status": "Status",
    "status_note": "Note",
    "tag_list": "Tags",
    "text": "What to say",
    "time_zone": "Time zone",
    "title": "Title",
    "to": "To whom?",
    "until_clock": "Time of the last response",
    "unique_id": "Your own id",
    "url": "Address",
    "zip_code": "Postal code",
}

STATUSES = {"planned": gettext("Planned"), "cancelled": gettext("Cancelled"), "postponed": gettext("Postponed")}
RESPONSES = {"YES": gettext("Yes"), "MAYBE": gettext("Maybe"), "NO": gettext("No")}

_FIELD = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")


# Changes in an event's history that have words of their own.
CHANGES = {
    ("event", "create"): "Created",
    ("event", "update"): "Changed",
    ("placement", "create"): "Added to a calendar",
    ("placement", "delete"): "Removed from a calendar",
    ("settings", "create"): "Places and responses set",
    ("settings", "update"): "Places and responses changed",
    ("settings", "delete"): "Places and responses reset",
}
PAST_TENSE = {"create": "added", "update": "changed", "delete": "removed"}


def label(field: str) -> str:
    """The label of a field in its form."""
    return LABELS.get(field) or field.replace("_", " ").capitalize()


def message(text: str) -> str:
    """An error message with the labels of fields: `must not be before the start`."""
    return _FIELD.sub(lambda match: f"the {label(match[0]).lower()}", text)


def change(kind: str, op: str) -> str:
    """What a change of an event's history did."""
    return CHANGES.get((kind, op)) or f"{kind.capitalize()} {PAST_TENSE[op]}"


def plural(number: int, one: str, many: str = "") -> str:
    """`1 event`, `1,400 events`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
