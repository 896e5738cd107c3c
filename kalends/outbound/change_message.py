"""E-mail to guests about what changed at events: their time, place or status, or that they were deleted."""

from email.message import EmailMessage
from typing import Any

from msgspec import structs

from kalends import policy
from kalends.context import Context
from kalends.deliveries import event_time
from kalends.deliveries.recipient_links import stop_url
from kalends.events import change_notices
from kalends.events import store as events
from kalends.events.change_notices import ChangedEvent, Facts
from kalends.events.invitations import addresses, calendar_part, cancellations
from kalends.events.invitations import store as invitations
from kalends.outbound.message import NEW_DATE, attach_events
from kalends.outbound.outcome import Undeliverable
from kalends.outbound.response_message import CHOICES, NO_MORE, Link, guest_mail
from kalends.records.delivery import Delivery
from kalends.records.event import Event
from kalends.records.invitation import Invitation
from kalends.records.response import Response
from kalends.responses import store as responses

# The dates of a series in one message; the page of the event has all.
MAX_EVENTS = 20
REASON = "You get this because you responded to this event."
INVITED = "You get this because you are invited to this event."
# What is said of texts that are not repeated.
DETAILS = {
    "description": "The description was changed.",
    "image": "The picture was changed.",
    "tags": "The tags were changed.",
    "note": "The note on it was changed.",
}


def build(ctx: Context, delivery: Delivery) -> EmailMessage:
    """The message, with what changed from the first old to the last new values."""
    notice = change_notices.find(ctx, delivery)
    if not notice.events:
        raise Undeliverable("It was changed back before it was sent.")
    visible = {each.id: each for each in _find_visible(ctx, delivery, notice.events)}
    changed = [each for each in notice.events if each.new is None or each.event_id in visible]
    if not changed:
        raise Undeliverable("The response was withdrawn, or the event made private, before it was sent.")
    first = changed[0]
    event = visible.get(first.event_id)
    response = _response(ctx, delivery, first.event_id) if event else None
    invitation = invitations.find_for(ctx, event, delivery.address) if event else None
    lines = _describe(first) if len(changed) == 1 else _list(changed)
    subject = f"{_headline(first)}: {_title(first)}{_others(changed)}"
    lead = "\n\n".join(filter(None, (notice.message, NEW_DATE if _headline(first) == "New date" else "")))
    links = _links(ctx, event, response, invitation, asks=first.new is not None and first.new.status != "cancelled") if event else []
    stop = Link(NO_MORE, stop_url(ctx.settings, delivery.id))
    shown = event or _deleted_event(delivery, first)
    reason = REASON if response or not invitation else INVITED
    mail = guest_mail(ctx.settings, delivery, shown, subject, lead, links, reason, lines=lines, stop=stop, has_file=False)
    _add_calendars(ctx, mail, delivery, [visible[each.event_id] for each in changed if each.event_id in visible])
    if addresses.takes_replies(ctx.settings):
        deleted = {each.event_id for each in changed if each.new is None}
        cancellations.add_parts(ctx, mail, change_notices.notice_id(delivery), delivery.address, deleted)
    return mail


def _add_calendars(ctx: Context, mail: EmailMessage, delivery: Delivery, changed: list[Event]) -> None:
    """Add what updates the guest's calendar: for each invitation a calendar of its own, as RFC 5546 has it, and a file of all others."""
    others, by_invitation = [], dict[int, tuple[Invitation, list[Event]]]()
    for event in changed:
        invitation = invitations.find_for(ctx, event, delivery.address) if addresses.takes_replies(ctx.settings) else None
        if invitation:
            by_invitation.setdefault(invitation.id, (invitation, []))[1].append(event)
        else:
            others.append(policy.essentials(event))
    for invitation, events_of_invitation in by_invitation.values():
        calendar_part.add_update(ctx, mail, invitation, events_of_invitation, by_invitation)
    if others:
        attach_events(mail, ctx.settings, others)


def _find_visible(ctx: Context, delivery: Delivery, changed: list[ChangedEvent]) -> list[Event]:
    """Those of the events to which the recipient has a response or an invitation, and that the recipient may see."""
    rows = events.find_by_ids(ctx, [each.event_id for each in changed if each.new is not None])
    guests = {row.event_id: row for row in responses.of_address_to_events(ctx, [event.id for event in rows], delivery.address)}
    return [event for event in rows if _sees(ctx, delivery, event, guests.get(event.id))]


