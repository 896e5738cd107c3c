"""The guests of an event that an organiser writes by CalDAV (RFC 6638): those in the file are invited, and those who left it are not.

A guest who has an account here gets the event itself on the primary calendar, not a copy, and the invitation in the inbox."""

from collections.abc import Sequence
from typing import Literal

from kalends import policy
from kalends.context import Context
from kalends.dav import message_store, store, text
from kalends.dav.calendar_object import CalendarObject
from kalends.dav.errors import DavError
from kalends.dav.file_store import save_file
from kalends.dav.resources import Resource
from kalends.dav.xml import CALDAV
from kalends.events import by_uid
from kalends.events.invitations import calendar_part, invite
from kalends.events.invitations import store as invitations
from kalends.events.invitations.model import MAX_AT_ONCE, InvitationInput
from kalends.events.invitations.store import Target
from kalends.events.placements import store as placements
from kalends.http.input.fields import fields_of
from kalends.http.input.readers import FieldInvalid
from kalends.ical import participants
from kalends.records.calendar import Calendar
from kalends.records.event import Event
from kalends.records.invitation import Invitation
from kalends.values.text import fold_case

[_ADDRESSES] = [each for each in fields_of(InvitationInput) if each.name == "addresses"]


# What became of an invitation (SCHEDULE-STATUS; RFC 6638, section 3.2.9). All guests get a mail, also those who have an account here:
# who has one is nobody else's business.
SENT, NO_ADDRESS, NOT_SENT = "1.1", "3.7", "5.1"


def update(ctx: Context, calendar: Calendar, before: bytes, file: CalendarObject, saved: Resource) -> dict[str, str] | None:
    """Invite those whom the actor has added to the events of the file, and take back the invitations of those whom they have removed.

    before: the file as it was. Returns what became of the invitations by the keys of the addresses; None if the actor invites nobody
    with this file."""
    current = _find_guests(ctx, file.content)
    if not current and b"ATTENDEE" not in before:
        return None
    events = text.load_events(ctx, calendar, [saved])[saved.name]
    event = next((each for each in events if not each.is_over(ctx.now) and each.status != "cancelled"), None)
    if current is None or event is None:
        return None
    scope: Literal["this", "all"] = "all" if event.series_id is not None else "this"
    target = invitations.target_of(event, scope)
    former = (_find_guests(ctx, before) if before else None) or {}
    for key in former.keys() - current.keys():
        invitation = invitations.find(ctx, target, key)
        if invitation and invitation.state != "withdrawn":
            invite.withdraw(ctx, event.id, invitation.id)
    if len(current) > MAX_AT_ONCE:
        raise DavError(403, f"An event has at most {MAX_AT_ONCE} guests.", f"{{{CALDAV}}}max-attendees-per-instance")
    guests = {key: address for key, address in current.items() if _is_address(address)}
    known = _find_invited(ctx, target, guests)
    if guests:
        invite.invite(ctx, event.id, InvitationInput(addresses=list(guests.values()), scope=scope))
    invited = _find_invited(ctx, target, guests)
    for key, invitation in invited.items():
        _place(ctx, invitation, event, events, saved.series_ids, file.uid, is_new=key not in known)
    return {key: SENT if key in invited else NOT_SENT if key in guests else NO_ADDRESS for key in current}


def _find_invited(ctx: Context, target: Target, guests: dict[str, str]) -> dict[str, Invitation]:
    """Those of the guests who are invited, by the keys of their addresses."""
    by_key = invitations.find_by_addresses(ctx, target, guests) if guests else {}
    return {key: invitation for key, invitation in by_key.items() if invitation.state != "withdrawn"}


def _find_guests(ctx: Context, content: bytes) -> dict[str, str] | None:
    """The guests in the file by the keys of their addresses; None if the actor is not the organiser."""
    if b"ATTENDEE" not in content:
        return {}
    parsed, own = participants.parse(content), fold_case(policy.user(ctx).email_address)
    if fold_case(parsed.organizer) != own:
        return None
    return {key: address for key, address in parsed.attendees.items() if key != own}


def _is_address(address: str) -> bool:
    try:
        _ADDRESSES.read([address])
    except FieldInvalid:
        return False
    return True


def _place(
    ctx: Context, invitation: Invitation, event: Event, events: list[Event], series_ids: Sequence[int], uid: str, *, is_new: bool
) -> None:
    """Put the events on the calendar of the guest: all of them of a new one, and those that are new of the others, unless the guest has
    taken them off."""
    calendar = policy.guest_calendar(ctx, invitation.address)
    if calendar is None:
        return
    ids = [each.id for each in events]
    placed = placements.find_placed(ctx, calendar.id, ids)
    if not is_new:
        for event_id in set(ids) - placed if placed else ():
            placements.insert(ctx, event_id, calendar.id, grants=True, granted_by=policy.user(ctx).id, invited_key=invitation.email_key)
        return
    by_uid.lock(ctx, calendar.id)
    if not placed and by_uid.find(ctx, calendar.id, uid) is None and all(row.gone for row in store.find_rows_by_uid(ctx, calendar, uid)):
        for event_id in ids:
            placements.insert(ctx, event_id, calendar.id, grants=True, granted_by=policy.user(ctx).id, invited_key=invitation.email_key)
        file = CalendarObject(uid, "VEVENT", calendar_part.build(ctx, invitation, event, ""))
        save_file(ctx, calendar, f"invitation-{invitation.id}.ics", file, [] if series_ids else ids, series_ids, has_quota=False)
    message_store.insert(ctx, calendar.owner_id, invitation.id)
