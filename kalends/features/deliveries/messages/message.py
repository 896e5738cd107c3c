"""The content of deliveries: events as e-mail and SMS."""

import re
from collections.abc import Iterator
from email.header import Header
from email.headerregistry import Address, BaseHeader, HeaderRegistry
from email.message import EmailMessage
from email.policy import EmailPolicy, Policy
from email.utils import format_datetime
from hashlib import sha256
from typing import Any, ClassVar

from msgspec import structs

from kalends.core.i18n import Text, gettext
from kalends.core.i18n.locale import ENGLISH, Locale
from kalends.core.records.delivery import Delivery
from kalends.core.records.event import Event
from kalends.core.records.people import User
from kalends.core.settings import Settings
from kalends.core.tokens import derive
from kalends.core.transports import domain, read_address, sender
from kalends.core.values import datetimes
from kalends.core.values.picture import parse_path
from kalends.core.values.text import replace_control_characters
from kalends.features.deliveries.rules import event_time
from kalends.features.deliveries.rules.outcome import Undeliverable
from kalends.features.deliveries.rules.recipient_links import confirm_url, short_confirm_url, short_unsubscribe_url, unsubscribe_url
from kalends.features.deliveries.rules.segments import plain, segments
from kalends.features.events.feeds.steps.ical import build_file
from kalends.features.events.rules.visibility import describe_status, title_with_status
from kalends.policy import guest_url
from kalends.web.render import render_text

# Such a name stands before an address as it is; any other in encoded words.
_SIMPLE_NAME = re.compile("[A-Za-z0-9 ]{0,60}")
MAX_SEGMENTS = 2
# Programs cut off long mails; the page of the event has the whole text.
MAX_DESCRIPTION = 4_000
# A title is not shortened below this length to keep the exact time.
MIN_TITLE = 20
REQUESTED = gettext("You get this because someone asked to have it sent to this address.")
RESPONDED = gettext("You get this because someone sent an RSVP to this event with this address.")
NEW_DATE = gettext("This event has a new date. Are you still going? Please RSVP again. Until you do, your earlier RSVP counts.")


def mail(settings: Settings, delivery: Delivery, event: Event, locale: Locale = ENGLISH) -> EmailMessage:
    """The event as e-mail: plain text, HTML and an iCalendar attachment."""
    event = shorten_description(event)
    values = describe_event(event, locale)
    if delivery.is_about_new_date and event.status == "planned":
        values |= {"title": gettext("New date: %(title)s", title=event.title), "status": NEW_DATE}
    message = envelope(settings, delivery.address, locale.translate(values["title"]), str(delivery.id), delivery.created_at)
    unsubscribe = None if delivery.subscriber_id is None else unsubscribe_url(settings, delivery.subscriber_id)
    if unsubscribe:
        message["List-Unsubscribe"] = f"<{unsubscribe}>"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    reason = _list_reason(event) if unsubscribe else RESPONDED if delivery.is_about_new_date else REQUESTED
    url = _url(settings, event, for_guests=delivery.public)
    content: dict[str, Any] = {**values, "event": event, "url": url, "reason": reason, "unsubscribe": unsubscribe}
    html = render_text("deliveries/event.html", locale, **content, cover=find_cover(settings, event), site=settings)
    add_bodies(message, _plain_text(locale, **content), html)
    attach_events(message, settings, [event], for_guests=delivery.public)
    return message


def attach_events(message: EmailMessage, settings: Settings, events: list[Event], *, for_guests: bool = True) -> None:
    """Add the events as a calendar file."""
    attach_file(message, build_file(events, settings, for_guests=for_guests))


def attach_file(message: EmailMessage, file: bytes) -> None:
    """Add the calendar file."""
    message.add_attachment(
        file, maintype="text", subtype="calendar", params={"charset": "utf-8", "method": "PUBLISH"}, filename="event.ics"
    )


def preview(settings: Settings, event: Event, locale: Locale = ENGLISH) -> str:
    """The plain text of an announcement, for its sender to review."""
    link = locale.translate(gettext("each recipient’s own link"))
    url = _url(settings, event, for_guests=True)
    return _plain_text(locale, **describe_event(event, locale), event=event, url=url, reason=_list_reason(event), unsubscribe=link)


def find_cover(settings: Settings, event: Event) -> str:
    """The URL of the picture above the mail; empty without one. That of a public event is a PNG, which every mail program shows."""
    if event.status != "planned":
        return ""
    if event.public:
        return f"{settings.url}/events/{event.id}/share_picture.png?v={sha256(event.etag.encode()).hexdigest()[:16]}"
    picture = parse_path(event.image_url)
    return f"{settings.url}{picture.files[min(1, len(picture.files) - 1)].path}" if picture else ""


