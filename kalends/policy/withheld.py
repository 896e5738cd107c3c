"""Who may know the link to an online event and its exact place.

`members` are those of the calendars that show the event to their members. `going` are those whose response has a place, once it is proven
that the address is theirs: by their account, by their personal link, or because a mail goes to that address. The editors of the event know
everything. An invitation alone tells nothing, and neither does the link of an event."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from kalends.core.records.event import Audience, Event, EventRow, EventWithCounts
from kalends.core.records.response import Response
from kalends.core.values.text import fold_case
from kalends.http.context import Context
from kalends.policy.calendars import is_member
from kalends.policy.events import EVENT_EDITABLE
from kalends.policy.my_events import my_key

E = TypeVar("E", Event, EventWithCounts, EventRow)

Audiences = tuple[Audience, ...]
NOBODY: Audiences = ()
EVERYBODY: Audiences = ("going", "members")
# SQL: whether the response `r` has a place, as `Response.has_place` says.
_HAS_PLACE = """(r.response = 'YES' AND r.confirm_until IS NULL AND (r.held > 0 OR (
    r.queued_at IS NULL AND r.offer_until IS NULL AND (r.accepted_for IS NULL OR r.accepted_for >= r.number + r.plus_n))))"""
_GOING = f"EXISTS (SELECT 1 FROM responses r WHERE r.event_id = e.id AND {_HAS_PLACE} AND {{whose}})"
_IS_MINE = "(r.email_key = :my_key OR (r.user_id = :me AND r.proven))"
_IN_CALENDAR = f"""EXISTS (SELECT 1 FROM placements p JOIN calendars c ON c.id = p.calendar_id
    WHERE p.event_id = e.id AND p.grants AND NOT p.by_invitation AND {is_member("c.id")})"""
_STANDINGS = f"""
SELECT e.id, EXISTS (SELECT 1 FROM calendars c WHERE c.id = e.calendar_id AND {EVENT_EDITABLE}),
    {_GOING.format(whose=_IS_MINE)}, {_IN_CALENDAR}
FROM events e WHERE e.id {{ids}}
"""


def reveal(ctx: Context, event: E) -> E:
    """The event with what the reader may know of it."""
    return reveal_all(ctx, [event])[0]


def reveal_all(ctx: Context, events: Sequence[E]) -> list[E]:
    """The events with what the reader may know of each; nothing is read if none has anything withheld."""
    restricted = [event.id for event in events if event.withheld is not None]
    known = _find_audiences(ctx, restricted) if restricted else {}
    return [event.reveal(known.get(event.id, NOBODY)) for event in events] if known else list(events)


def reveal_to_address(ctx: Context, events: Iterable[Event], address: str) -> list[Event]:
    """The events with what a mail to this address may say: where and how those who come take part."""
    listed = list(events)
    restricted = [event.id for event in listed if event.withheld is not None]
    if not restricted:
        return listed
    sql = f"SELECT e.id FROM events e WHERE e.id {ctx.db.in_list('ids')} AND {_GOING.format(whose='r.email_key = :key')}"
    going = {event_id for (event_id,) in ctx.tx.rows(sql, ids=restricted, key=fold_case(address))}
    return [event.reveal(("going",) if event.id in going else NOBODY) for event in listed]


def reveal_to_guest(event: Event, response: Response) -> Event:
    """The event with what the personal link of the response, or a mail about it, may say."""
    return event.reveal(("going",) if response.has_place and response.event_id == event.id else NOBODY)


def _find_audiences(ctx: Context, ids: list[int]) -> dict[int, Audiences]:
    """To which audiences of these events the reader belongs."""
    if ctx.actor is None:
        guest = ctx.guest_response
        return {guest.event_id: ("going",)} if guest and guest.has_place and guest.event_id in ids else {}
    rows = ctx.tx.rows(_STANDINGS.format(ids=ctx.db.in_list("ids")), ids=ids, me=ctx.actor.id, my_key=my_key(ctx))
    return {event_id: _audiences(bool(edits), bool(goes), bool(belongs)) for event_id, edits, goes, belongs in rows}


def _audiences(edits: bool, goes: bool, belongs: bool) -> Audiences:
    if edits:
        return EVERYBODY
    flags: tuple[tuple[Audience, bool], ...] = (("going", goes), ("members", belongs))
    return tuple(audience for audience, is_one in flags if is_one)
