"""E-mail to guests: their response with their personal link, and a proposal with the link to confirm it."""

from collections.abc import Sequence
from email.message import EmailMessage
from typing import Any, Literal

from msgspec import Struct, structs

from kalends import policy
from kalends.core.i18n import Text, gettext, ngettext, pgettext
from kalends.core.i18n.locale import ENGLISH, Locale
from kalends.core.records.delivery import Delivery
from kalends.core.records.event import Event
from kalends.core.records.response import Response
from kalends.core.settings import Settings
from kalends.core.values.timestamps import format_utc
from kalends.features.deliveries.messages.message import (
    add_bodies,
    attach_file,
    describe_event,
    envelope,
    find_cover,
    shorten_description,
)
from kalends.features.deliveries.rules import event_time
from kalends.features.responses import proposal_store as proposals
from kalends.features.responses.model import SeatPlace
from kalends.features.responses.proposal_store import Proposal
from kalends.features.responses.steps import own_series
from kalends.features.responses.steps.own_series import OwnSeries
from kalends.http.context import Context
from kalends.web.render import render_text
from kalends.web.times import Times

# The dates that a mail lists; the page of the response has all.
MAX_DATES = 20
CHOICES = (("YES", pgettext("rsvp", "Going")), ("MAYBE", pgettext("rsvp", "Maybe")), ("NO", pgettext("rsvp", "Can’t go")))
CONFIRM_RESPONSE = gettext("Confirm your RSVP")
NOT_YOU = gettext("Not you? Change the RSVP.")
NO_MORE = gettext("Stop messages about this event")
LAPSED = gettext("We reserved a spot for you, but it has expired. If you RSVP again, you join the end of the waiting list.")
SUBJECTS = {
    "YES": lambda title: gettext("You’re going: %(title)s", title=title),
    "MAYBE": lambda title: gettext("Maybe: %(title)s", title=title),
    "NO": lambda title: gettext("Can’t go: %(title)s", title=title),
}
PROPOSED = {
    "YES": gettext("Someone used your address to RSVP “Going” to this event. If it was you, confirm within 48 hours."),
    "MAYBE": gettext("Someone used your address to RSVP “Maybe” to this event. If it was you, confirm within 48 hours."),
    "NO": gettext("Someone used your address to RSVP “Can’t go” to this event. If it was you, confirm within 48 hours."),
}
CONFIRM = {"YES": gettext("Confirm: Going"), "MAYBE": gettext("Confirm: Maybe"), "NO": gettext("Confirm: Can’t go")}


# The colour of what a mail says of a response: it has its spots, it waits, or it takes none.
Tone = Literal["yes", "wait", "no"]


class Link(Struct, frozen=True):
    """A link and its words."""

    text: str
    url: str


def response_mail(ctx: Context, delivery: Delivery, event: Event, response: Response, place: SeatPlace | None) -> EmailMessage:
    """The response, with the personal link, and with the event or the series that it counts for as a calendar file. The links for each
    choice open a page that has it chosen; none of them changes anything."""
    settings, locale = ctx.settings, ctx.locale
    series = own_series.find(ctx, event, response.email_address)
    is_for_series = series is not None and series.covers(event, response)
    url = policy.response_url(settings, response)
    scope = "&scope=all" if is_for_series else ""
    others = [Link(text, f"{url}?response={choice}{scope}") for choice, text in CHOICES if choice != response.response]
    links = [Link(gettext("Change your RSVP"), url), *others]
    if policy.guest_view(event).is_open:
        links.append(Link(gettext("View event"), policy.guest_url(settings, event)))
    lead, subject = _describe_response(response), SUBJECTS[response.response](event.title)
    if place and place.place in ("waiting", "partly", "offered"):
        subject = gettext("Waiting list: %(title)s", title=event.title)
    elif place and place.place == "pending":
        subject = gettext("Awaiting approval: %(title)s", title=event.title)
    elif place and place.place == "unconfirmed":
        subject = gettext("Confirm your RSVP: %(title)s", title=event.title)
    if delivery.notice == "response_changed":
        lead, subject = _put_down(response), gettext("Your RSVP was changed: %(title)s", title=event.title)
    if series and is_for_series:
        lead = gettext("%(sentence)s %(more)s", sentence=lead, more=series.reach)
    if place and (sentence := _describe_place(place, event, locale)):
        lead = gettext("%(sentence)s %(more)s", sentence=lead, more=sentence)
    if response.confirm_until and (place is None or place.confirm_until):
        more = describe_hold(format_utc(response.confirm_until), event, locale)
        lead = gettext("%(sentence)s %(more)s", sentence=lead, more=more)
    if response.confirm_until is not None:
        subject = gettext("Confirm your RSVP: %(title)s", title=event.title)
        links = [Link(CONFIRM_RESPONSE, url), *links]
    values: dict[str, Any] = {"tone": _tone(response, place), "file": _build_file(ctx, event, response, series), "locale": locale}
    if series and is_for_series:
        values |= {"rule": series.rule, "lines": list_departures(ctx, series, response)}
    return guest_mail(settings, delivery, event, subject, lead, links, "" if response.proven else NOT_YOU, **values)