def _sees(ctx: Context, delivery: Delivery, event: Event, response: Response | None) -> bool:
    if response is None:
        return invitations.find_for(ctx, event, delivery.address) is not None
    return policy.sees_event(ctx, response, event)


def _response(ctx: Context, delivery: Delivery, event_id: int) -> Response | None:
    return next(iter(responses.of_address(ctx, event_id, delivery.address)), None)


def _links(ctx: Context, event: Event, response: Response | None, invitation: Invitation | None, *, asks: bool) -> list[Link]:
    """The choices, each of which opens a page that has it chosen, and the event if the page of it can be opened."""
    url = policy.response_url(ctx.settings, response) if response else policy.invitation_url(ctx.settings, invitation) if invitation else ""
    choices = [Link(text, f"{url}?response={choice}") for choice, text in CHOICES] if url and asks else []
    is_open = event.is_open or invitation is None
    return [*choices, *([Link("To the event", policy.guest_url(ctx.settings, event))] if is_open else [])]


def _headline(changed: ChangedEvent) -> str:
    old, new = changed.old, changed.new
    if new is None or (new.status == "cancelled" and old.status != "cancelled"):
        return "Cancelled"
    if new.status == "postponed" and old.status != "postponed":
        return "Postponed"
    if (new.start_at, new.end_at, new.all_day) != (old.start_at, old.end_at, old.all_day):
        return "New date" if old.status == "postponed" else "New time"
    if new.status != old.status:
        return "It takes place"
    return "New place" if new.location != old.location else "Changed"


def _describe(changed: ChangedEvent) -> list[str]:
    """What changed at one event, in sentences."""
    old, new = changed.old, changed.new
    if new is None:
        return [f"This event was deleted: {_time(old)}."]
    lines = []
    if new.title != old.title:
        lines.append(f"It was called: {old.title}")
    if _time(new) != _time(old):
        lines.append(f"New time: {_time(new)}. It was: {_time(old)}.")
    if new.location != old.location:
        lines.append(f"New place: {new.location or 'not known yet'}. It was: {old.location or 'not known'}.")
    if new.status == "planned" and old.status != "planned":
        lines.append("It takes place after all." if old.status == "cancelled" else "It has a new date.")
    if new.repeat != old.repeat:
        lines.append(f"{new.repeat}." if new.repeat else "It takes place once.")
    # A new status shows its note.
    details = [name for name in old.find_changed_details(new) if name != "note" or new.status == old.status]
    return lines + [DETAILS[name] for name in details]


def _list(changed: list[ChangedEvent]) -> list[str]:
    """What changed at several events, a line each, with their titles if they are not all the same."""
    names = [f"{_title(each)}, " if _has_titles(changed) else "" for each in changed]
    times = [_time(each.old) + (f" → {_time(each.new)}" if _is_moved(each) else "") for each in changed]
    lines = [f"{_headline(each)}: {name}{time}" for each, name, time in zip(changed, names, times, strict=True)]
    return lines if len(lines) <= MAX_EVENTS else [*lines[:MAX_EVENTS], f"and {len(lines) - MAX_EVENTS} more"]


def _others(changed: list[ChangedEvent]) -> str:
    """What the subject says of the other events."""
    if len(changed) == 1:
        return ""
    return f" and {len(changed) - 1} more" if _has_titles(changed) else f" ({len(changed)} dates)"


def _has_titles(changed: list[ChangedEvent]) -> bool:
    return len({_title(each) for each in changed}) > 1


def _title(changed: ChangedEvent) -> str:
    return (changed.new or changed.old).title


def _is_moved(changed: ChangedEvent) -> bool:
    return changed.new is not None and _time(changed.new) != _time(changed.old)


def _time(facts: Facts | None) -> str:
    return event_time.long(facts) if facts else ""


def _deleted_event(delivery: Delivery, changed: ChangedEvent) -> Event:
    """The event that was deleted, as its guests knew it."""
    values: dict[str, Any] = dict.fromkeys(Event.__struct_fields__) | structs.asdict(changed.old)
    values |= {"id": changed.event_id, "owner_id": delivery.owner_id, "tags": "", "status": "cancelled"}
    return Event(**{name: values[name] for name in Event.__struct_fields__})
