"""The co-hosts of an event: people who may edit it, and not its calendar."""

from kalends import policy
from kalends.core import errors
from kalends.core.errors import FieldError
from kalends.core.i18n import gettext
from kalends.core.records.calendar import Cohost
from kalends.core.records.event import Event
from kalends.core.values import timestamps
from kalends.core.values.text import fold_case
from kalends.features.calendars import former_editor_steps as former_editor
from kalends.features.calendars import former_editor_store as left_behind
from kalends.features.deliveries import store as deliveries
from kalends.features.deliveries.steps import limits as sending_limits
from kalends.features.events import store as events
from kalends.features.events.cohosts import store
from kalends.features.events.cohosts.model import MAX_COHOSTS, CohostIndex, CohostInput, CohostItem, CohostRemoval, RemovedCohost
from kalends.features.events.placements import store as placements
from kalends.features.events.series.steps import scope
from kalends.features.users import store as users
from kalends.http.context import Context
from kalends.http.endpoint import endpoint
from kalends.http.paging import Paging, slice_page
from kalends.policy import Right


@endpoint("GET", "/api/events/{event_id}/cohosts")
def cohosts(ctx: Context, event_id: int, params: Paging) -> CohostIndex:
    """The co-hosts of the event, for those who may edit it."""
    policy.event(ctx, event_id, to=Right.EDIT)
    page, fields = slice_page(ctx, params, [_item(each) for each in store.of_event(ctx, event_id)])
    return CohostIndex(page, **fields)


@endpoint("POST", "/api/events/{event_id}/cohosts", status=201, fixed_time=True, rate_limited=True)
def add_cohost(ctx: Context, event_id: int, params: CohostInput) -> CohostItem:
    """Let a user edit the event, by user name or e-mail address; the event's calendar stays closed to them. They get mail.

    An address waits for an account that verifies it; the reply is the same whether or not there is one. Of a series, `scope` is for other
    dates, too, and `all` and `following` for dates that are created later. Only the owner and editors of the event's calendar may.
    """
    placements.lock_home(ctx, event_id)
    events.lock(ctx, [event_id])
    event = policy.event(ctx, event_id, to=Right.OWN)
    policy.require_sending(ctx, event.owner_id)
    if policy.is_own_account(ctx, params.user_name):
        raise errors.Conflict(
            gettext("You can edit this event already."), [FieldError("user_name", gettext("is your own. Enter someone else’s"), "conflict")]
        )
    before = {each.id for each in store.of_event(ctx, event_id)}
    if len(before) >= MAX_COHOSTS:
        raise errors.Conflict(gettext("There are already %(max)s co-hosts. Remove one first.", max=MAX_COHOSTS))
    cohost = _insert(ctx, event, params)
    if cohost.id not in before:
        sending_limits.count_invitations(ctx, 1)
        by_name = None if cohost.user_name is None else policy.required_user(ctx, cohost.user_name)
        recipient = by_name or users.get(ctx, policy.user(ctx).id)
        deliveries.insert_notice(ctx, recipient, "cohost_added", event_id, cohost.email_address, user_name=cohost.user_name)
    return _item(cohost)


def _insert(ctx: Context, event: Event, params: CohostInput) -> Cohost:
    """Add the person to the dates of the scope, and return them as the co-host of this one; who is there already stays."""
    address = params.user_name if "@" in params.user_name else None
    user_id = None if address else policy.required_user(ctx, params.user_name).id
    dates = [each.id for each in scope.find_events(ctx, event, params.scope)]
    by_series = event.series_id is None or params.scope != "this"
    store.insert(ctx, dates, user_id, address, by_series=by_series, added_by=policy.user(ctx).id)
    key = (None, fold_case(address)) if address else (user_id, "")
    return next(each for each in store.of_event(ctx, event.id) if _key(each) == key)


def _key(cohost: Cohost) -> tuple[int | None, str]:
    """Who they are, by their name or by their address."""
    return (None, fold_case(cohost.email_address)) if cohost.email_address else (cohost.user_id, "")


@endpoint("DELETE", "/api/events/{event_id}/cohosts/{cohost_id}", transaction=False)
def delete_cohost(ctx: Context, event_id: int, cohost_id: int, params: CohostRemoval) -> RemovedCohost:
    """Remove a co-host, who may no longer edit the event; co-hosts remove themselves. `scope` removes them from other dates, too.

    `left` in the reply lists the people whom they have invited or added: `withdraw_invitations` ends that, and `dry_run=true` lists them
    first. Of an event that is seen by a link they know the link: `reset_links` replaces it.
    """
    with ctx.write(is_last=False):
        events.lock(ctx, [event_id])
        event, cohost = load(ctx, event_id, cohost_id)
        dates = scope.find_events(ctx, event, params.scope)
        extent = left_behind.on_events(ctx, [each.id for each in dates])
        user_id = cohost.user_id or left_behind.NOBODY
        left = left_behind.find_people(ctx, extent, user_id)
        ids = store.find_same(ctx, cohost, [each.id for each in dates])
        store.delete(ctx, ids, cohost.user_id)
        if params.reset_links:
            events.reset_links(ctx, [each.id for each in dates if each.by_link])
    if params.withdraw_invitations:
        former_editor.withdraw_people(ctx, extent, user_id)
    with ctx.write():
        return RemovedCohost(deleted=ids, left=left)


def load(ctx: Context, event_id: int, cohost_id: int) -> tuple[Event, Cohost]:
    """The event and its co-host, for the co-host, and the owner and editors of its calendar."""
    event = policy.event(ctx, event_id, to=Right.EDIT)
    cohost = next((each for each in store.of_event(ctx, event_id) if each.id == cohost_id), None)
    if cohost is None:
        raise errors.NotFound
    if cohost.user_id != policy.user(ctx).id:
        policy.require_home(ctx, event)
    return event, cohost


def _item(cohost: Cohost) -> CohostItem:
    return CohostItem(
        id=cohost.id,
        user_name=cohost.user_name,
        name=cohost.name,
        email_address=cohost.email_address,
        created_at=timestamps.format_utc(cohost.created_at),
    )
