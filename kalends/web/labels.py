"""The names of fields, their values and error messages as pages show them."""

import re

from kalends.core.i18n import gettext, pgettext
from kalends.core.i18n.locale import ENGLISH, Locale
from kalends.http.context import Context

# Labels of fields whose name alone is not enough.
LABELS = {
    "accent_color": gettext("Link and button colour"),
    "accepted_for": gettext("Approved for"),
    "access_token": gettext("Access token"),
    "addresses": gettext("Email addresses"),
    "all_day": gettext("All day"),
    "answers": gettext("Answers"),
    "scopes": gettext("What may it do?"),
    "expires_at": gettext("Expires"),
    "approval": gettext("I approve each RSVP"),
    "approved": gettext("Approved"),
    "ask_if": gettext("Show this question"),
    "at": gettext("Time of day"),
    "audience": gettext("Who gets it"),
    "before": gettext("When"),
    "birthday": gettext("Birthday"),
    "by_day": gettext("Weekdays"),
    "by_month": gettext("Months"),
    "by_month_day": gettext("Days of the month"),
    "by_set_pos": gettext("Which of these days"),
    "calendar_id": gettext("Calendar"),
    "calendar_ids": gettext("Calendars"),
    "capacity": gettext("Capacity"),
    "channel": gettext("Send by"),
    "city": gettext("City"),
    "color": gettext("Colour"),
    "comment": gettext("Comment"),
    "confirm_responses": gettext("RSVPs count"),
    "confirm_above": gettext("Largest RSVP that counts without confirmation"),
    "hold_minutes": gettext("Minutes to hold spots until a guest confirms"),
    "scheduling": gettext("Invitations from apps"),
    "keep_responses_days": gettext("Guest data after an event"),
    "confirm_until": gettext("Spots are held until"),
    "confirmations": gettext("Email guests when they RSVP"),
    "contact_ids": gettext("Contacts"),
    "count": gettext("Number of dates"),
    "country": gettext("Country"),
    "current_password": gettext("Current password"),
    "days_before": gettext("Days before"),
    "description": gettext("Description"),
    "email": gettext("Email address"),
    "email_address": gettext("Email address"),
    "enabled": gettext("Turned on"),
    "end_clock": gettext("End time"),
    "end_date": gettext("Last day"),
    "end_time": gettext("End"),
    "ends": gettext("End of the series"),
    "file": gettext("File"),
    "first_name": gettext("First name"),
    "forced": gettext("Approved over capacity"),
    "frequency": gettext("How often"),
    "gender": gettext("Gender"),
    "headline": gettext("Headline"),
    "hour_cycle": gettext("Time format"),
    "hours": gettext("Period"),
    "image_alt": gettext("Picture description"),
    "image_url": gettext("Picture link"),
    "imprint_url": gettext("Link to the legal notice"),
    "interval": gettext("Interval"),
    "keep_days": gettext("Days until the answers are erased"),
    "kind": gettext("Type of answer"),
    "introduction": gettext("Introduction"),
    "kinds": gettext("Types of records"),
    "label": gettext("Question"),
    "language": gettext("Language"),
    "latitude": gettext("Latitude"),
    "last_name": gettext("Last name"),
    "location": gettext("Location"),
    "location_name": gettext("Location name"),
    "longitude": gettext("Longitude"),
    "message": gettext("Message"),
    "min_party": gettext("Smallest group that would still come"),
    "mobile_number": gettext("Mobile number"),
    "moderation": gettext("Comments that need approval"),
    "name": gettext("Name"),
    "notify": gettext("Email to guests"),
    "nth": gettext("Which weekday"),
    "number": gettext("People"),
    "offer_hours": gettext("Hours to accept an offered spot"),
    "opt_in": gettext("News of other events"),
    "options": gettext("Options"),
    "party_max": gettext("Largest group per RSVP"),
    "password": gettext("Password"),
    "per": gettext("Ask"),
    "phone_number": gettext("Mobile number"),
    "plus_n": gettext("Others"),
    "privacy_url": gettext("Link to the privacy policy"),
    "public": gettext("Who can see it"),
    "reason": gettext("What’s wrong with it?"),
    "repeat": gettext("Repeat"),
    "required": gettext("Guests must answer it"),
    "response": gettext("Your RSVP"),
    "response_notices": gettext("Emails about new RSVPs and comments to your events"),
    "responses_open": gettext("Guests can RSVP"),
    "responses_until": gettext("RSVP by"),
    "role": gettext("Permission"),
    "rrule": gettext("Full rule (RRULE)"),
    "service": gettext("Service"),
    "short_months": gettext("Months without that day"),
    "show_counts": gettext("Everyone can see how many are going"),
    "start_clock": gettext("Start time"),
    "start_date": gettext("First day"),
    "start_time": gettext("Start"),
    "state": gettext("Status"),
    "status": gettext("Status"),
    "status_note": gettext("Note"),
    "street": gettext("Street"),
    "subject": gettext("Subject"),
    "tag": gettext("Tag"),
    "tag_list": gettext("Tags"),
    "tagline": gettext("Tagline"),
    "text": gettext("Message"),
    "time_zone": gettext("Time zone"),
    "title": gettext("Title"),
    "to": gettext("To"),
    "unique_id": gettext("External ID"),
    "until_clock": gettext("RSVP deadline time"),
    "url": gettext("Address"),
    "user_name": gettext("Username"),
    "visibility": gettext("Who can see it"),
    "waiting_list": gettext("When it’s full"),
    "waiting_order": gettext("If a group is too large for the free spots"),
    "week_start": gettext("First day of the week"),
    "zip": gettext("Postal code"),
    "zip_code": gettext("Postal code"),
}