def _list_reason(event: Event) -> Text:
    return gettext("You get this because you subscribed to events by %(owner)s.", owner=event.owner_name)


def confirmation(settings: Settings, delivery: Delivery, owner: User, locale: Locale = ENGLISH) -> EmailMessage:
    """The e-mail with the link to confirm an opt-in to the owner's list."""
    subject = locale.translate(gettext("Confirm your subscription"))
    message = envelope(settings, delivery.address, subject, str(delivery.id), delivery.created_at)
    names = {"service": settings.url, "owner": _line(owner.name or owner.user_name)}
    url = confirm_url(settings, delivery.id)
    parts = (
        gettext("Someone subscribed this address to events by %(owner)s on %(service)s.", **names),
        gettext("If it was you, confirm within 30 days:"),
        url,
        gettext("If it wasn’t you, ignore this email. You won’t hear from us again."),
    )
    text = "\n\n".join(map(locale.translate, parts))
    add_bodies(message, f"{text}\n", render_text("deliveries/confirm.html", locale, **names, url=url, site=settings))
    return message


def confirmation_text(settings: Settings, delivery: Delivery, owner: User, locale: Locale = ENGLISH) -> str:
    """The link to confirm an opt-in as SMS of two segments; the owner's name is shortened to fit."""
    link = short_confirm_url(settings, delivery.id)
    candidates = (
        plain(locale.translate(gettext("Confirm that you want news of events by %(owner)s: %(url)s", owner=name, url=link)))
        for name in _shorten(plain(_line(owner.name or owner.user_name)))
    )
    return next((text for text in candidates if segments(text) <= MAX_SEGMENTS), link)


def envelope(settings: Settings, address: str, subject: str, number: str, sent_at: int) -> EmailMessage:
    """A message without content. Its Message-ID is the same for the same number, and cannot be guessed."""
    message = EmailMessage(policy=_POLICY)
    local_part, _, host = wire_address(address).rpartition("@")
    message["Subject"] = _line(subject)
    message["From"] = sender(settings.email_from, settings.url)
    message["To"] = Address("", local_part, host)
    message["Date"] = format_datetime(datetimes.to_local(sent_at, "UTC"))
    message["Message-ID"] = f"<{number}.{derive(settings, 'message', number)[:22]}@{domain(settings.url)}>"
    message["Auto-Submitted"] = "auto-generated"
    return message


def set_reply_to(message: EmailMessage, address: str, name: str = "") -> None:
    """Set Reply-To to the address, if every mail server takes it."""
    local_part, _, host = wire_address(address).rpartition("@")
    if local_part.isascii():
        message["Reply-To"] = Address(_line(name), local_part, host)


def add_bodies(message: EmailMessage, text: str, html: str) -> None:
    """Add the plain text and the HTML, in lines that no server on the way changes: a DKIM signature would not hold any more."""
    message.set_content(text, cte=_shorter_encoding(text))
    message.add_alternative(html, subtype="html", cte=_shorter_encoding(html))


def _shorter_encoding(text: str) -> str:
    """Quoted-printable takes three octets for one that is not ASCII, and base64 four for three of all."""
    octets = len(text.encode())
    ascii_octets = sum(map(str.isascii, text))
    return "base64" if ascii_octets + 3 * (octets - ascii_octets) > octets * 4 / 3 else "quoted-printable"


def shorten_description(event: Event) -> Event:
    """The event with as much of its description as a mail should have."""
    if event.description is None or len(event.description) <= MAX_DESCRIPTION:
        return event
    return structs.replace(event, description=f"{event.description[:MAX_DESCRIPTION].rstrip()} …")


def text(settings: Settings, delivery: Delivery, event: Event, locale: Locale = ENGLISH) -> str:
    """The event as SMS of two segments with complete links; the place is shortened first, then the title, then the time."""
    links = _url(settings, event, for_guests=delivery.public)
    if delivery.subscriber_id is not None:
        stop = gettext("Stop: %(url)s", url=short_unsubscribe_url(settings, delivery.subscriber_id))
        links += f" {locale.translate(stop)}"
    fits = (candidate for candidate in _wordings(event, locale) if segments(f"{candidate} {links}") <= MAX_SEGMENTS)
    return f"{candidate} {links}" if (candidate := next(fits, "")) else links


def reminder_text(event: Event, words: str, link: str, locale: Locale = ENGLISH) -> str:
    """The reminder as SMS of two segments with a complete link; words: what the organiser says, if it fits."""
    beginnings = (f"{plain(words)} ", "") if words else ("",)
    candidates = (
        f"{beginning}{plain(locale.translate(gettext('Reminder: %(title)s', title=wording)))} {link}"
        for beginning in beginnings
        for wording in _wordings(event, locale)
    )
    return next((candidate for candidate in candidates if segments(candidate) <= MAX_SEGMENTS), link)


