"""The names of fields, their values and error messages as pages show them."""

import re

from kalends.i18n import gettext
from kalends.i18n.locale import ENGLISH, Locale

# Labels of fields whose name alone is not enough.
LABELS = {
    "accent_color": gettext("Colour of links and buttons"),
    "accepted_for": gettext("Accepted for"),
    "access_token": gettext("Access token"),
    "addresses": gettext("E-mail addresses"),
    "all_day": gettext("All day"),
    "answers": gettext("Answers"),
    "approval": gettext("I accept each response"),
    "approved": gettext("Approved"),
    "ask_if": gettext("When"),
    "at": gettext("Time of that day"),
    "audience": gettext("Whom"),
    "before": gettext("When"),
    "birthday": gettext("Birthday"),
    "by_day": gettext("Weekdays"),
    "by_month": gettext("Months"),
    "by_month_day": gettext("Days of the month"),
    "by_set_pos": gettext("Which of these days"),
    "calendar_id": gettext("Calendar"),
    "calendar_ids": gettext("Calendars"),
    "capacity": gettext("Places"),
    "channel": gettext("How"),
    "city": gettext("City"),
    "color": gettext("Colour"),
    "comment": gettext("Comment"),
    "confirm_responses": gettext("Responses count"),
    "confirm_above": gettext("People for whom a guest can respond without confirming"),
    "hold_minutes": gettext("Minutes for which places are held until a guest confirms"),
    "scheduling": gettext("Invitations from programs"),
    "confirm_until": gettext("Places are held until"),
    "confirmations": gettext("Mail to those who respond"),
    "contact_ids": gettext("Contacts"),
    "count": gettext("Number of times"),
    "country": gettext("Country"),
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
    "file": gettext("File"),
    "first_name": gettext("First name"),
    "forced": gettext("Accepted beyond the places"),
    "frequency": gettext("How often"),
    "gender": gettext("Gender"),
    "headline": gettext("Headline"),
    "hour_cycle": gettext("Times"),
    "hours": gettext("Deliveries"),
    "image_alt": gettext("What the picture shows"),
    "image_url": gettext("Address of the picture"),
    "imprint_url": gettext("Address of the imprint"),
    "interval": gettext("Interval"),
    "keep_days": gettext("Days until the answers are erased"),
    "kind": gettext("Answer"),
    "kinds": gettext("Kinds of records"),
    "label": gettext("Question"),
    "language": gettext("Language"),
    "last_name": gettext("Last name"),
    "location": gettext("Place"),
    "location_name": gettext("Name of the place"),
    "message": gettext("Message"),
    "min_party": gettext("Fewest who would come"),
    "mobile_number": gettext("Mobile number"),
    "moderation": gettext("Comments that wait for approval"),
    "name": gettext("Name"),
    "notify": gettext("Mail to guests"),
    "nth": gettext("Which weekday"),
    "number": gettext("People"),
    "offer_hours": gettext("Hours to take an offered place"),
    "opt_in": gettext("News of other events"),
    "options": gettext("Options"),
    "party_max": gettext("Most people in one response"),
    "password": gettext("Password"),
    "per": gettext("Ask"),
    "phone_number": gettext("Mobile number"),
    "plus_n": gettext("Guests"),
    "privacy_url": gettext("Address of the privacy policy"),
    "public": gettext("Who sees it"),
    "reason": gettext("What is wrong with it?"),
    "repeat": gettext("Repeat"),
    "required": gettext("A yes needs an answer"),
    "response": gettext("Your response"),
    "response_notices": gettext("Mail about new responses and comments to your events"),
    "responses_open": gettext("People can respond"),
    "responses_until": gettext("Respond by"),
    "role": gettext("What they may do"),
    "rrule": gettext("Whole rule"),
    "service": gettext("Service"),
    "short_months": gettext("Months without the day"),
    "show_counts": gettext("Everyone sees how many come"),
    "start_clock": gettext("Time of the start"),
    "start_date": gettext("First day"),
    "start_time": gettext("Start"),
    "state": gettext("State"),
    "status": gettext("Status"),
    "status_note": gettext("Note"),
    "street": gettext("Street"),
    "subject": gettext("Subject"),
    "tag": gettext("Tag"),
    "tag_list": gettext("Tags"),
    "tagline": gettext("Line below it"),
    "text": gettext("What to say"),
    "time_zone": gettext("Time zone"),
    "title": gettext("Title"),
    "to": gettext("To whom?"),
    "unique_id": gettext("Your own id"),
    "until_clock": gettext("Time of the last response"),
    "url": gettext("Address"),
    "user_name": gettext("User name"),
    "visibility": gettext("Who sees it"),
    "waiting_list": gettext("If it is full"),
    "waiting_order": gettext("A party that is too large for the free places"),
    "week_start": gettext("First day of the week"),
    "zip": gettext("Postal code"),
    "zip_code": gettext("Postal code"),
}