STATUSES = {"planned": gettext("Planned"), "cancelled": gettext("Cancelled"), "postponed": gettext("Postponed")}
RESPONSES = {"YES": pgettext("guest", "Going"), "MAYBE": pgettext("guest", "Maybe"), "NO": pgettext("guest", "Can’t go")}

YES_NO = {"true": gettext("Yes"), "false": gettext("No")}
FLAGS = ("all_day", "approval", "approved", "forced", "opt_in", "public", "required", "responses_open", "show_counts")
# Values that are words of ours, by their fields.
VALUES = {
    "response": RESPONSES,
    "status": STATUSES,
    "visibility": {"public": gettext("Public"), "link": gettext("Anyone with the link"), "members": gettext("People on the calendar")},
    "waiting_list": {"off": gettext("No waiting list"), "auto": gettext("Waiting list"), "offer": gettext("Waiting list with offers")},
    "waiting_order": {"fit": gettext("Let smaller groups go first"), "strict": gettext("Wait until the whole group fits")},
    **dict.fromkeys(FLAGS, YES_NO),
}
# Kinds of records, and of what webhooks send.
KINDS = {
    "calendar": gettext("Calendar"),
    "comment": gettext("Comment"),
    "contact": gettext("Contact"),
    "event": gettext("Event"),
    "ping": gettext("Ping"),
    "response": gettext("RSVP"),
    "series": gettext("Series"),
}

