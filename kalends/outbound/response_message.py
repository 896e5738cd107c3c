"""E-mail to guests: their response with their personal link, and a proposal with the link to confirm it."""

from collections.abc import Sequence
from email.message import EmailMessage
from typing import Any

from msgspec import Struct

from kalends import policy
from kalends.i18n import Text, gettext, ngettext
from kalends.i18n.locale import ENGLISH, Locale
from kalends.outbound.message import add_bodies, attach_events, describe_event, envelope, shorten_description
from kalends.records.delivery import Delivery
from kalends.records.event import Event
from kalends.records.response import Response
from kalends.responses import proposals
from kalends.responses.model import SeatPlace
from kalends.responses.proposals import Proposal
from kalends.settings import Settings
from kalends.web.render import render_text
from kalends.web.times import Times

CHOICES = (("YES", gettext("Yes")), ("MAYBE", gettext("Maybe")), ("NO", gettext("No")))
CONFIRM_RESPONSE = gettext("Confirm your response")
NOT_YOU = gettext("Was it not you? Then change the response.")
NO_MORE = gettext("No more about this event")
SUBJECTS = {
    "YES": lambda title: gettext("You said yes: %(title)s", title=title),
    "MAYBE": lambda title: gettext("You said maybe: %(title)s", title=title),
    "NO": lambda title: gettext("You said no: %(title)s", title=title),
}
PROPOSED = {
    "YES": gettext("Someone responded “yes” to this event with your address. If it was you, confirm it within 48 hours."),
    "MAYBE": gettext("Someone responded “maybe” to this event with your address. If it was you, confirm it within 48 hours."),
    "NO": gettext("Someone responded “no” to this event with your address. If it was you, confirm it within 48 hours."),
}
CONFIRM = {"YES": gettext("Yes, I say yes"), "MAYBE": gettext("Yes, I say maybe"), "NO": gettext("Yes, I say no")}


class Link(Struct, frozen=True):
    """A link and its words."""

    text: str
    url: str


def response_mail(
    settings: Settings, delivery: Delivery, event: Event, response: Response, place: SeatPlace | None, locale: Locale = ENGLISH
) -> EmailMessage:
    """The response, with the event as a calendar file and the personal link. The links for each choice open a page that has it
    chosen; none of them changes anything."""
    url = policy.response_url(settings, response)
    links = [Link(gettext("Change your response"), url), *(Link(text, f"{url}?response={choice}") for choice, text in CHOICES)]
    lead, subject = _describe_response(response), SUBJECTS[response.response](event.title)
    if delivery.notice == "response_changed":
        lead, subject = _put_down(response), gettext("Your response was changed: %(title)s", title=event.title)
    if place and (sentence := _describe_place(place)):
        lead = gettext("%(sentence)s %(more)s", sentence=lead, more=sentence)
    if place and place.confirm_until:
        lead = gettext("%(sentence)s %(more)s", sentence=lead, more=describe_hold(place.confirm_until, event, locale))
    if response.confirm_until is not None:
        links = [Link(CONFIRM_RESPONSE, url), *links]
    return guest_mail(settings, delivery, event, subject, lead, links, "" if response.proven else NOT_YOU, locale=locale)


def describe_hold(confirm_until: str, event: Event, locale: Locale) -> Text:
    """Until when an unconfirmed response has its places, or its place in the queue."""
    time = Times(locale).in_zone(confirm_until, event.time_zone)
    return gettext("This holds until %(time)s, unless you confirm it.", time=time)


def _describe_response(response: Response) -> Text:
    if response.response == "YES":
        return ngettext("You said yes, for 1 person.", "You said yes, for %(num)s people.", response.number + response.plus_n)
    return gettext("You said maybe.") if response.response == "MAYBE" else gettext("You said no.")


