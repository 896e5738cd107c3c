"""E-mail to guests on a waiting list, with links to take a place or to give it back."""

from email.message import EmailMessage

from kalends import policy
from kalends.i18n import Text, gettext, ngettext
from kalends.i18n.locale import ENGLISH, Locale
from kalends.outbound.response_message import CONFIRM_RESPONSE, Link, describe_hold, guest_mail
from kalends.records.delivery import Delivery
from kalends.records.event import Event
from kalends.records.response import Response
from kalends.settings import Settings
from kalends.values import datetimes
from kalends.values.timestamps import format_utc
from kalends.web.times import Times

LAPSED = gettext("A place was reserved for you, but the time to take it is over. If you respond again, you wait at the end of the list.")


def place_mail(settings: Settings, delivery: Delivery, event: Event, response: Response, locale: Locale = ENGLISH) -> EmailMessage:
    """The message about the place of the response. The links open a page that has the choice made; none of them changes anything."""
    url = policy.response_url(settings, response)
    take, give_back = Link(gettext("Take it"), f"{url}?response=YES"), Link(gettext("I cannot come"), f"{url}?response=NO")
    number = response.offered or response.held or response.people
    if delivery.notice == "place_granted":
        subject, lead, links = gettext("You have a place: %(title)s", title=event.title), _describe_grant(number), [give_back]
        if response.confirm_until:
            more = describe_hold(format_utc(response.confirm_until), event, locale)
            lead, links = gettext("%(sentence)s %(more)s", sentence=lead, more=more), [Link(CONFIRM_RESPONSE, url), give_back]
    elif delivery.notice == "place_lapsed":
        subject, lead = gettext("Your offer is over: %(title)s", title=event.title), LAPSED
        links = [Link(gettext("Respond again"), url)]
    else:
        until = Times(locale).in_zone(datetimes.format_instant(response.offer_until or 0, event.time_zone), event.time_zone)
        subject, lead = gettext("A place is free for you: %(title)s", title=event.title), _describe_offer(number, until)
        links = [take, give_back]
    return guest_mail(settings, delivery, event, subject, lead, links, locale=locale)


def _describe_grant(number: int) -> Text:
    return ngettext(
        "You were on the waiting list, and now a place is yours. If you cannot come, please give it back: others wait.",
        "You were on the waiting list, and now %(num)s places are yours. If you cannot come, please give it back: others wait.",
        number,
    )


def _describe_offer(number: int, until: str) -> Text:
    return ngettext(
        "You are on the waiting list, and a place is reserved for you until %(until)s. After that, it goes to the next.",
        "You are on the waiting list, and %(num)s places are reserved for you until %(until)s. After that, it goes to the next.",
        number,
        until=until,
    )
