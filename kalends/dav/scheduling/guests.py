"""The guests of an event that an organiser writes by CalDAV (RFC 6638): those in the file are invited, and those who left it are not.

A guest who has an account here gets the event itself on the primary calendar, not a copy, and the invitation in the inbox; from people
whom they do not know, the invitation alone."""

import zlib
from collections.abc import Container, Iterable, Sequence
from typing import Literal

from msgspec import Struct

from kalends import policy
from kalends.core.records.calendar import Calendar
from kalends.core.records.event import Event
from kalends.core.records.response import Invitation
from kalends.core.values.text import fold_case
from kalends.dav.calendars import calendar_object, privacy, store, text
from kalends.dav.calendars.calendar_object import CalendarObject
from kalends.dav.calendars.file_store import save_file, save_proposal
from kalends.dav.calendars.resources import Resource
from kalends.dav.scheduling import message_store
from kalends.dav.xml import CALDAV, DavError
from kalends.features.calendars import client_file_store as write_store
from kalends.features.events import uid_store as by_uid
from kalends.features.events.feeds.steps import ical
from kalends.features.events.invitations import store as invitations
from kalends.features.events.invitations.model import MAX_AT_ONCE, InvitationInput
from kalends.features.events.invitations.steps import calendar_part, details, invite
from kalends.features.events.invitations.steps.details import Details
from kalends.features.events.invitations.store import Target
from kalends.features.events.placements import store as placements
from kalends.http.context import Context
from kalends.http.input.fields import fields_of
from kalends.http.input.readers import FieldInvalid
from kalends.ical import merge, participants

[_ADDRESSES] = [each for each in fields_of(InvitationInput) if each.name == "addresses"]


# What became of an invitation (SCHEDULE-STATUS; RFC 6638, section 3.2.9). All guests get a mail, also those who have an account here:
# who has one is nobody else's business.
SENT, NO_ADDRESS, NOT_SENT = "1.1", "3.7", "5.1"


class _Group(Struct, frozen=True):
    """Guests by the keys of their addresses, and what they are invited to: an event, or all dates of its series."""

    event: Event
    scope: Literal["this", "all"]
    guests: dict[str, str]

    @property
    def target(self) -> Target:
        return invitations.target_of(self.event, self.scope)


def update(ctx: Context, calendar: Calendar, before: bytes, file: CalendarObject, saved: Resource) -> dict[str, str] | None:
    """Invite those whom the actor has added to the events of the file, and take back the invitations of those whom they have removed.

    before: the file as it was. Returns what became of the invitations by the keys of the addresses; None if the actor invites nobody
    with this file."""
    if calendar.scheduling == "off" or (b"ATTENDEE" not in file.content and b"ATTENDEE" not in before):
        return None
    events = text.load_events(ctx, calendar, [saved])[saved.name]
    organizers = policy.organizers(ctx, calendar, (each.owner_id for each in events))
    by_date = _find_guests(file.events, organizers)
    if by_date is None or not any(_is_open(ctx, each) for each in events):
        return None
    events_before = merge.read_events(before)
    current, former = (_group(ctx, events, guests) for guests in (by_date, _find_guests(events_before, organizers) or {}))
    if sum(len(group.guests) for group in current) > MAX_AT_ONCE:
        raise DavError(403, f"An event has at most {MAX_AT_ONCE} guests.", f"{{{CALDAV}}}max-attendees-per-instance")
    _withdraw(ctx, former, current)
    change = tuple(details.of_events(each, ctx.settings.url) for each in (events_before, file.events))
    invited = {key for group in current for key in _invite(ctx, group, events, saved, file.uid, change)}
    keys = {key: address for guests in by_date.values() for key, address in guests.items()}
    return {key: SENT if key in invited else NOT_SENT if _is_address(address) else NO_ADDRESS for key, address in keys.items()}


def _is_open(ctx: Context, event: Event) -> bool:
    return not event.is_over(ctx.now) and event.status != "cancelled"


def _group(ctx: Context, events: list[Event], by_date: dict[str, dict[str, str]]) -> list[_Group]:
    """What the guests of each date in a file are invited to, if it is to come: those of the series to all of it, and those of one date
    alone to this date."""
    groups: list[_Group] = []
    whole = by_date.get("", {})
    coming = [each for each in events if _is_open(ctx, each)]
    on_date = {details.date_of(each): each for each in reversed(coming)}
    for date, guests in by_date.items():
        event = on_date.get(date) if date else next(iter(coming), None)
        own = {key: address for key, address in guests.items() if not date or key not in whole}
        if event and own:
            groups.append(_Group(event, "all" if not date and event.series_id is not None else "this", own))
    return groups


def _withdraw(ctx: Context, former: list[_Group], current: list[_Group]) -> None:
    """Take back the invitations of those who have left. Those who are invited to the whole series now have lost nothing."""
    invited = {(group.target, key) for group in current for key in group.guests}
    in_series = {key for group in current if group.scope == "all" for key in group.guests}
    for group in former:
        for key in group.guests:
            invitation = invitations.find(ctx, group.target, key) if (group.target, key) not in invited else None
            if invitation and invitation.state != "withdrawn":
                invite.withdraw(ctx, group.event.id, invitation.id, is_silent=key in in_series)


