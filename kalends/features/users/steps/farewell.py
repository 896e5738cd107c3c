"""Mail to the guests of coming events, and to the followers of calendars, that are deleted with an account, and to its person."""

from itertools import islice

from kalends.core.records.people import User
from kalends.features.calendars import ownership_store
from kalends.features.deliveries import batch_store as batches
from kalends.features.deliveries import store as deliveries
from kalends.features.events import store as events
from kalends.features.events.steps.notify import notify_of_deletion
from kalends.features.users import erasure_store as store
from kalends.features.users import store as users
from kalends.http.context import Context


def notify(ctx: Context, user_id: int) -> None:
    """Queue the mail, in transactions that let others write in between. An admin of the site stands for the account, which is gone when it
    is sent; where there is none, nobody is notified."""
    with ctx.read():
        admins = [each for each in users.find_admins(ctx) if each.id != user_id]
        calendar_ids = [each.calendar_id for each in ownership_store.find_bequests(ctx, user_id, None) if each.user_id is None]
    if not admins:
        return
    for calendar_id in calendar_ids:
        _notify_followers(ctx, calendar_id, user_id, admins[0])
        _notify_guests(ctx, calendar_id)
    batches.queue_all(ctx)
    while True:
        with ctx.write(alone=True, is_last=False):
            more = store.pass_on_messages(ctx, user_id, admins[0].id)
        if not more:
            return
        ctx.db.yield_to_other_writers()


def notify_person(ctx: Context, user: User) -> None:
    """Queue the last mail to the address of an account that is gone, if it was verified: else it may be somebody else's."""
    admins = users.find_admins(ctx)
    if user.verified_at is not None and admins:
        deliveries.insert_notice(ctx, admins[0], "account_deleted", address=user.email_address)


def _notify_followers(ctx: Context, calendar_id: int, user_id: int, admin: User) -> None:
    with ctx.read():
        addresses = {deliveries.mailbox(address): address for address in ownership_store.find_followers(ctx, calendar_id, user_id)}
    remaining = iter(addresses.values())
    while some := list(islice(remaining, store.MESSAGES_AT_ONCE)):
        with ctx.write(alone=True, is_last=False):
            for address in some:
                deliveries.insert_notice(ctx, admin, "calendar_deleted", address=address, cause=f"calendar:{calendar_id}")
        ctx.db.yield_to_other_writers()


def _notify_guests(ctx: Context, calendar_id: int) -> None:
    after = 0
    while True:
        with ctx.read():
            ids = store.find_coming_events(ctx, calendar_id, after)
        if not ids:
            return
        with ctx.write(alone=True, is_last=False):
            notify_of_deletion(ctx, events.find_by_ids(ctx, ids), "this", "auto", None)
        after = ids[-1]
        ctx.db.yield_to_other_writers()
