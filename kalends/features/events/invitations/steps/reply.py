"""The response of an invited guest, who has proved the address by the link or the reply address that was mailed to it, or signed in.

A calendar program sends a decision: the PARTSTAT of an attendee, of the whole or of one date of a series."""

from collections.abc import Set
from typing import Literal

from msgspec import Struct, structs

from kalends import policy
from kalends.core.records.event import Event
from kalends.core.records.response import Invitation, Response
from kalends.core.values import datetimes
from kalends.features.events.invitations.steps import invite
from kalends.features.events.rules.uid import parse_own
from kalends.features.events.series import store as series_store
from kalends.features.events.series.steps.scope import slot_of
from kalends.features.responses.model import ResponseFields, ResponseInput
from kalends.features.responses.steps.author import author, by_link, on_page
from kalends.features.responses.steps.respond import respond
from kalends.features.responses.steps.series import respond_to_series
from kalends.http.context import Context
from kalends.http.input.fields import Params
from kalends.ical.itip import Attendee, ReplyEvent
from kalends.ical.vtimezone import find_zone

Channel = Literal["link", "mail", "dav", "account"]
RESPONSES: dict[str, Literal["YES", "MAYBE", "NO"]] = {"ACCEPTED": "YES", "TENTATIVE": "MAYBE", "DECLINED": "NO"}
# Clocks of guests may be ahead of ours by this much. Of a DTSTAMP beyond it, the time of arrival counts.
MAX_AHEAD = 600


def find_invitation(ctx: Context, invitation_id: int, mac: str) -> tuple[Invitation, Event]:
    """The invitation to whose reply address a mail was sent, and its event."""
    return policy.replied_invitation(ctx, invitation_id, mac)


def record(ctx: Context, invitation: Invitation, event: Event, fields: ResponseFields, names: Set[str], via: Channel) -> Response:
    """Respond to the event, or to all coming dates if the invitation is to the series and the event is not chosen alone."""
    if fields.response in ("YES", "MAYBE"):
        invite.place(ctx, invitation)
    prove = on_page if via == "link" else by_link
    who = author(ctx, None, None) if via in ("dav", "account") else prove(invitation.address, fields.name or invitation.name)
    is_series = invitation.series_id is not None and event.series_id == invitation.series_id
    value = ResponseInput(event_id=event.id, scope="all" if is_series else "this", **structs.asdict(fields))
    params = Params(value, frozenset(names))
    if is_series:
        rows = respond_to_series(ctx, event, who, params, is_invited=True)
        assert rows is not None
        return rows.main
    response = respond(ctx, event, who, params)
    assert response is not None
    return response


def record_date(ctx: Context, invitation: Invitation, event: Event, fields: ResponseFields, names: Set[str], via: Channel) -> Response:
    """Respond to one date of the series alone."""
    return record(ctx, structs.replace(invitation, series_id=None, event_id=event.id), event, fields, names, via)


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


def record_decision(ctx: Context, invitation: Invitation, decision: Decision, via: Channel) -> None:
    """Respond as the guest decided."""
    record_part = record_date if decision.slot else record
    record_part(ctx, invitation, decision.event, decision.fields, decision.names, via)
