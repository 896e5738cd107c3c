"""E-mail to organisers about new responses and comments."""

import textwrap
from email.message import EmailMessage

from msgspec import Struct

from kalends.core.i18n import Text, gettext, ngettext
from kalends.core.i18n.locale import Locale
from kalends.core.records.delivery import Delivery
from kalends.core.records.people import User
from kalends.core.records.response import Comment, Response
from kalends.features.comments import store as comments
from kalends.features.deliveries.messages.message import add_bodies, envelope
from kalends.features.deliveries.rules.recipient_links import notices_url
from kalends.features.events import store as events
from kalends.features.responses import news_store as news
from kalends.features.responses import store as responses
from kalends.features.responses.model import SeatPlace
from kalends.features.responses.present import find_places
from kalends.http.context import Context
from kalends.web.render import render_text

# The lines about one event, and the events in one message. The page of the event has all.
MAX_LINES = 30
MAX_EVENTS = 20
MAX_QUOTE = 200
# People who have asked to be forgotten.
ERASED = gettext("A guest whose details were erased at their request")
REASONS = {
    "at_once": gettext("You get this immediately because these are your events."),
    "daily": gettext("You get this once a day because these are your events."),
}


class EventNews(Struct):
    """What is new about one event."""

    title: str
    url: str
    lines: list[Text]

    @property
    def visible_lines(self) -> list[Text]:
        more = len(self.lines) - MAX_LINES
        return self.lines if more <= 0 else [*self.lines[:MAX_LINES], ngettext("and 1 more", "and %(num)s more", more)]


def build(ctx: Context, delivery: Delivery, owner: User) -> EmailMessage | None:
    """The message; None if there is nothing left to tell."""
    rows = news.of_delivery(ctx, delivery.id)
    changed = responses.find_by_ids(ctx, [row.response_id for row in rows if row.response_id])
    written = comments.find_by_ids(ctx, [row.comment_id for row in rows if row.comment_id])
    parts = _by_event(ctx, changed, written)
    if not parts:
        return None
    settings, stop = ctx.settings, notices_url(ctx.settings, owner.id)
    subject = ctx.locale.translate(_subject(parts, len(changed), len(written)))
    message = envelope(settings, delivery.address, subject, str(delivery.id), delivery.created_at)
    message["List-Unsubscribe"] = f"<{stop}>"
    message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    if len(parts) > MAX_EVENTS:
        more = ngettext("And 1 more event", "And %(num)s more events", len(parts) - MAX_EVENTS)
        parts = [*parts[:MAX_EVENTS], EventNews(more, f"{settings.url}/responses", [])]
    reason = REASONS[owner.response_notices]
    change = f"{settings.url}/account#profile"
    html = render_text("deliveries/news.html", ctx.locale, parts=parts, reason=reason, change=change, stop=stop, site=settings)
    add_bodies(message, _plain_text(ctx.locale, parts, reason, change, stop), html)
    return message


def _by_event(ctx: Context, changed: list[Response], written: list[Comment]) -> list[EventNews]:
    parts: dict[int, EventNews] = {}
    places = find_places(ctx, changed)
    lines = [(response.event_id, _response_line(response, places.get(response.id))) for response in changed]
    for event_id, line in [*lines, *((comment.event_id, _comment_line(comment)) for comment in written)]:
        if event_id not in parts:
            parts[event_id] = EventNews(events.get(ctx, event_id).title, f"{ctx.settings.url}/events/{event_id}/responses", [])
        parts[event_id].lines.append(line)
    return list(parts.values())


def _response_line(response: Response, place: SeatPlace | None) -> Text:
    sentence = _describe_response(response, place, response.name or response.email_address or ERASED)
    return gettext("%(sentence)s: “%(quote)s”", sentence=sentence, quote=_quote(response.comment)) if response.comment else sentence


def _describe_response(response: Response, place: SeatPlace | None, name: str) -> Text:
    people = response.number + response.plus_n
    if place and place.place in ("waiting", "partly", "offered"):
        return ngettext("%(name)s is on the waiting list", "%(name)s is on the waiting list, %(num)s people", people, name=name)
    if place and place.place != "held":
        return gettext("%(name)s wants to go", name=name)
    if response.response == "YES" and people > 1:
        return ngettext("%(name)s is going, 1 person", "%(name)s is going, %(num)s people", people, name=name)
    if response.response == "YES":
        return gettext("%(name)s is going", name=name)
    return gettext("%(name)s might go", name=name) if response.response == "MAYBE" else gettext("%(name)s can’t go", name=name)


def _comment_line(comment: Comment) -> Text:
    values = {"name": comment.name or comment.email_address, "quote": _quote(comment.comment)}
    if comment.approved:
        return gettext("%(name)s wrote: “%(quote)s”", **values)
    return gettext("%(name)s wrote: “%(quote)s” (awaiting your approval)", **values)


def _subject(parts: list[EventNews], response_count: int, comment_count: int) -> Text:
    news = ngettext("1 new RSVP", "%(num)s new RSVPs", response_count)
    if comment_count:
        comments = ngettext("1 new comment", "%(num)s new comments", comment_count)
        news = gettext("%(responses)s and %(comments)s", responses=news, comments=comments) if response_count else comments
    return gettext("%(news)s: %(title)s", news=news, title=parts[0].title) if len(parts) == 1 else news


def _quote(text: str) -> str:
    return textwrap.shorten(text, MAX_QUOTE, placeholder=" …")


def _plain_text(locale: Locale, parts: list[EventNews], reason: Text, change: str, stop: str) -> str:
    translate = locale.translate
    blocks = ["\n".join([translate(part.title), *(f"- {translate(line)}" for line in part.visible_lines), part.url]) for part in parts]
    links = gettext("Change this: %(url)s", url=change), gettext("Stop these messages: %(url)s", url=stop)
    return "\n\n".join([*blocks, "\n".join(("-- ", *map(translate, (reason, *links))))]) + "\n"
