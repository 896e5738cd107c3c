"""What a guest decides in a calendar program: the PARTSTAT of an attendee as a response, to the whole or to one date of a series."""

from typing import Literal

from msgspec import Struct

from kalends import policy
from kalends.core.records.event import Event
from kalends.core.records.response import Invitation
from kalends.core.values import datetimes
from kalends.features.events.invitations.steps import reply
from kalends.features.events.invitations.steps.reply import Channel
from kalends.features.events.rules.uid import parse_own
from kalends.features.events.series import store as series_store
from kalends.features.events.series.steps.scope import slot_of
from kalends.features.responses.model import ResponseFields
from kalends.http.context import Context
from kalends.ical.itip import Attendee, ReplyEvent
from kalends.ical.vtimezone import find_zone

RESPONSES: dict[str, Literal["YES", "MAYBE", "NO"]] = {"ACCEPTED": "YES", "TENTATIVE": "MAYBE", "DECLINED": "NO"}
# Clocks of guests may be ahead of ours by this much. Of a DTSTAMP beyond it, the time of arrival counts.
MAX_AHEAD = 600


class Decision(Struct, frozen=True):
    """What a guest decided about the whole (an empty slot) or about one date."""

    slot: str
    event: Event
    fields: ResponseFields
    names: frozenset[str]
    stamp: int


def decide(ctx: Context, invitation: Invitation, event: Event, itip: ReplyEvent, attendee: Attendee) -> Decision | None:
    """What the guest decided; None if nothing, or about a date that is not there."""
    if attendee.status not in RESPONSES:
        return None
    date = _find_date(ctx, invitation, itip) if invitation.series_id is not None else event
    is_whole = invitation.series_id is None or (itip.recurrence_id is None and date is None)
    if date is None and not is_whole:
        return None
    target_event = policy.limit_party(date, invitation) if date else event
    plus_n = attendee.guests
    if plus_n is not None and target_event.party_limit is not None:
        plus_n = max(0, min(plus_n, target_event.party_limit - 1))
    stamp = itip.stamp if itip.stamp is not None and itip.stamp <= ctx.now + MAX_AHEAD else ctx.now
    fields = ResponseFields(response=RESPONSES[attendee.status], comment=itip.comment or None, plus_n=plus_n or 0)
    names = {"response", *(["comment"] if itip.comment else []), *(["plus_n"] if plus_n is not None else [])}
    return Decision("" if is_whole else slot_of(target_event), target_event, fields, frozenset(names), stamp)


def _find_date(ctx: Context, invitation: Invitation, itip: ReplyEvent) -> Event | None:
    """The date of the series that the reply is about: by its RECURRENCE-ID, or by the UID of a date that was sent alone."""
    own = parse_own(ctx.settings, itip.uid)
    event_id = own.id if own and own.kind == "event" else None
    slot = None
    if itip.recurrence_id is not None and invitation.series_id is not None:
        zone = series_store.find_time_zone(ctx, invitation.series_id)
        value = itip.recurrence_id
        source = "UTC" if value.is_utc else find_zone(value.zone) if value.zone else None
        local = datetimes.to_local(datetimes.to_instant(value.local, source), zone) if source and not value.is_date else value.local
        slot = local.date().isoformat()
    if event_id is None and slot is None:
        return None
    return policy.invited_date(ctx, invitation, event_id=event_id, slot=slot)


def record(ctx: Context, invitation: Invitation, decision: Decision, via: Channel) -> None:
    """Respond as the guest decided."""
    respond = reply.record_date if decision.slot else reply.record
    respond(ctx, invitation, decision.event, decision.fields, decision.names, via)
