"""Hand over a calendar with all that is on it: its id, its feed and the links of its guests stay as they are."""

from kalends.features.calendars import former_editor_store as former_editors
from kalends.features.calendars import ownership_store as store
from kalends.features.calendars import sharing_store as sharing
from kalends.features.events import store as events
from kalends.features.events.placements import grant_store as grants
from kalends.features.events.placements import store as placements
from kalends.features.users import store as users
from kalends.http.context import Context


def hand_over_events(ctx: Context, calendar_id: int, former_id: int, owner_id: int) -> None:
    """Make the events that the former owner created on the calendar those of the new one, in several transactions, so that others can
    write in between."""
    with ctx.read():
        if not former_editors.find_created(ctx, calendar_id, former_id):
            return
    hand_over_rest(ctx, calendar_id, former_id, owner_id)


def hand_over_rest(ctx: Context, calendar_id: int, former_id: int, owner_id: int) -> None:
    """The same, with what was deleted from the calendar and its new owner may restore."""
    ctx.via = "transfer"
    while True:
        with ctx.write(alone=True, is_last=False):
            is_last = _hand_over_batch(ctx, calendar_id, former_id, owner_id)
        if is_last:
            return
        ctx.db.yield_to_other_writers()


def hand_over(ctx: Context, calendar_id: int, former_id: int, owner_id: int) -> None:
    """Make the calendar that of the new owner, with the events that are left of hand_over_events()."""
    ctx.via = "transfer"
    ctx.tx.advisory_lock(f"calendar {calendar_id}")
    while not _hand_over_batch(ctx, calendar_id, former_id, owner_id):
        pass
    grants.pass_on(ctx, calendar_id, former_id, owner_id)
    _set_owner(ctx, calendar_id, former_id, owner_id)
    _end_shares(ctx, calendar_id, owner_id)
    placements.remove_all_invited(ctx, calendar_id)


def hand_over_to(ctx: Context, calendar_id: int, former_id: int, owner_id: int) -> None:
    """Make the calendar that of the new owner; the former one, who stays as a manager, keeps what is there as they are invited. Their
    events are handed over afterwards, in hand_over_rest(). What they have granted others lasts as long as they manage the calendar."""
    ctx.via = "transfer"
    placements.move_all_invited(ctx, calendar_id, users.primary_calendar_id(ctx, former_id))
    _set_owner(ctx, calendar_id, former_id, owner_id)
    sharing.invite_user(ctx, calendar_id, former_id, "manager")
    _end_shares(ctx, calendar_id, owner_id)


def cause(calendar_id: int, offer_id: int) -> str:
    """What the mail about an offer is sent for."""
    return f"ownership:{calendar_id}:{offer_id}"


def _set_owner(ctx: Context, calendar_id: int, former_id: int, owner_id: int) -> None:
    store.set_owner(ctx, calendar_id, owner_id)
    store.pass_on_sources(ctx, calendar_id, former_id, owner_id)


def _end_shares(ctx: Context, calendar_id: int, owner_id: int) -> None:
    """End what the new owner of the calendar makes void: a share with them, and shares with people who block them."""
    sharing.end_own(ctx, calendar_id, owner_id)
    sharing.decline_blocked(ctx, calendar_id)


def hand_over_all(ctx: Context, former_id: int, bequests: list[store.Bequest]) -> None:
    """Before an account is deleted: hand over its calendars that others edit, and its events on calendars of others."""
    for bequest in bequests:
        if bequest.user_id is not None:
            hand_over(ctx, bequest.calendar_id, former_id, bequest.user_id)
    for calendar_id, owner_id in store.find_others_with_events(ctx, former_id):
        while not _hand_over_batch(ctx, calendar_id, former_id, owner_id):
            pass


def _hand_over_batch(ctx: Context, calendar_id: int, former_id: int, owner_id: int) -> bool:
    """Change a batch of records; returns whether it was the last one."""
    ids = former_editors.find_created(ctx, calendar_id, former_id)
    events.set_owner(ctx, ids, owner_id)
    store.set_sender(ctx, ids, former_id, owner_id)
    return max(store.pass_on_deleted(ctx, calendar_id, former_id, owner_id), len(ids)) < store.BATCH