def _invite(ctx: Context, group: _Group, events: list[Event], saved: Resource, uid: str, change: tuple[Details, ...]) -> Iterable[str]:
    """Invite the guests of the group, and put the events on the calendars of those who have one; returns the keys of their addresses."""
    guests = {key: address for key, address in group.guests.items() if _is_address(address)}
    known = _find_invited(ctx, group.target, guests)
    if guests:
        invite.invite(ctx, group.event.id, InvitationInput(addresses=list(guests.values()), scope=group.scope), also_unmailed=True)
    invited = _find_invited(ctx, group.target, guests)
    is_whole = group.scope == "all" or (group.event.series_id is None and len(events) == 1)
    part = _Part(events, saved.series_ids, uid) if is_whole else _Part([group.event], (), ical.event_uid(group.event, ctx.settings))
    for key, invitation in invited.items():
        _place(ctx, invitation, group.event, part, is_new=key not in known)
        if key in known:
            _update_details(ctx, invitation, part, change)
    return invited


def _find_invited(ctx: Context, target: Target, guests: dict[str, str]) -> dict[str, Invitation]:
    """The given guests who are invited, by the keys of their addresses."""
    by_key = invitations.find_by_addresses(ctx, target, guests) if guests else {}
    return {key: invitation for key, invitation in by_key.items() if invitation.state != "withdrawn"}


def find_owner(ctx: Context, calendar: Calendar, file: CalendarObject) -> int:
    """Whose the new events of the file are on the calendar: the owner's, if an editor writes them in the owner's name, else the actor's."""
    actor = policy.user(ctx)
    if calendar.owner_id == actor.id or b"ORGANIZER" not in file.content:
        return actor.id
    return policy.organizers(ctx, calendar).get(fold_case(participants.find(file.events).organizer), actor.id)


def _find_guests(events: privacy.DatedEvents, organizers: Container[str]) -> dict[str, dict[str, str]] | None:
    """The guests in the file by the date of the series, empty for the whole, and by the keys of their addresses; None if it is not of
    one of these organisers."""
    if not any(event.find("ATTENDEE") for _, event in events):
        return {}
    parsed = participants.find(events)
    organizer = fold_case(parsed.organizer)
    if organizer not in organizers:
        return None
    return {date: {key: each for key, each in guests.items() if key != organizer} for date, guests in parsed.attendees.items()}


def _is_address(address: str) -> bool:
    try:
        _ADDRESSES.read([address])
    except FieldInvalid:
        return False
    return True


class _Part(Struct, frozen=True):
    """What a guest gets on the calendar: events or a series, and the UID of their file."""

    events: list[Event]
    series_ids: Sequence[int]
    uid: str


def _place(ctx: Context, invitation: Invitation, event: Event, part: _Part, *, is_new: bool) -> None:
    """Put the events on the calendar of the guest: all of them of a new one, and those that are new of the others, unless the guest has
    taken them off. What comes from someone whom the guest does not know is proposed: it is in the inbox until they accept."""
    calendar = policy.guest_calendar(ctx, invitation.address)
    if calendar is None:
        return
    ids = [each.id for each in part.events]
    placed = placements.find_placed(ctx, calendar.id, ids)
    if not is_new:
        for event_id in set(ids) - placed if placed else ():
            placements.insert(ctx, event_id, calendar.id, grants=True, granted_by=policy.user(ctx).id, invited_key=invitation.email_key)
        return
    by_uid.lock(ctx, calendar.id)
    if not placed and not _has_uid(ctx, calendar, part.uid):
        file = calendar_object.read(part.uid, "VEVENT", calendar_part.build(ctx, invitation, event, ""))
        name, event_ids = f"invitation-{invitation.id}.ics", [] if part.series_ids else ids
        if policy.knows_organizer(ctx, calendar, event.owner_id):
            for event_id in ids:
                placements.insert(ctx, event_id, calendar.id, grants=True, granted_by=policy.user(ctx).id, invited_key=invitation.email_key)
            save_file(ctx, calendar, name, file, event_ids, part.series_ids, has_quota=False)
        else:
            save_proposal(ctx, calendar, name, file, part.events, part.series_ids)
            invitations.insert_proposal(ctx, invitation, calendar.id, policy.user(ctx).id)
    message_store.insert(ctx, calendar.owner_id, invitation.id)


def _has_uid(ctx: Context, calendar: Calendar, uid: str) -> bool:
    """Whether the guest has something with this UID on the calendar, or has been proposed it."""
    if by_uid.find(ctx, calendar.id, uid) is not None or invitations.find_proposed(ctx, calendar.id, uid):
        return True
    rows = store.find_rows_by_uid(ctx, calendar, uid)
    return any(write_store.has_placed_events(ctx, row.id) if row.has_events else not row.gone for row in rows)


def _update_details(ctx: Context, invitation: Invitation, part: _Part, change: tuple[Details, ...]) -> None:
    """Put what the organiser has changed beside the event itself, such as the link to a call, into the file of the guest."""
    before, after = change
    own = details.date_of(part.events[0]) if not part.series_ids else ""
    if own:
        before, after = ({"": details.on(each, own)} for each in change)
    calendar = policy.guest_calendar(ctx, invitation.address) if before != after else None
    rows = store.find_rows_by_uid(ctx, calendar, part.uid) if calendar else []
    for row_id, files in store.find_files(ctx, [row.id for row in rows if _is_file_of(ctx, row.id, part)]).items():
        original = zlib.decompress(files.original)
        content = details.update_file(original, before, after)
        if content != original:
            write_store.replace_original(ctx, row_id, zlib.compress(content, 1))


def _is_file_of(ctx: Context, row_id: int, part: _Part) -> bool:
    """Whether the file is the guest's copy, and not an own event that has the same UID."""
    event_ids, series_ids = store.find_parts(ctx, [row_id])
    return not {each.id for each in part.events}.isdisjoint(event_ids) or not set(part.series_ids).isdisjoint(series_ids)
