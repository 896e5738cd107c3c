"""E-mail to guests on a waiting list, with links to take a place or to give it back."""

from email.message import EmailMessage

from kalends import policy
from kalends.core.i18n import Text, gettext, ngettext
from kalends.core.records.delivery import Delivery
from kalends.core.records.event import Event
from kalends.core.records.response import Response
from kalends.core.values.timestamps import format_utc
from kalends.features.deliveries.messages.message import shorten_description
from kalends.features.deliveries.messages.response_message import (
    CONFIRM_RESPONSE,
    LAPSED,
    Link,
    Tone,
    describe_hold,
    describe_offer,
    guest_mail,
)
from kalends.features.responses.steps import own_series
from kalends.http.context import Context


def place_mail(ctx: Context, delivery: Delivery, event: Event, response: Response) -> EmailMessage:
    """The message about the place of the response. The links open a page that has the choice made; none of them changes anything."""
    settings, locale = ctx.settings, ctx.locale
    url = policy.response_url(settings, response)
    take, give_back = Link(gettext("Take the spot"), f"{url}?response=YES"), Link(gettext("I can’t go"), f"{url}?response=NO")
    number = response.offered or response.held or response.people
    tone: Tone = "yes" if delivery.notice == "place_granted" else "wait"
    if delivery.notice == "place_granted":
        subject, lead, links = gettext("You have a spot: %(title)s", title=event.title), _describe_grant(number), [give_back]
        if response.confirm_until:
            more = describe_hold(format_utc(response.confirm_until), event, locale)
            lead, links = gettext("%(sentence)s %(more)s", sentence=lead, more=more), [Link(CONFIRM_RESPONSE, url), give_back]
            subject = gettext("Confirm your RSVP: %(title)s", title=event.title)
    elif delivery.notice == "place_lapsed":
        subject, lead = gettext("Your reserved spot has expired: %(title)s", title=event.title), LAPSED
        links = [Link(gettext("RSVP again"), url)]
    else:
        subject = gettext("A spot is free for you: %(title)s", title=event.title)
        lead = describe_offer(number, format_utc(response.offer_until or 0), event, locale)
        links = [take, give_back]
    file = own_series.build_file(ctx, [shorten_description(event)], response.email_address)
    return guest_mail(settings, delivery, event, subject, lead, links, tone=tone, file=file, locale=locale)


def _describe_grant(number: int) -> Text:
    return ngettext(
        "Good news: a spot has opened up, and it’s yours. If you can’t go, please change your RSVP so someone else can have it.",
        "Good news: %(num)s spots have opened up, and they’re yours. If you can’t go, please change your "
        "RSVP so someone else can have them.",
        number,
    )
