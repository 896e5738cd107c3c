"""Notify guests of the changes of events: whom, and when."""

from collections import defaultdict

from msgspec import Struct, structs

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.delivery import GuestGroup
from kalends.core.records.event import Event
from kalends.core.values.text import fold_case
from kalends.features.deliveries import reaction_store as reactions
from kalends.features.deliveries import store as deliveries
from kalends.features.deliveries import suppression_store as suppressions
from kalends.features.deliveries.model import Notified, Recipient
from kalends.features.deliveries.steps import guest_notice, limits
from kalends.features.events import change_notice_store as change_notices
from kalends.features.events import store
from kalends.features.events.change_notice_store import OpenNotice, take_snapshot
from kalends.features.events.input_model import NOTIFY, EventChanges
from kalends.features.events.invitations import store as invitations
from kalends.features.events.invitations.steps import addresses, cancellations
from kalends.features.events.model import PARTS
from kalends.features.responses.guest_list_store import Guest, find_guests
from kalends.http.context import Context
from kalends.http.input.fields import Changes

# The fields of whose changes guests are notified without being named.
_MUST_KNOW = {"start_time", "end_time", "all_day", "time_zone", "location", *PARTS, "status", "place_for", "online_url"}


class _Change(Struct, frozen=True):
    """An event before and after; without the latter it was deleted."""

    before: Event
    after: Event | None
    guests: list[Guest]

    @property
    def is_cancelled(self) -> bool:
        return self.after is not None and self.after.status == "cancelled" and self.before.status != "cancelled"


def notify_of_update(ctx: Context, events: list[Event], changes: Changes[EventChanges]) -> Notified:
    """Notify the guests of these events, as they were, of what the changes changed."""
    notify: str = changes.get("notify", "auto")
    if notify == "auto" and _MUST_KNOW.isdisjoint(changes.values):
        return Notified()
    return notify_of_changes(ctx, events, notify, changes.get("message"))


def notify_of_changes(ctx: Context, events: list[Event], notify: str, message: str | None, since: int | None = None) -> Notified:
    """Notify the guests of these events, as they were, in what they differ now.

    since: when the events became what they were; guests who were not notified since then do not know it, and know the events as they
        are now."""
    after = {event.id: event for event in store.find_by_ids(ctx, [event.id for event in events])}
    is_chosen = notify != "auto"
    changed = [event for event in events if take_snapshot(event).differs(take_snapshot(after[event.id]), in_all=is_chosen)]
    if not is_chosen:
        changed = [event for event in changed if not after[event.id].is_over(ctx.now)]
    guests = _find_guests(ctx, [after[event.id] for event in changed], notify)
    if since is not None and guests:
        informed = change_notices.find_notified_since(ctx, list(guests), since)
        guests = defaultdict(list, {each: [guest for guest in guests[each] if (each, guest.email_address) in informed] for each in guests})
    return _queue(ctx, [_Change(event, after[event.id], guests[event.id]) for event in changed], notify, message)


def notify_of_restore(ctx: Context, events: list[Event], notify: str, message: str | None) -> Notified:
    """Notify the guests of events that were deleted and restored that these take place: unless someone is named, those who have
    been notified of the deletion."""
    is_chosen = notify != "auto"
    coming = [event for event in events if event.status != "cancelled" and (is_chosen or not event.is_over(ctx.now))]
    guests = _find_guests(ctx, coming, notify)
    if not is_chosen:
        informed = change_notices.find_notified_of_deletion(ctx, [event.id for event in coming])
        guests = {event.id: [each for each in guests[event.id] if (event.id, each.email_address) in informed] for event in coming}
    deleted = {event.id: structs.replace(event, status="cancelled") for event in coming}
    return _queue(ctx, [_Change(deleted[event.id], event, guests[event.id]) for event in coming], notify, message)


def notify_of_deletion(ctx: Context, events: list[Event], scope: str, notify: str, message: str | None) -> Notified:
    """Notify the guests of the events, which are deleted next, unless they are over or cancelled. An undo in time notifies nobody."""
    coming = [event for event in events if notify != "auto" or not (event.is_over(ctx.now) or event.status == "cancelled")]
    guests = _find_guests(ctx, coming, notify)
    notified = _queue(ctx, [_Change(event, None, guests[event.id]) for event in coming], notify, message)
    takes_replies = addresses.takes_replies(ctx.settings)
    for notice in change_notices.find_open(ctx, [event.id for event in coming]) if takes_replies else []:
        cancellations.insert(ctx, notice.id, notice.addresses, events, scope)
    return notified