def _build_file(ctx: Context, event: Event, response: Response, series: OwnSeries | None) -> bytes | None:
    """The calendar file. After a NO it has the event as cancelled; nothing if the guest has never had it in a calendar."""
    if response.response != "NO":
        return own_series.build_file(ctx, [shorten_description(event)], response.email_address)
    if response.version == 1 and (series is None or series.standing.response == "NO"):
        return None
    return own_series.build_file(ctx, [structs.replace(event, status="cancelled")], response.email_address)


def list_departures(ctx: Context, series: OwnSeries, response: Response) -> list[Text]:
    """A line for each of the first dates on which the guest's answer or place is another one."""
    dates = series.departures(ctx.now, response)
    lines = [
        gettext("%(headline)s: %(time)s", headline=each.state, time=event_time.long(each.event, ctx.locale.formats))
        for each in dates[:MAX_DATES]
    ]
    more = len(dates) - MAX_DATES
    return lines if more <= 0 else [*lines, ngettext("and 1 more", "and %(num)s more", more)]


def _tone(response: Response, place: SeatPlace | None) -> Tone:
    if response.response != "YES":
        return "no"
    return "yes" if place is None or place.place in (None, "held") else "wait"


def describe_hold(confirm_until: str, event: Event, locale: Locale) -> Text:
    """Until when an unconfirmed response has its places, or its place in the queue."""
    time = Times(locale).with_zone(confirm_until, event.time_zone)
    return gettext("Confirm by %(time)s, or your place is released.", time=time)


def _describe_response(response: Response) -> Text:
    if response.response == "YES":
        return ngettext("Your RSVP: Going, 1 person.", "Your RSVP: Going, %(num)s people.", response.number + response.plus_n)
    return gettext("Your RSVP: Maybe.") if response.response == "MAYBE" else gettext("Your RSVP: Can’t go.")


def _put_down(response: Response) -> Text:
    if response.response == "YES":
        return ngettext(
            "The organiser has put you down as “Going” for this event, for 1 person.",
            "The organiser has put you down as “Going” for this event, for %(num)s people.",
            response.number + response.plus_n,
        )
    if response.response == "MAYBE":
        return gettext("The organiser has put you down as “Maybe” for this event.")
    return gettext("The organiser has put you down as “Can’t go” for this event.")


def describe_offer(number: int, offer_until: str, event: Event, locale: Locale) -> Text:
    """How many places are reserved, and until when."""
    return ngettext(
        "You’re on the waiting list, and a spot is reserved for you until %(until)s. After that it goes to the next person.",
        "You’re on the waiting list, and %(num)s spots are reserved for you until %(until)s. After that they go to the next person.",
        number,
        until=Times(locale).with_zone(offer_until, event.time_zone),
    )


def _describe_place(place: SeatPlace, event: Event, locale: Locale) -> Text | None:
    if place.place == "held":
        return ngettext("You have 1 spot.", "You have %(num)s spots.", place.held)
    if place.place == "partly":
        return ngettext(
            "You have 1 spot and are waiting for the rest. We’ll email you when you get them.",
            "You have %(num)s spots and are waiting for the rest. We’ll email you when you get them.",
            place.held,
        )
    if place.offer_until:
        return describe_offer(place.offered, place.offer_until, event, locale)
    if place.place == "lapsed":
        return LAPSED
    if place.place == "unconfirmed":
        return gettext("Your RSVP doesn’t count yet. Confirm it.")
    if place.place == "waiting":
        return gettext("You’re on the waiting list. We’ll email you when there’s a spot for you.")
    return gettext("The organiser hasn’t approved your RSVP yet.") if place.place == "pending" else None


