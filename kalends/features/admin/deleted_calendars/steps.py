"""Give the calendar of a deleted account to somebody else, or erase it, in transactions that let others write in between."""

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.calendar import DeletedCalendar
from kalends.core.records.people import User
from kalends.features.admin.audit import store as audit
from kalends.features.admin.deleted_calendars import store
from kalends.features.calendars import ownership_store as ownership
from kalends.features.changes import trash_store as trash
from kalends.features.changes.steps.undo import undo
from kalends.features.deliveries import store as deliveries
from kalends.features.users import store as users
from kalends.http.context import Actor, Context
from kalends.policy import quotas


def give(ctx: Context, calendar_id: int, user_name: str) -> User:
    """Undo the deletion of the calendar in the name of its new owner, who is returned. If it is interrupted, it can be done again."""
    with ctx.read():
        admin, calendar = policy.admin(ctx), policy.deleted_calendar(ctx, calendar_id)
        recipient = _load_recipient(ctx, user_name)
        quotas.check(ctx, recipient.id, "calendars", 1, 0)
        deletion = trash.find_deletion(ctx, calendar.set_id)
        is_restored = ownership.find_name(ctx, calendar_id) is not None
    if deletion is None or is_restored:
        # The server was stopped when it had restored the calendar, or the history does not go back so far.
        with ctx.write():
            store.delete(ctx, calendar_id)
        raise errors.NotFound
    _give_to(ctx, calendar, recipient.id)
    own = ctx.actor
    ctx.actor = Actor(recipient.id, recipient.user_name, recipient.email_address, recipient.name, recipient.time_zone)
    try:
        undo(ctx, deletion, "none", None)
    except errors.Problem:
        _give_to(ctx, calendar, calendar.owner_id)
        raise
    finally:
        ctx.actor = own
    with ctx.write():
        store.delete(ctx, calendar_id)
        audit.record(ctx, "calendar_given", "account", recipient.id)
        if recipient.id != admin.id:
            sender = users.get(ctx, admin.id)
            deliveries.insert_notice(ctx, sender, "calendar_given", address=recipient.email_address, cause=f"calendar:{calendar_id}")
    return recipient


def erase(ctx: Context, calendar_id: int) -> None:
    """Delete what was on the calendar from the history."""
    with ctx.read():
        calendar = policy.deleted_calendar(ctx, calendar_id)
    more = True
    while more:
        with ctx.write(alone=True, is_last=False):
            more = trash.erase_batch(ctx, calendar.set_id)
        ctx.db.yield_to_other_writers()


def _load_recipient(ctx: Context, user_name: str) -> User:
    found = users.find(ctx, user_name)
    if found is None or found.status != "active":
        raise errors.invalid("user_name", gettext("must be someone with an active account"), "not_found")
    return found


def _give_to(ctx: Context, calendar: DeletedCalendar, user_id: int) -> None:
    more = True
    while more:
        with ctx.write(alone=True, is_last=False):
            more = trash.give_batch(ctx, calendar.set_id, user_id)
        ctx.db.yield_to_other_writers()
