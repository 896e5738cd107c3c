"""The link of an event, `/e/<id>-<MAC>`: anyone who has it sees the event and responds, without an account.

The link of one date of a series opens all dates of the series that are seen by link."""

import hmac

from msgspec import Struct

from kalends import errors
from kalends.context import Context, LinkedEvent
from kalends.db import columns
from kalends.i18n import gettext
from kalends.policy.actor import me
from kalends.policy.events import SELECT_EVENTS, event_visible
from kalends.policy.response_link import MAX_DIGITS
from kalends.records.event import Event
from kalends.settings import Settings
from kalends.tokens import derive

INCOMPLETE = gettext("This link does not work: it is not complete, or the organiser has replaced it. Ask the organiser for the new one.")


class _Row(Struct, frozen=True):
    """What decides whether a link opens an event."""

    id: int
    series_id: int | None
    link_number: int
    by_link: bool
    public: bool


def open_link(ctx: Context, link: str | None) -> int:
    """Let the request see the event of the link, and return its id. A public event can be opened by its link, too; without a link,
    nothing changes, and the id is 0."""
    if link is None:
        return 0
    number = link.partition("-")[0]
    is_number = number.isascii() and number.isdigit() and len(number) <= MAX_DIGITS
    row = ctx.tx.one(_Row, f"SELECT {columns(_Row)} FROM events WHERE id = :id", id=int(number)) if is_number else None
    is_valid = row is not None and hmac.compare_digest(link.encode(), _token(ctx.settings, row.id, row.link_number).encode())
    if row is None or not is_valid or not (row.by_link or row.public):
        raise errors.NotFound(INCOMPLETE)
    ctx.linked = LinkedEvent(row.id, row.series_id, link)
    return row.id


def event_of_guest(ctx: Context, event_id: int) -> Event:
    """The event for someone who has responded to it or commented on it: also without its link, which they had then."""
    sql = f"{SELECT_EVENTS} WHERE e.id = :id AND (e.by_link OR {event_visible(ctx)})"
    event = ctx.tx.one(Event, sql, id=event_id, me=me(ctx))
    if event is None:
        raise errors.NotFound
    if event.link_number is not None and not event.can_edit:
        ctx.linked = LinkedEvent(event.id, event.series_id, _token(ctx.settings, event.id, event.link_number))
    return event


def link_url(settings: Settings, event: Event) -> str | None:
    """The URL of the event for those who have its link, if it is seen by its link."""
    return f"{settings.url}/e/{_token(settings, event.id, event.link_number)}" if event.link_number is not None else None


def guest_url(settings: Settings, event: Event) -> str:
    """The address at which a guest can open the event."""
    return (None if event.public else link_url(settings, event)) or f"{settings.url}/events/{event.id}"


def may_share(ctx: Context, event: Event) -> bool:
    """Whether the actor may give guests an address at which they can open the event: it is public, they have its link, or edit it."""
    return event.public or (event.by_link and (event.can_edit or ctx.linked is not None))


def _token(settings: Settings, event_id: int, number: int) -> str:
    return f"{event_id}-{derive(settings, 'event', f'{event_id}.{number}')[:32]}"