def removal_mail(ctx: Context, delivery: Delivery, event: Event) -> EmailMessage:
    """The news that an editor has removed the response. The calendar file takes the event off the guest's calendar."""
    lead = gettext("The organiser has removed your RSVP to this event. If you think that’s a mistake, RSVP again or ask the organiser.")
    links = [Link(gettext("View event"), policy.guest_url(ctx.settings, event))]
    subject = gettext("Your RSVP was removed: %(title)s", title=event.title)
    file = own_series.build_file(ctx, [structs.replace(policy.guest_view(event), status="cancelled")], delivery.address)
    return guest_mail(ctx.settings, delivery, event, subject, lead, links, file=file, locale=ctx.locale)


def proposal_mail(ctx: Context, delivery: Delivery, event: Event, proposal: Proposal) -> EmailMessage:
    """The link that confirms a response which someone made with this address. Once confirmed, it has a mail with a calendar file."""
    choice = proposal.params.value.response
    note = gettext("If it wasn’t you, ignore this email. Nothing changes, and the request is deleted.")
    links = [Link(CONFIRM[choice], proposals.url(ctx.settings, proposal))]
    subject, lead = gettext("Confirm your RSVP: %(title)s", title=event.title), PROPOSED[choice]
    scope = proposal.params.value.scope
    rule = own_series.describe_proposed(ctx, event, scope)
    if rule:
        lead = gettext("%(sentence)s %(more)s", sentence=lead, more=own_series.REACHES[scope])
    return guest_mail(ctx.settings, delivery, event, subject, lead, links, note, rule=rule or "", locale=ctx.locale)


def guest_mail(
    settings: Settings,
    delivery: Delivery,
    event: Event,
    subject: str,
    lead: str,
    links: list[Link],
    note: str = "",
    *,
    words: str = "",
    tone: Tone | None = None,
    lines: Sequence[str] = (),
    stop: Link | None = None,
    file: bytes | None = None,
    rule: str = "",
    locale: Locale = ENGLISH,
) -> EmailMessage:
    """A message about the event, with links for its guest.

    words: what the organiser writes. tone: the colour of the lead, which says what holds. lines: what changed, one by one. stop: the
    link to get no more of these. file: a calendar file. rule: how often the event repeats, if it is about the series.
    """
    event = shorten_description(policy.guest_view(event))
    message = envelope(settings, delivery.address, locale.translate(subject), str(delivery.id), delivery.created_at)
    values: dict[str, Any] = {**describe_event(event, locale), "event": event, "lead": lead, "links": links, "note": note, "rule": rule}
    if stop:
        message["List-Unsubscribe"] = f"<{stop.url}>"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    values |= {"words": words, "tone": tone, "cover": find_cover(settings, event), "site": settings}
    html = render_text("deliveries/response.html", locale, **values, lines=lines, stop=stop)
    add_bodies(message, guest_text(event, lead, links, note, words=words, lines=lines, stop=stop, rule=rule, locale=locale), html)
    if file is not None:
        attach_file(message, file)
    return message


def guest_text(
    event: Event,
    lead: str,
    links: list[Link],
    note: str = "",
    *,
    words: str = "",
    lines: Sequence[str] = (),
    stop: Link | None = None,
    rule: str = "",
    locale: Locale = ENGLISH,
) -> str:
    """The plain text of a message about the event."""
    translate = locale.translate
    values = describe_event(event, locale)
    top = "\n".join(filter(None, (translate(values["title"]), values["time"], translate(rule), event.location, event.online_url)))
    choices = "\n".join(f"{translate(link.text)}: {link.url}" for link in links)
    bottom = "\n".join(filter(None, (translate(note), f"{translate(stop.text)}: {stop.url}" if stop else "")))
    changes = "\n".join(f"- {translate(line)}" for line in lines)
    parts = (translate(lead), words, top, translate(values["status"]), changes, choices, f"-- \n{bottom}" if bottom else "")
    return "\n\n".join(filter(None, parts)) + "\n"