def _put_down(response: Response) -> Text:
    if response.response == "YES":
        return ngettext(
            "The organiser has put you down for this event: yes, for 1 person.",
            "The organiser has put you down for this event: yes, for %(num)s people.",
            response.number + response.plus_n,
        )
    if response.response == "MAYBE":
        return gettext("The organiser has put you down for this event: maybe.")
    return gettext("The organiser has put you down for this event: no.")


def _describe_place(place: SeatPlace) -> Text | None:
    if place.place == "held":
        return ngettext("You have 1 place.", "You have %(num)s places.", place.held)
    if place.place == "partly":
        return ngettext(
            "You have 1 place, and wait for the others: you get an e-mail when they are yours.",
            "You have %(num)s places, and wait for the others: you get an e-mail when they are yours.",
            place.held,
        )
    if place.place == "unconfirmed":
        return gettext("Your response does not count yet: confirm it.")
    if place.place == "waiting":
        return gettext("You are on the waiting list: you get an e-mail when there are places for you.")
    return gettext("The organiser has not accepted your response yet.") if place.place == "pending" else None


def removal_mail(settings: Settings, delivery: Delivery, event: Event, locale: Locale = ENGLISH) -> EmailMessage:
    """The news that an editor has removed the response."""
    lead = gettext("The organiser has removed your response to this event. If that is a mistake, respond again, or ask the organiser.")
    links = [Link(gettext("To the event"), policy.guest_url(settings, event))]
    subject = gettext("Your response was removed: %(title)s", title=event.title)
    return guest_mail(settings, delivery, event, subject, lead, links, locale=locale)


def proposal_mail(settings: Settings, delivery: Delivery, event: Event, proposal: Proposal, locale: Locale = ENGLISH) -> EmailMessage:
    """The link that confirms a response which someone made with this address."""
    choice = proposal.params.value.response
    note = gettext("If it was not you, do nothing: nothing changes, and the request is deleted.")
    links = [Link(CONFIRM[choice], proposals.url(settings, proposal))]
    subject = gettext("Confirm your response: %(title)s", title=event.title)
    return guest_mail(settings, delivery, event, subject, PROPOSED[choice], links, note, locale=locale)


def guest_mail(
    settings: Settings,
    delivery: Delivery,
    event: Event,
    subject: str,
    lead: str,
    links: list[Link],
    note: str = "",
    *,
    lines: Sequence[str] = (),
    stop: Link | None = None,
    has_file: bool = True,
    locale: Locale = ENGLISH,
) -> EmailMessage:
    """A message about the event, with links for its guest.

    lines: what changed, one by one. stop: the link to get no more of these. has_file: with the event as a calendar file.
    """
    event = shorten_description(policy.essentials(event))
    message = envelope(settings, delivery.address, locale.translate(subject), str(delivery.id), delivery.created_at)
    values: dict[str, Any] = {**describe_event(event, locale), "event": event, "lead": lead, "links": links, "note": note}
    if stop:
        message["List-Unsubscribe"] = f"<{stop.url}>"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    html = render_text("deliveries/response.html", locale, **values, lines=lines, stop=stop)
    add_bodies(message, guest_text(event, lead, links, note, lines=lines, stop=stop, locale=locale), html)
    if has_file:
        attach_events(message, settings, [event])
    return message


def guest_text(
    event: Event,
    lead: str,
    links: list[Link],
    note: str = "",
    *,
    lines: Sequence[str] = (),
    stop: Link | None = None,
    locale: Locale = ENGLISH,
) -> str:
    """The plain text of a message about the event."""
    translate = locale.translate
    values = describe_event(event, locale)
    top = "\n".join(filter(None, (translate(values["title"]), values["time"], event.location)))
    choices = "\n".join(f"{translate(link.text)}: {link.url}" for link in links)
    bottom = "\n".join(filter(None, (translate(note), f"{translate(stop.text)}: {stop.url}" if stop else "")))
    changes = "\n".join(f"- {translate(line)}" for line in lines)
    parts = (translate(lead), top, translate(values["status"]), changes, choices, f"-- \n{bottom}" if bottom else "")
    return "\n\n".join(filter(None, parts)) + "\n"