def notify_of_repeat(ctx: Context, event: Event, rule: str, removed: list[Event], notify: str, message: str | None) -> Notified:
    """Notify who is invited to the dates that are deleted next and, if someone was named, the guests of the event, of how it repeats.

    rule: how it repeats from now on, in words."""
    is_chosen = notify != "auto"
    coming = [each for each in removed if is_chosen or not (each.is_over(ctx.now) or each.status == "cancelled")]
    guests = _find_guests(ctx, [event, *coming] if is_chosen else coming, notify)
    repeated = [event] if is_chosen and take_snapshot(event).repeat != rule else []
    changes = [_Change(each, each, guests[each.id]) for each in repeated] + [_Change(each, None, guests[each.id]) for each in coming]
    return _queue(ctx, changes, notify, message)


def find_reached(ctx: Context, events: list[Event], kind: guest_notice.Kind) -> list[GuestGroup]:
    """The groups of the people who would get mail if the events were cancelled (kind `cancel`) or deleted (`change`) now."""
    if ctx.settings.sends("email") and policy.user(ctx).verified_at is None:
        return []
    coming = [event for event in events if not (event.is_over(ctx.now) or event.status == "cancelled")]
    guests, groups = _find_guests(ctx, coming, "auto"), dict[str, GuestGroup]()
    for event in coming:
        recipients = [Recipient(each.email_address, each.id, group=each.group) for each in guests[event.id]]
        reached = guest_notice.find_reachable(ctx, event, kind, recipients) if recipients else []
        groups = {each.address: each.group for each in reached if each.group} | groups
    return list(groups.values())


def _find_guests(ctx: Context, events: list[Event], notify: str) -> dict[int, list[Guest]]:
    """Whom `notify` names of the guests of each event, without those who cannot see it and the person who makes the change."""
    guests: dict[int, list[Guest]] = defaultdict(list)
    if notify == "none" or not events:
        return guests
    of_events = f"r.event_id {ctx.db.in_list('ids')} AND r.email_address <> ''"
    rows = find_guests(ctx, of_events, ids=[event.id for event in events])
    ids = set() if notify in NOTIFY else set(map(int, notify.split(",")))
    if unknown := ids - {row.id for row in rows if row.id}:
        raise errors.invalid(
            "notify", gettext("includes response %(id)s, which doesn’t belong to this event", id=str(min(unknown))), "not_found"
        )
    me = policy.me(ctx)
    for row in rows:
        if (row.id in ids if ids else _is_meant(row, notify)) and row.user_id != me and row.sees:
            guests[row.event_id].append(row)
    if notify in ("auto", "concerned", "all"):
        own = fold_case(ctx.actor.email_address) if ctx.actor else ""
        for event_id, address in invitations.find_unanswered(ctx, [event.id for event in events]):
            if fold_case(address) != own:
                guests[event_id].append(Guest(None, event_id, None, address, "", is_waiting=False, sees=True))
    return guests


def _is_meant(guest: Guest, notify: str) -> bool:
    if notify == "going":
        return guest.response == "YES" and not guest.is_waiting
    return notify == "all" or guest.response != "NO"


def _queue(ctx: Context, changes: list[_Change], notify: str, message: str | None) -> Notified:
    """Queue the messages: for each owner one notice, or those that still take changes of these events."""
    changes = [change for change in changes if change.guests]
    if not changes:
        return Notified()
    if notify != "auto":
        policy.require_verified_sender(ctx)
    elif ctx.settings.sends("email") and policy.user(ctx).verified_at is None:
        return Notified(skipped=len({guest.email_address for change in changes for guest in change.guests}))
    is_plain = notify == "auto" and message is None
    notices = change_notices.find_open(ctx, [change.before.id for change in changes])
    by_notice = _group(ctx, changes, notices, is_plain=is_plain)
    notified, skipped = set[tuple[str, str]](), set[tuple[str, str]]()
    for (owner_id, notice_id), group in by_notice.items():
        due_at = ctx.now + ctx.settings.notice_delay
        notice_id = notice_id or change_notices.insert(ctx, owner_id, due_at)
        events = [change.before for change in group]
        change_notices.add_events(ctx, notice_id, events, all_fields=notify != "auto", message=message, due_at=due_at)
        added = _queue_notice(ctx, notice_id, group, due_at)
        if not is_plain:
            _take_over(ctx, notice_id, [notice for notice in notices if notice.is_plain and notice.id != notice_id], added[0])
        notified |= added[0]
        skipped |= added[1]
    return Notified(len(notified), 0, len(skipped - notified))


