"""An organiser's event in the calendar of a guest (RFC 6638), who replies in it and sets alarms; the rest is the organiser's."""

from typing import Any

from kalends import policy
from kalends.core.records.calendar import Calendar
from kalends.core.records.response import Invitation
from kalends.core.values.text import decode
from kalends.dav.calendars import calendar_object, resources, store, text
from kalends.dav.calendars.calendar_object import CalendarObject
from kalends.dav.calendars.resources import Resource
from kalends.dav.xml import CALDAV, DavError
from kalends.features.events.imports.steps.plan import Plan
from kalends.features.events.invitations import store as invitations
from kalends.features.events.invitations.steps import invite, reply
from kalends.features.responses.model import ResponseFields
from kalends.http.context import Context
from kalends.ical import itip
from kalends.ical.itip import Attendee, ReplyEvent


def find_by_uid(ctx: Context, calendar: Calendar, uid: str) -> Resource | None:
    """The resource with this UID that an organiser has put on the actor's calendar. Some clients reply before they have seen its name.
    What was only proposed is put there now."""
    if calendar.owner_id == policy.user(ctx).id:
        for proposed in invitations.find_proposed(ctx, calendar.id, uid):
            invite.place(ctx, proposed)
    candidates = resources.find_by_rows(ctx, calendar, store.find_rows_by_uid(ctx, calendar, uid))
    return next((each for each in candidates if find_invitation(ctx, calendar, each)), None)


def find_invitation(ctx: Context, calendar: Calendar, resource: Resource) -> Invitation | None:
    """The invitation of the actor to the events of the resource, if they are another user's."""
    actor = policy.user(ctx)
    events = text.load_events(ctx, calendar, [resource])[resource.name]
    if not events or any(each.can_edit for each in events) or not policy.has_verified(ctx, actor.email_address):
        return None
    return invitations.find_for(ctx, events[0], actor.email_address)


def record_reply(
    ctx: Context, calendar: Calendar, current: Resource, invitation: Invitation, file: CalendarObject, plan: Plan | None
) -> None:
    """Respond as the file of the guest says, which may differ from the one of now in nothing that is the organiser's."""
    before = calendar_object.read(file.uid, file.component, text.read(ctx, calendar, current))
    if _organisers_fields(plan) != _organisers_fields(calendar_object.plan(ctx, before, calendar.time_zone)):
        raise DavError(403, "Only the organiser can change this event.", f"{{{CALDAV}}}allowed-attendee-scheduling-object-change")
    event = policy.invited_event(ctx, invitation)
    former = {_date(each): attendee.status for each, attendee in _attendees(before, invitation)}
    for each, attendee in _attendees(file, invitation):
        if attendee.status != former.get(_date(each), former.get("")):
            decided = reply.decide(ctx, invitation, event, each, attendee) if event else None
            if decided:
                reply.record_decision(ctx, invitation, decided, "dav")


def decline(ctx: Context, invitation: Invitation) -> None:
    """Respond NO to what the guest takes off the calendar, unless it is over."""
    event = policy.invited_event(ctx, invitation)
    if event and not event.is_over(ctx.now):
        reply.record(ctx, invitation, event, ResponseFields(response="NO"), {"response"}, "dav")


def _attendees(file: CalendarObject, invitation: Invitation) -> list[tuple[ReplyEvent, Attendee]]:
    """The guest in each event of the file; the series first."""
    try:
        events = itip.parse_reply(decode(file.content)).events
    except ValueError:
        return []
    pairs = [(each, attendee) for each in events if (attendee := each.attendee(invitation.address))]
    return sorted(pairs, key=lambda pair: _date(pair[0]))


def _date(event: ReplyEvent) -> str:
    return event.recurrence_id.local.isoformat() if event.recurrence_id else ""


def _organisers_fields(plan: Plan | None) -> Any:
    """What the organiser decides about: what the events are, and when they take place."""
    return plan and [
        (series.uid, series.rule, series.exceptions, {slot: (event.content.columns, event.span) for slot, event in series.events.items()})
        for series in plan.incoming
    ]
