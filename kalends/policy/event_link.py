"""The link of an event, `/e/<id>-<MAC>`: anyone who has it sees the event and responds, without an account.

The link of one date of a series opens all dates of the series that are seen by link."""

import hmac

from msgspec import Struct

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.event import Event
from kalends.core.settings import Settings
from kalends.core.tokens import derive
from kalends.db import columns
from kalends.http.context import Context, LinkedEvent
from kalends.policy.actor import and_event_opened, me
from kalends.policy.events import event_visible, select_events
from kalends.policy.my_events import INVITED_EVENT_VISIBLE, MY_INVITATION, my_key
from kalends.policy.response_link import MAX_DIGITS

INCOMPLETE = gettext("This link doesn’t work: it is incomplete, or the organiser has replaced it. Ask the organiser for the new link.")


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
    is_valid = row is not None and hmac.compare_digest(link.encode(), event_token(ctx.settings, row.id, row.link_number).encode())
    if row is None or not is_valid or not (row.by_link or row.public):
        raise errors.NotFound(INCOMPLETE)
    ctx.linked = LinkedEvent(row.id, row.series_id, link)
    return row.id


def event_of_guest(ctx: Context, event_id: int) -> Event:
    """The event for someone who has responded to it or commented on it: also without its link, which they had then, or as they were
    invited to it."""
    invited = f"EXISTS (SELECT 1 FROM invitations i WHERE (i.event_id = e.id OR i.series_id = e.series_id) AND {MY_INVITATION})"
    sql = f"{select_events(ctx)} WHERE e.id = :id AND (e.by_link OR {event_visible(ctx)} OR {invited} AND {INVITED_EVENT_VISIBLE})"
    sql += and_event_opened(ctx, "e.id")
    event = ctx.tx.one(Event, sql, id=event_id, me=me(ctx), my_key=my_key(ctx))
    if event is None:
        raise errors.NotFound
    if event.link_number is not None and not event.can_edit:
        ctx.linked = LinkedEvent(event.id, event.series_id, event_token(ctx.settings, event.id, event.link_number))
    return event


def link_url(settings: Settings, event: Event) -> str | None:
    """The URL of the event for those who have its link, if it is seen by its link."""
    return f"{settings.url}/e/{event_token(settings, event.id, event.link_number)}" if event.link_number is not None else None


def guest_url(settings: Settings, event: Event) -> str:
    """The address at which a guest can open the event."""
    return (None if event.public else link_url(settings, event)) or f"{settings.url}/events/{event.id}"


def may_share(ctx: Context, event: Event) -> bool:
    """Whether the actor may give guests an address at which they can open the event: it is public, they have its link, or edit it."""
    return event.public or (event.by_link and (event.can_edit or ctx.linked is not None))


def event_token(settings: Settings, event_id: int, number: int) -> str:
    return f"{event_id}-{derive(settings, 'event', f'{event_id}.{number}')[:32]}"
