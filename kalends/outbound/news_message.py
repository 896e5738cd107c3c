"""E-mail to organisers about new responses and comments."""

import textwrap
from email.message import EmailMessage

from msgspec import Struct

from kalends.comments import store as comments
from kalends.context import Context
from kalends.deliveries.recipient_links import notices_url
from kalends.events import store as events
from kalends.outbound.message import add_bodies, envelope
from kalends.records.comment import Comment
from kalends.records.delivery import Delivery
from kalends.records.response import Response
from kalends.records.user import User
from kalends.responses import news
from kalends.responses import store as responses
from kalends.web.labels import plural
from kalends.web.render import render_text

# The lines about one event, and the events in one message. The page of the event has all.
MAX_LINES = 30
MAX_EVENTS = 20
MAX_QUOTE = 200
# Whoever has asked to be forgotten.
ERASED = "A guest whose data were erased at their request"
SAID = {"YES": "said yes", "MAYBE": "said maybe", "NO": "said no"}
OFTEN = {"at_once": "as it happens", "daily": "once a day"}


class EventNews(Struct):
    """What is new about one event."""

    title: str
    url: str
    lines: list[str]

    @property
    def shown(self) -> list[str]:
        more = len(self.lines) - MAX_LINES
        return self.lines if more <= 0 else [*self.lines[:MAX_LINES], f"and {more} more"]


def build(ctx: Context, delivery: Delivery, owner: User) -> EmailMessage | None:
    """The message; None if there is nothing left to tell."""
    rows = news.of_delivery(ctx, delivery.id)
    changed = responses.find_by_ids(ctx, [row.response_id for row in rows if row.response_id])
    written = comments.find_by_ids(ctx, [row.comment_id for row in rows if row.comment_id])
    parts = _by_event(ctx, changed, written)
    if not parts:
        return None
    settings, stop = ctx.settings, notices_url(ctx.settings, owner.id)
    message = envelope(settings, delivery.address, _subject(parts, len(changed), len(written)), str(delivery.id), delivery.created_at)
    message["List-Unsubscribe"] = f"<{stop}>"
    message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    if len(parts) > MAX_EVENTS:
        parts = [*parts[:MAX_EVENTS], EventNews(f"And {len(parts) - MAX_EVENTS} more events", f"{settings.url}/responses", [])]
    reason = f"You get this {OFTEN[owner.response_notices]} because these are your events."
    change = f"{settings.url}/account#profile"
    html = render_text("deliveries/news.html", parts=parts, reason=reason, change=change, stop=stop)
    add_bodies(message, _plain_text(parts, reason, change, stop), html)
    return message


def _by_event(ctx: Context, changed: list[Response], written: list[Comment]) -> list[EventNews]:
    parts: dict[int, EventNews] = {}
    lines = [(response.event_id, _response_line(response)) for response in changed]
    for event_id, line in [*lines, *((comment.event_id, _comment_line(comment)) for comment in written)]:
        if event_id not in parts:
            parts[event_id] = EventNews(events.get(ctx, event_id).title, f"{ctx.settings.url}/events/{event_id}/responses", [])
        parts[event_id].lines.append(line)
    return list(parts.values())


def _response_line(response: Response) -> str:
    people = response.number + response.plus_n
    party = f", {plural(people, 'person', 'people')}" if response.response == "YES" and people > 1 else ""
    quote = f": “{_quote(response.comment)}”" if response.comment else ""
    return f"{response.name or response.email_address or ERASED} {SAID[response.response]}{party}{quote}"


def _comment_line(comment: Comment) -> str:
    waits = "" if comment.approved else " (it waits for your approval)"
    return f"{comment.name or comment.email_address} wrote: “{_quote(comment.comment)}”{waits}"


def _subject(parts: list[EventNews], response_count: int, comment_count: int) -> str:
    counts = [(response_count, "new response"), (comment_count, "new comment")]
    what = " and ".join(plural(number, name) for number, name in counts if number)
    return f"{what} to {parts[0].title}" if len(parts) == 1 else what


def _quote(text: str) -> str:
    return textwrap.shorten(text, MAX_QUOTE, placeholder=" …")


def _plain_text(parts: list[EventNews], reason: str, change: str, stop: str) -> str:
    blocks = ["\n".join([part.title, *(f"- {line}" for line in part.shown), part.url]) for part in parts]
    return "\n\n".join([*blocks, f"-- \n{reason}\nChange that: {change}\nStop these messages: {stop}"]) + "\n"