STATUSES = {"planned": gettext("Planned"), "cancelled": gettext("Cancelled"), "postponed": gettext("Postponed")}
RESPONSES = {"YES": gettext("Yes"), "MAYBE": gettext("Maybe"), "NO": gettext("No")}

YES_NO = {"true": gettext("Yes"), "false": gettext("No")}
FLAGS = ("all_day", "approval", "approved", "forced", "opt_in", "public", "required", "responses_open", "show_counts")
# Values that are words of ours, by their fields.
VALUES = {"response": RESPONSES, "status": STATUSES, **dict.fromkeys(FLAGS, YES_NO)}
# Kinds of records, and of what webhooks send.
KINDS = {
    "calendar": gettext("Calendar"),
    "comment": gettext("Comment"),
    "contact": gettext("Contact"),
    "event": gettext("Event"),
    "ping": gettext("Ping"),
    "response": gettext("Response"),
    "series": gettext("Series"),
}

# What messages are, by their notice or their kind.
MESSAGES = {
    "announce": gettext("News of other events"),
    "cancel": gettext("Cancelled"),
    "change": gettext("Changed"),
    "confirm": gettext("Confirm that you want to hear of events"),
    "confirmation": gettext("Response"),
    "invitation": gettext("Invitations"),
    "link": gettext("Your response"),
    "message": gettext("Message"),
    "notice": gettext("New date"),
    "promotion": gettext("Waiting list"),
    "proposal": gettext("Confirm your response"),
    "reminder": gettext("Reminders"),
    "reset": gettext("A new password"),
    "response": gettext("Your response"),
    "send_to_me": gettext("Event"),
    "verification": gettext("Confirm your response"),
    "verify": gettext("Verify your address"),
    "password_changed": gettext("Your password was changed"),
    "password_reset": gettext("Your password was changed"),
    "address_changed": gettext("Your e-mail address was changed"),
    "key_created": gettext("A new key"),
    "webhook_created": gettext("A new webhook"),
    "webhook_disabled": gettext("A webhook was switched off"),
    "account_invited": gettext("Make my account"),
    "account_waiting": gettext("Someone waits for your approval"),
    "admin_added": gettext("Someone is an administrator now"),
    "sending_stopped": gettext("Sending is stopped"),
    "account_approved": gettext("Your account is approved"),
    "account_refused": gettext("Your registration was not accepted"),
    "address_registered": gettext("You have an account already"),
    "test_message": gettext("Mail arrives"),
    **dict.fromkeys(("place_granted", "place_offered", "place_lapsed"), gettext("Waiting list")),
    "response_news": gettext("Responses and comments"),
    "response_changed": gettext("Response changed"),
    "response_removed": gettext("Response removed"),
    **dict.fromkeys(("event_hidden", "event_shown"), gettext("Moderation")),
}

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


def value(field: str, value: str | None) -> str | None:
    """The value of a field, as people read it."""
    return VALUES.get(field, {}).get(value or "", value)


def message(text: str, locale: Locale = ENGLISH) -> str:
    """An error message with the labels of fields: `must not be before the start`."""
    return _FIELD.sub(lambda match: _name(match[0], locale), locale.translate(text))


def _name(field: str, locale: Locale) -> str:
    # Other languages have other articles and capitals.
    return f"the {label(field).lower()}" if locale == ENGLISH else f"“{locale.translate(label(field))}”"


def change(kind: str, op: str) -> str:
    """What a change of an event's history did."""
    return CHANGES.get((kind, op)) or OTHER_CHANGES[op]
