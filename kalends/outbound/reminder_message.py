"""The reminder of an event, as e-mail and SMS, composed right before it is sent."""

from email.message import EmailMessage

from kalends import policy
from kalends.context import Context
from kalends.events import store as events
from kalends.events.reminders import queue, recipients
from kalends.events.reminders.due import find_window
from kalends.events.reminders.queue import Candidate
from kalends.events.reminders.remind import DROPPED
from kalends.i18n import gettext
from kalends.outbound import message
from kalends.outbound.outcome import Undeliverable
from kalends.outbound.response_message import Link, guest_mail
from kalends.records.delivery import Delivery
from kalends.records.event import Event
from kalends.records.response import Response
from kalends.responses import store as responses

LATE = "It could not be sent in time."
LEADS = {"YES": gettext("A reminder: you said yes."), "MAYBE": gettext("A reminder: you said maybe. Will you come?")}


def build(ctx: Context, delivery: Delivery) -> EmailMessage | str:
    """The message, if what it says still holds: the event and the response are read again."""
    reminder, event, response = _load(ctx, delivery)
    url = policy.response_url(ctx.settings, response)
    if delivery.channel == "sms":
        return message.reminder_text(event, reminder.text or "", url, ctx.locale)
    lead = ctx.locale.translate(LEADS[response.response])
    if reminder.text:
        lead = f"{lead}\n\n{reminder.text}"
    links = [Link(gettext("Change my response"), url), Link(gettext("I cannot come"), f"{url}?response=NO")]
    stop = Link(gettext("No more reminders"), f"{url}/reminders")
    subject = gettext("Reminder: %(title)s", title=event.title)
    note = gettext("You get this because you responded to this event.")
    return guest_mail(ctx.settings, delivery, event, subject, lead, links, note, stop=stop, has_file=False, locale=ctx.locale)


def _load(ctx: Context, delivery: Delivery) -> tuple[Candidate, Event, Response]:
    reminder_id, event_id = (int(part) for part in (delivery.cause or "").split(":")[1:3])
    reminder = queue.find_candidate(ctx, reminder_id, event_id)
    rows = responses.find_by_ids(ctx, [delivery.response_id] if delivery.response_id else [])
    if reminder is None or not rows:
        raise Undeliverable("The event, its reminder or the response was deleted before it was sent.")
    event, response = events.get(ctx, event_id), rows[0]
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
