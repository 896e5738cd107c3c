"""E-mail to guests on a waiting list, with links to take a place or to give it back."""

from email.message import EmailMessage

from kalends import policy
from kalends.i18n.locale import ENGLISH
from kalends.outbound.response_message import Link, guest_mail
from kalends.records.delivery import Delivery
from kalends.records.event import Event
from kalends.records.response import Response
from kalends.settings import Settings
from kalends.values import datetimes
from kalends.web.times import Times

GRANTED = "You were on the waiting list, and now {places} yours. If you cannot come, please give it back: others wait."
OFFERED = "You are on the waiting list, and {places} reserved for you until {until}. After that, it goes to the next."
LAPSED = "A place was reserved for you, but the time to take it is over. If you respond again, you wait at the end of the list."


def place_mail(settings: Settings, delivery: Delivery, event: Event, response: Response) -> EmailMessage:
    """The message about the place of the response. The links open a page that has the choice made; none of them changes anything."""
    url = policy.response_url(settings, response)
    take, give_back = Link("Take it", f"{url}?response=YES"), Link("I cannot come", f"{url}?response=NO")
    number = response.offered or response.held or response.people
    places = "a place is" if number == 1 else f"{number:,} places are"
    if delivery.notice == "place_granted":
        return guest_mail(settings, delivery, event, f"You have a place: {event.title}", GRANTED.format(places=places), [give_back])
    if delivery.notice == "place_lapsed":
        return guest_mail(settings, delivery, event, f"Your offer is over: {event.title}", LAPSED, [Link("Respond again", url)])
    until = Times(ENGLISH).in_zone(datetimes.format_instant(response.offer_until or 0, event.time_zone), event.time_zone)
    lead = OFFERED.format(places=places, until=until)
    return guest_mail(settings, delivery, event, f"A place is free for you: {event.title}", lead, [take, give_back])
