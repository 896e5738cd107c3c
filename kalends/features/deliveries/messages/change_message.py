"""E-mail to guests about what changed at events: their time, place or status, or that they were deleted."""

from email.message import EmailMessage
from typing import Any

from msgspec import structs

from kalends import policy
from kalends.core.i18n import Text, gettext, ngettext, pgettext
from kalends.core.i18n.locale import Locale
from kalends.core.records.delivery import Delivery
from kalends.core.records.event import Event
from kalends.core.records.response import Invitation, Response
from kalends.features.deliveries.messages.message import NEW_DATE, attach_file
from kalends.features.deliveries.messages.response_message import CHOICES, NO_MORE, Link, guest_mail
from kalends.features.deliveries.rules import event_time
from kalends.features.deliveries.rules.outcome import Undeliverable
from kalends.features.deliveries.rules.recipient_links import stop_url
from kalends.features.events import change_notice_store as change_notices
from kalends.features.events import store as events
from kalends.features.events.change_notice_store import ChangedEvent, EventSnapshot
from kalends.features.events.invitations import store as invitations
from kalends.features.events.invitations.steps import addresses, calendar_part, cancellations
from kalends.features.responses import store as responses
from kalends.features.responses.steps import own_series
from kalends.http.context import Context

# The dates of a series in one message; the page of the event has all.
MAX_EVENTS = 20
REASON = gettext("You get this because you sent an RSVP to this event.")
INVITED = gettext("You get this because you’re invited to this event.")
# What is said of texts that are not repeated.
DETAILS = {
    "description": gettext("The description has changed."),
    "image": gettext("The picture has changed."),
    "tags": gettext("The tags have changed."),
    "note": gettext("The note has changed."),
    "access": gettext("The exact place or the link has changed."),
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
    lines = _describe(first, ctx.locale) if len(changed) == 1 else _list(changed, ctx.locale)
    subject = _subject(changed)
    lead, words = NEW_DATE if _has_new_date(first) else "", notice.message or ""
    links = _links(ctx, event, response, invitation, asks=first.new is not None and first.new.status != "cancelled") if event else []
    stop = Link(NO_MORE, stop_url(ctx.settings, delivery.id))
    event_or_deleted = event or _deleted_event(delivery, first)
    reason = REASON if response or not invitation else INVITED
    values: dict[str, Any] = {"words": words, "lines": lines, "stop": stop, "locale": ctx.locale}
    mail = guest_mail(ctx.settings, delivery, event_or_deleted, subject, lead, links, reason, **values)
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
            others.append(event)
    for invitation, events_of_invitation in by_invitation.values():
        calendar_part.add_update(ctx, mail, invitation, events_of_invitation, by_invitation)
    if others:
        attach_file(mail, own_series.build_file(ctx, others, delivery.address))


def _find_visible(ctx: Context, delivery: Delivery, changed: list[ChangedEvent]) -> list[Event]:
    """The given events to which the recipient has a response or an invitation, and that the recipient may see."""
    rows = events.find_by_ids(ctx, [each.event_id for each in changed if each.new is not None])
    guests = {row.event_id: row for row in responses.of_address_to_events(ctx, [event.id for event in rows], delivery.address)}
    visible = [event for event in rows if _sees(ctx, delivery, event, guests.get(event.id))]
    return policy.reveal_to_address(ctx, visible, delivery.address)


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
    return [*choices, *([Link(gettext("View event"), policy.guest_url(ctx.settings, event))] if is_open else [])]


def _headline(changed: ChangedEvent) -> Text:
    old, new = changed.old, changed.new
    if new is None or (new.status == "cancelled" and old.status != "cancelled"):
        return pgettext("headline", "Cancelled")
    if new.status == "postponed" and old.status != "postponed":
        return pgettext("headline", "Postponed")
    if (new.start_at, new.end_at, new.all_day) != (old.start_at, old.end_at, old.all_day):
        return gettext("New date") if old.status == "postponed" else gettext("New time")
    if new.status != old.status:
        return gettext("Back on")
    return gettext("New location") if new.location != old.location else gettext("Updated")


def _has_new_date(changed: ChangedEvent) -> bool:
    return _headline(changed).msgid == "New date"


def _describe(changed: ChangedEvent, locale: Locale) -> list[Text]:
    """What changed at one event, in sentences."""
    old, new = changed.old, changed.new
    if new is None:
        return [gettext("This event was deleted. It was planned for %(time)s.", time=_time(old, locale))]
    lines = []
    if new.title != old.title:
        lines.append(gettext("Previously called: %(title)s", title=old.title))
    if _time(new, locale) != _time(old, locale):
        lines.append(gettext("New time: %(new)s. Before: %(old)s.", new=_time(new, locale), old=_time(old, locale)))
    if new.location != old.location:
        places = {"new": new.location or gettext("to be announced"), "old": old.location or gettext("not set")}
        lines.append(gettext("New location: %(new)s. Before: %(old)s.", **places))
    if new.status == "planned" and old.status != "planned":
        lines.append(gettext("It’s going ahead after all.") if old.status == "cancelled" else gettext("It now has a date."))
    if new.repeat != old.repeat:
        lines.append(gettext("%(sentence)s.", sentence=new.describe_repeat()) if new.repeat else gettext("It no longer repeats."))
    # A new status shows its note.
    details = [name for name in old.find_changed_details(new) if name != "note" or new.status == old.status]
    return lines + [DETAILS[name] for name in details]


def _list(changed: list[ChangedEvent], locale: Locale) -> list[Text]:
    """What changed at several events, a line each, with their titles if they are not all the same."""
    has_titles = _has_titles(changed)
    lines = [_line(each, locale, has_title=has_titles) for each in changed]
    more = len(lines) - MAX_EVENTS
    return lines if more <= 0 else [*lines[:MAX_EVENTS], ngettext("and 1 more", "and %(num)s more", more)]


def _line(changed: ChangedEvent, locale: Locale, *, has_title: bool) -> Text:
    old, new = _time(changed.old, locale), _time(changed.new, locale)
    time = gettext("%(old)s → %(new)s", old=old, new=new) if new and new != old else old
    if has_title:
        return gettext("%(headline)s: %(title)s, %(time)s", headline=_headline(changed), title=_title(changed), time=time)
    return gettext("%(headline)s: %(time)s", headline=_headline(changed), time=time)


def _subject(changed: list[ChangedEvent]) -> Text:
    """What changed at the first event, and how many others there are."""
    values = {"headline": _headline(changed[0]), "title": _title(changed[0])}
    if len(changed) == 1:
        return gettext("%(headline)s: %(title)s", **values)
    if _has_titles(changed):
        return ngettext("%(headline)s: %(title)s and 1 more", "%(headline)s: %(title)s and %(num)s more", len(changed) - 1, **values)
    return ngettext("%(headline)s: %(title)s (1 date)", "%(headline)s: %(title)s (%(num)s dates)", len(changed), **values)


def _has_titles(changed: list[ChangedEvent]) -> bool:
    return len({_title(each) for each in changed}) > 1


def _title(changed: ChangedEvent) -> str:
    return (changed.new or changed.old).title


def _time(snapshot: EventSnapshot | None, locale: Locale) -> str:
    return event_time.long(snapshot, locale.formats) if snapshot else ""


def _deleted_event(delivery: Delivery, changed: ChangedEvent) -> Event:
    """The event that was deleted, as its guests knew it."""
    values: dict[str, Any] = dict.fromkeys(Event.__struct_fields__) | structs.asdict(changed.old)
    values |= {"id": changed.event_id, "owner_id": delivery.owner_id, "tags": "", "status": "cancelled"}
    return Event(**{name: values[name] for name in Event.__struct_fields__})