def _group(
    ctx: Context, changes: list[_Change], notices: list[OpenNotice], *, is_plain: bool
) -> dict[tuple[int, int | None], list[_Change]]:
    """The changes by owner and by the notice that takes them; without one, a new notice is needed."""
    groups: dict[tuple[int, int | None], list[_Change]] = defaultdict(list)
    for notice in notices if is_plain else []:
        # A notice has all changes of its events: who waits for one gets no second message.
        for waiting in _filter_guests(changes, notice, is_notified=True):
            groups[waiting.before.owner_id, notice.id].append(waiting)
        changes = _filter_guests(changes, notice, is_notified=False)
    for notice in notices:
        group = [change for change in changes if change.before.id in notice.event_ids]
        if group and _may_join(ctx, notice, group, is_plain=is_plain):
            groups[group[0].before.owner_id, notice.id] += group
            changes = [change for change in changes if change not in group]
    for change in changes:
        groups[change.before.owner_id, None].append(change)
    return groups


def _filter_guests(changes: list[_Change], notice: OpenNotice, *, is_notified: bool) -> list[_Change]:
    """The changes with those of their guests whom the notice notifies of the same event, or else with the others."""
    filtered = []
    for change in changes:
        guests = [guest for guest in change.guests if ((change.before.id, guest.email_address) in notice.recipients) == is_notified]
        filtered += [structs.replace(change, guests=guests)] if guests else []
    return filtered


def _take_over(ctx: Context, notice_id: int, sources: list[OpenNotice], notified: set[tuple[str, str]]) -> None:
    """Move what other notices have for the recipients of this one, by channel and address, into the same message."""
    for source in sources:
        if addresses := {address for address in source.addresses if ("email", address) in notified}:
            change_notices.take_over(ctx, notice_id, source, addresses)


def _may_join(ctx: Context, notice: OpenNotice, changes: list[_Change], *, is_plain: bool) -> bool:
    """Whether nobody gets by the notice what is not for them: the organiser's words, and what only those who were chosen hear of.

    is_plain: the changes have none of it."""
    addresses = {guest.email_address for change in changes for guest in change.guests}
    if not is_plain and not notice.addresses <= addresses:
        return False
    if notice.is_plain or addresses <= notice.addresses:
        return True
    others = {("email", address) for address in addresses - notice.addresses}
    return all(suppressions.find_suppressed(ctx, each.before.owner_id, each.before.id, "notice", others) == others for each in changes)


def _queue_notice(ctx: Context, notice_id: int, changes: list[_Change], due_at: int) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """Queue the messages of one notice; return whom it notifies, and whom not."""
    cause = change_notices.cause(notice_id)
    flooded = deliveries.find_flooded(ctx, {guest.email_address for change in changes for guest in change.guests})
    before = guest_notice.find_recipients(ctx, cause)
    notified, skipped = set[tuple[str, str]](), set[tuple[str, str]]()
    for change in changes:
        event = change.after or change.before
        kind: guest_notice.Kind = "cancel" if change.is_cancelled else "change"
        recipients = [Recipient(each.email_address, each.id, event_ids=(event.id,), group=each.group) for each in change.guests]
        limited = reactions.find_limited(ctx, event.owner_id, event.id, kind, {each.address for each in recipients})
        reachable = [each for each in recipients if each.address not in flooded | limited]
        skipped |= {(each.channel, each.address) for each in recipients} - {(each.channel, each.address) for each in reachable}
        added = guest_notice.insert_each(ctx, event, kind, cause, reachable, due_at=due_at)
        notified |= added[0]
        skipped |= added[1]
    limits.count_announcement(ctx, {"email": len(notified - before)})
    return notified, skipped