# What messages are, by their notice or their kind.
MESSAGES = {
    "announce": gettext("News of other events"),
    "cancel": pgettext("headline", "Cancelled"),
    "change": gettext("Updated"),
    "confirm": gettext("Confirm your subscription"),
    "confirmation": gettext("RSVP"),
    "invitation": gettext("Invitation"),
    "link": gettext("Your RSVP"),
    "message": gettext("Message"),
    "notice": gettext("New date"),
    "promotion": gettext("Waiting list"),
    "proposal": gettext("Confirm your RSVP"),
    "reminder": gettext("Reminder"),
    "reset": gettext("Reset your password"),
    "response": gettext("Your RSVP"),
    "send_to_me": gettext("Event sent on request"),
    "verification": gettext("Confirm your RSVP"),
    "verify": gettext("Confirm your email address"),
    "password_changed": gettext("Your password was changed"),
    "password_reset": gettext("Your password was changed"),
    "address_changed": gettext("Your email address was changed"),
    "key_created": gettext("An API key was created"),
    "device_connected": gettext("You connected a device"),
    "codes_enabled": gettext("One-time codes were turned on"),
    "codes_disabled": gettext("One-time codes were turned off"),
    "recovery_codes_renewed": gettext("New recovery codes were made"),
    "recovery_code_used": gettext("A recovery code was used"),
    "passkey_added": gettext("A passkey was added"),
    "passkey_removed": gettext("A passkey was removed"),
    "passkey_copied": gettext("A passkey may have been copied"),
    "identity_linked": gettext("A sign-in was linked"),
    "identity_unlinked": gettext("A sign-in was unlinked"),
    "webhook_created": gettext("A webhook was created"),
    "webhook_disabled": gettext("A webhook was turned off"),
    "source_held": gettext("A calendar that you follow needs a look"),
    "source_paused": gettext("A calendar is no longer followed"),
    "account_deleted": gettext("Your account was deleted"),
    "account_invited": gettext("Create account"),
    "account_waiting": gettext("Someone is waiting for your approval"),
    "admin_added": gettext("Someone is an administrator now"),
    "report_waiting": gettext("A report is waiting for you"),
    "sending_stopped": gettext("Sending is stopped"),
    "account_approved": gettext("Your account has been approved"),
    "account_refused": gettext("Your account request wasn’t approved"),
    "address_registered": gettext("You already have an account"),
    "test_message": gettext("Test email: it works"),
    **dict.fromkeys(("place_granted", "place_offered", "place_lapsed"), gettext("Waiting list")),
    "cohost_added": gettext("You’re a co-host"),
    "calendar_shared": gettext("A calendar is shared with you"),
    "ownership_offered": gettext("A calendar is offered to you"),
    "ownership_accepted": gettext("Your calendar has a new owner"),
    "calendar_given": gettext("A calendar is yours now"),
    "calendar_deleted": gettext("A calendar is deleted"),
    "response_news": gettext("RSVPs and comments"),
    "response_changed": gettext("RSVP changed"),
    "response_removed": gettext("RSVP removed"),
    **dict.fromkeys(("event_hidden", "event_shown"), gettext("Moderation")),
}

_FIELD = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")

# What the changes in an event's history did.
CHANGES = {
    ("event", "create"): gettext("Created"),
    ("event", "update"): gettext("Edited"),
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
    ("cohost", "create"): gettext("Co-host added"),
    ("cohost", "delete"): gettext("Co-host removed"),
    ("response", "create"): gettext("RSVP added"),
    ("response", "update"): gettext("RSVP changed"),
    ("response", "delete"): gettext("RSVP removed"),
    ("placement", "create"): gettext("Added to a calendar"),
    ("placement", "delete"): gettext("Removed from a calendar"),
    ("settings", "create"): gettext("Capacity and RSVP settings added"),
    ("settings", "update"): gettext("Capacity and RSVP settings changed"),
    ("settings", "delete"): gettext("Capacity and RSVP settings reset"),
}
OTHER_CHANGES = {"create": gettext("Added"), "update": gettext("Changed"), "delete": gettext("Removed")}


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
    if locale != ENGLISH:
        return f"“{locale.translate(label(field))}”"
    return " ".join(["the", *(word if word.isupper() else word.lower() for word in label(field).split())])


def change(kind: str, op: str) -> str:
    """What a change of an event's history did."""
    return CHANGES.get((kind, op)) or OTHER_CHANGES[op]


def calendar_name(ctx: Context, name: str) -> str:
    """The calendar's name as the actor reads it. One's first calendar bears one's own name, which tells others whose it is."""
    return ctx.locale.translate(gettext("Personal")) if ctx.actor and name == ctx.actor.display_name else name
