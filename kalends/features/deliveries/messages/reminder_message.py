"""The reminder of an event, as e-mail and SMS, composed right before it is sent."""

from email.message import EmailMessage

from kalends import policy
from kalends.core.i18n import gettext
from kalends.core.records.delivery import Delivery
from kalends.core.records.event import Event
from kalends.core.records.response import Response
from kalends.features.deliveries.messages import message
from kalends.features.deliveries.messages.response_message import Link, guest_mail
from kalends.features.deliveries.rules.outcome import Undeliverable
from kalends.features.events import store as events
from kalends.features.events.reminders import queue_store as queue
from kalends.features.events.reminders import recipient_store as recipients
from kalends.features.events.reminders.queue_store import Candidate
from kalends.features.events.reminders.rules.due import find_window
from kalends.features.events.reminders.steps.remind import DROPPED
from kalends.features.responses import store as responses
from kalends.http.context import Context

LATE = "It could not be sent in time."
LEADS = {"YES": gettext("A reminder of your RSVP: Going."), "MAYBE": gettext("A reminder of your RSVP: Maybe. Are you going?")}


def build(ctx: Context, delivery: Delivery) -> EmailMessage | str:
    """The message, if what it says still holds: the event and the response are read again."""
    reminder, event, response = _load(ctx, delivery)
    url = policy.response_url(ctx.settings, response)
    if delivery.channel == "sms":
        return message.reminder_text(event, reminder.text or "", url, ctx.locale)
    lead, words = LEADS[response.response], reminder.text or ""
    links = [Link(gettext("Change my RSVP"), url), Link(gettext("I can’t go"), f"{url}?response=NO")]
    stop = Link(gettext("Stop reminders"), f"{url}/reminders")
    subject = gettext("Reminder: %(title)s", title=event.title)
    note = gettext("You get this because you sent an RSVP to this event.")
    return guest_mail(ctx.settings, delivery, event, subject, lead, links, note, words=words, stop=stop, locale=ctx.locale)


def _load(ctx: Context, delivery: Delivery) -> tuple[Candidate, Event, Response]:
    reminder_id, event_id = (int(part) for part in (delivery.cause or "").split(":")[1:3])
    reminder = queue.find_candidate(ctx, reminder_id, event_id)
    rows = responses.find_by_ids(ctx, [delivery.response_id] if delivery.response_id else [])
    if reminder is None or not rows:
        raise Undeliverable("The event, its reminder or the response was deleted before it was sent.")
    response = rows[0]
    event = policy.reveal_to_guest(events.get(ctx, event_id), response)
    if (
        event.status != "planned"
        or reminder.cause != delivery.cause
        or not recipients.is_reached(ctx, event, reminder, response.id, delivery.address)
    ):
        raise Undeliverable(DROPPED)
    window = find_window(reminder, event.start_at, event.time_zone)
    if window is None or ctx.now >= window.until_at:
        raise Undeliverable(LATE)
    return reminder, event, response