def _wordings(event: Event, locale: Locale) -> Iterator[str]:
    """Descriptions of the event, from the longest to the shortest."""
    title, place = plain(_line(locale.translate(title_with_status(event)))), plain(_line(event.location or ""))
    long, brief = (plain(_describe_time(event, each(event, locale.formats), locale)) for each in (event_time.short, event_time.brief))
    if place:
        yield from (f"{title}, {long}, {cut}" for cut in _shorten(place))
    yield from (f"{cut}, {long}" for cut in _shorten(title, MIN_TITLE))
    yield from (f"{cut}, {brief}" for cut in _shorten(title))
    yield from _shorten(title)


def _shorten(whole: str, min_length: int = 1) -> Iterator[str]:
    """The text, followed by shorter and shorter prefixes of it."""
    yield whole
    for length in range(len(whole) - 1, min_length - 1, -1):
        yield whole[:length].rstrip() + "..."


def describe_event(event: Event, locale: Locale) -> dict[str, str]:
    """The title, the status and the time in words; of a postponed event, the old time."""
    time = _describe_time(event, event_time.long(event, locale.formats), locale)
    return {"title": title_with_status(event), "status": describe_status(event), "time": time}


def _describe_time(event: Event, time: str, locale: Locale) -> str:
    """The time; of a postponed event, that it was then."""
    return locale.translate(gettext("was %(time)s", time=time)) if event.status == "postponed" else time


def _plain_text(locale: Locale, *, event: Event, title: str, status: str, time: str, url: str, reason: str, unsubscribe: str | None) -> str:
    translate = locale.translate
    top = "\n".join(filter(None, (translate(title), time, event.location, event.online_url)))
    bottom = translate(reason)
    if unsubscribe:
        bottom += "\n" + translate(gettext("Unsubscribe: %(url)s", url=unsubscribe))
    return "\n\n".join(filter(None, (top, translate(status), event.description, url, f"-- \n{bottom}"))) + "\n"


def _url(settings: Settings, event: Event, *, for_guests: bool) -> str:
    return guest_url(settings, event) if for_guests else f"{settings.url}/events/{event.id}"


def _line(value: str) -> str:
    """The text on one line, so that no value can inject a header."""
    return replace_control_characters(value).strip()


class _Verbatim(BaseHeader):
    """A header that is written as it is: the library would fold or encode a long address."""

    max_count: ClassVar = 1

    @classmethod
    def parse(cls, value: str, kwds: dict[str, Any]) -> None:
        kwds["parse_tree"] = None
        kwds["decoded"] = _line(value)

    def fold(self, *, policy: "Policy[Any]") -> str:
        return f"{self.name}: {self}{policy.linesep}"


class _Literal(_Verbatim):
    """A text that means what it says: the library would decode what looks encoded in it."""

    def fold(self, *, policy: "Policy[Any]") -> str:
        value = str(self)
        is_simple = value.isascii() and "=?" not in value and len(value) < 60
        encoded = value if is_simple else Header(value, "utf-8", header_name="Subject").encode(linesep=policy.linesep)
        return f"Subject: {encoded}{policy.linesep}"


class _Mailbox(_Verbatim):
    """An address with a name. The library loses the quotation marks of a long name when it folds it, and decodes what looks encoded in
    it: the name could become another address."""

    _address: Address

    @classmethod
    def parse(cls, value: Any, kwds: dict[str, Any]) -> None:
        super().parse(str(value), kwds)
        kwds["address"] = value

    def init(self, *args: Any, **kwds: Any) -> None:
        self._address = kwds.pop("address")
        super().init(*args, **kwds)

    def fold(self, *, policy: "Policy[Any]") -> str:
        name = _line(self._address.display_name)
        if not _SIMPLE_NAME.fullmatch(name):
            name = Header(name, "utf-8", header_name=self.name).encode(linesep=policy.linesep)
        mailbox = f"{name} <{self._address.addr_spec}>" if name else self._address.addr_spec
        return f"{self.name}: {mailbox}{policy.linesep}"


def _headers() -> HeaderRegistry:
    registry = HeaderRegistry()
    registry.map_to_type("subject", _Literal)
    for name in ("from", "reply-to"):
        registry.map_to_type(name, _Mailbox)
    for name in ("message-id", "list-unsubscribe", "list-unsubscribe-post", "auto-submitted"):
        registry.map_to_type(name, _Verbatim)
    return registry


_POLICY = EmailPolicy(header_factory=_headers())


def wire_address(address: str) -> str:
    """The address with its domain in ASCII (IDNA)."""
    try:
        checked = read_address(address)
    except ValueError:
        raise Undeliverable("This is not an e-mail address.") from None
    return f"{checked.local_part}@{checked.ascii_domain}"
