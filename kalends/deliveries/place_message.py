"""E-mail to guests on a waiting list, with what they can do about it."""

from email.message import EmailMessage

from kalends.deliveries import message
from kalends.records.delivery import Delivery, PlaceNotice
from kalends.records.event import Event
from kalends.records.response import Response
from kalends.settings import Settings
from kalends.values import datetimes
from kalends.web import times

WORDS: dict[PlaceNotice, tuple[str, str]] = {
    "place_granted": (
        "You have a place",
        "You were on the waiting list, and now {places} yours. If you cannot come, please say no on the page of the event: others wait.",
    ),
    "place_offered": (
        "A place is free for you",
        "You are on the waiting list, and {places} reserved for you until {until}. Say yes on the page of the event by then to take "
        "it; after that it goes to the next.",
    ),
    "place_lapsed": (
        "Your offer is over",
        "A place was reserved for you, but the time to take it is over. If you still want to come, respond again: you then wait at the "
        "end of the list.",
    ),
}


def build(settings: Settings, delivery: Delivery, event: Event, response: Response) -> EmailMessage:
    """The message about the place of the response."""
    assert delivery.notice == "place_granted" or delivery.notice == "place_offered" or delivery.notice == "place_lapsed"
    subject, text = WORDS[delivery.notice]
    number = response.offered or response.held or response.people
    places = "a place is" if number == 1 else f"{number:,} places are"
    until = times.in_zone(datetimes.format_instant(response.offer_until, event.time_zone), event.time_zone) if response.offer_until else ""
    return message.mail(settings, delivery, event, f"{subject}: {event.title}", text.format(places=places, until=until))
