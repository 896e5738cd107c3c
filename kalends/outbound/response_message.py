"""E-mail to guests: their response with their personal link, and a proposal with the link to confirm it."""

from collections.abc import Sequence
from email.message import EmailMessage
from typing import Any

from msgspec import Struct

from kalends import policy
from kalends.outbound.message import add_bodies, attach_events, describe_event, envelope, shorten_description
from kalends.records.delivery import Delivery
from kalends.records.event import Event
from kalends.records.response import Response
from kalends.responses import proposals
from kalends.responses.model import SeatPlace
from kalends.responses.proposals import Proposal
from kalends.settings import Settings
from kalends.web.labels import plural
from kalends.web.render import render_text

SAID = {"YES": "yes", "MAYBE": "maybe", "NO": "no"}
CHOICES = (("YES", "Yes"), ("MAYBE", "Maybe"), ("NO", "No"))
NOT_YOU = "Was it not you? Then change the response."
NO_MORE = "No more about this event"
PLACES: dict[str, str] = {
    "held": "You have {held}.",
    "partly": "You have {held}, and wait for the others: you get an e-mail when they are yours.",
    "waiting": "You are on the waiting list: you get an e-mail when there are places for you.",
    "pending": "The organiser has not accepted your response yet.",
}


class Link(Struct, frozen=True):
    """A link and its words."""

    text: str
    url: str


def response_mail(settings: Settings, delivery: Delivery, event: Event, response: Response, place: SeatPlace | None) -> EmailMessage:
    """The response, with the event as a calendar file and the personal link. The links for each choice open a page that has it
    chosen; none of them changes anything."""
    url = policy.response_url(settings, response)
    links = [Link("Change your response", url), *(Link(text, f"{url}?response={choice}") for choice, text in CHOICES)]
    lead = f"You said {SAID[response.response]}" + (f", for {_people(response)}." if response.response == "YES" else ".")
    note = "" if response.proven else NOT_YOU
    subject = f"You said {SAID[response.response]}: {event.title}"
    if delivery.notice == "response_changed":
        said = lead.removeprefix("You said ").rstrip(".")
        lead, subject = f"The organiser has put you down for this event: {said}.", f"Your response was changed: {event.title}"
    if place and place.place in PLACES:
        lead += " " + PLACES[place.place].format(held=plural(place.held, "place"))
    return guest_mail(settings, delivery, event, subject, lead, links, note)


def removal_mail(settings: Settings, delivery: Delivery, event: Event) -> EmailMessage:
    """The news that an editor has removed the response."""
    lead = "The organiser has removed your response to this event. If that is a mistake, respond again, or ask the organiser."
    links = [Link("To the event", policy.guest_url(settings, event))]
    return guest_mail(settings, delivery, event, f"Your response was removed: {event.title}", lead, links)


def proposal_mail(settings: Settings, delivery: Delivery, event: Event, proposal: Proposal) -> EmailMessage:
    """The link that confirms a response which somebody made with this address."""
    said = SAID[proposal.params.value.response]
    lead = f"Somebody responded “{said}” to this event with your address. If it was you, confirm it within 48 hours."
    note = "If it was not you, do nothing: nothing changes, and the request is deleted."
    links = [Link(f"Yes, I say {said}", proposals.url(settings, proposal))]
    return guest_mail(settings, delivery, event, f"Confirm your response: {event.title}", lead, links, note)


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
) -> EmailMessage:
    """A message about the event, with links for its guest.

    lines: what changed, one by one. stop: the link to get no more of these. has_file: with the event as a calendar file.
    """
    event = shorten_description(policy.essentials(event))
    message = envelope(settings, delivery.address, subject, str(delivery.id), delivery.created_at)
    values: dict[str, Any] = {**describe_event(event), "event": event, "lead": lead, "links": links, "note": note}
    if stop:
        message["List-Unsubscribe"] = f"<{stop.url}>"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    html = render_text("deliveries/response.html", **values, lines=lines, stop=stop)
    add_bodies(message, guest_text(event, lead, links, note, lines=lines, stop=stop), html)
    if has_file:
        attach_events(message, settings, [event])
    return message


def guest_text(event: Event, lead: str, links: list[Link], note: str = "", *, lines: Sequence[str] = (), stop: Link | None = None) -> str:
    """The plain text of a message about the event."""
    values = describe_event(event)
    top = "\n".join(filter(None, (values["title"], values["time"], event.location)))
    choices = "\n".join(f"{link.text}: {link.url}" for link in links)
    bottom = "\n".join(filter(None, (note, f"{stop.text}: {stop.url}" if stop else "")))
    changes = "\n".join(f"- {line}" for line in lines)
    parts = (lead, top, values["status"], changes, choices, f"-- \n{bottom}" if bottom else "")
    return "\n\n".join(filter(None, parts)) + "\n"


def _people(response: Response) -> str:
    people = response.number + response.plus_n
    return "1 person" if people == 1 else f"{people:,} people"
