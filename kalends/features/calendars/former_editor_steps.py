"""Deal with what somebody leaves on a calendar that is no longer shared with them: events, invitations, and links that they know."""

from collections.abc import Callable

from kalends.core.records.calendar import Calendar
from kalends.features.calendars import former_editor_store as store
from kalends.features.calendars.model import Unsharing
from kalends.features.events import store as events
from kalends.features.events.invitations import store as invitations
from kalends.features.events.invitations.steps import invite
from kalends.features.events.placements import store as placements
from kalends.features.events.series.steps import scope
from kalends.features.events.steps.notify import notify_of_deletion
from kalends.http.context import Context
from kalends.policy import find_invitation, invited_event


def settle(ctx: Context, calendar: Calendar, user_id: int, params: Unsharing) -> None:
    """Do what the owner of the calendar has chosen, in several transactions, so that others can write in between. If it is interrupted,
    the rest stays as it is: the user has no rights on it."""
    if params.withdraw_invitations:
        withdraw_people(ctx, store.on_calendar(calendar.id), user_id)
    if params.events == "take_over":
        take_over(ctx, calendar.id, calendar.owner_id, user_id)
    if params.events == "remove":
        _in_batches(ctx, lambda: _remove(ctx, calendar.id, user_id))
    if params.reset_links:
        _reset_links(ctx, calendar.id)


def withdraw_people(ctx: Context, extent: store.Extent, user_id: int) -> None:
    """Withdraw the user's invitations to these events, and end what guests see whom they added."""
    _in_batches(ctx, lambda: _withdraw(ctx, extent, user_id))
    _in_batches(ctx, lambda: store.withdraw_guests(ctx, extent, user_id))


def take_over(ctx: Context, calendar_id: int, owner_id: int, user_id: int) -> None:
    """Make the events that the user created those of the calendar's owner. No quota refuses them: access must end all the same."""
    _in_batches(ctx, lambda: _take_over(ctx, calendar_id, owner_id, user_id))


def _in_batches(ctx: Context, change: Callable[[], int]) -> None:
    """Change records until there are less than a batch of them."""
    while True:
        with ctx.write(alone=True, is_last=False):
            changed = change()
        if changed < store.BATCH:
            return
        ctx.db.yield_to_other_writers()


def _take_over(ctx: Context, calendar_id: int, owner_id: int, user_id: int) -> int:
    ids = store.find_created(ctx, calendar_id, user_id)
    events.set_owner(ctx, ids, owner_id)
    return len(ids)


def _remove(ctx: Context, calendar_id: int, user_id: int) -> int:
    ids = store.find_created(ctx, calendar_id, user_id)
    deleted = events.find_by_ids(ctx, ids)
    notify_of_deletion(ctx, deleted, "this", "auto", None)
    placements.remove(ctx, calendar_id, ids)
    scope.update_rules_after_delete(ctx, deleted, "this")
    return len(ids)


def _withdraw(ctx: Context, extent: store.Extent, user_id: int) -> int:
    ids = store.find_invitations(ctx, extent, user_id)
    for invitation_id in ids:
        invitation = find_invitation(ctx, invitation_id)
        assert invitation
        [first] = events.find_by_ids(ctx, [invitations.find_first_event(ctx, invitation)])
        invite.take_back(ctx, invitation, invited_event(ctx, invitation) or first)
    return len(ids)


def _reset_links(ctx: Context, calendar_id: int) -> None:
    """Replace the links of all events on the calendar that are seen by a link: an editor knows them all."""
    after = 0

    def reset() -> int:
        nonlocal after
        ids = store.find_linked(ctx, calendar_id, after)
        events.reset_links(ctx, ids)
        after = ids[-1] if ids else after
        return len(ids)

    _in_batches(ctx, reset)
