"""Deleting an account with all that belongs to it alone."""

from kalends import policy
from kalends.core.records.people import User
from kalends.features.admin.audit import store as audit
from kalends.features.calendars import ownership_steps as ownership
from kalends.features.calendars import ownership_store
from kalends.features.calendars.ownership_store import Bequest
from kalends.features.changes import journal_store as journal
from kalends.features.contacts import store as contacts
from kalends.features.deliveries import batch_store as batches
from kalends.features.deliveries import language_store as languages
from kalends.features.users import store
from kalends.features.users.steps import erasure, farewell
from kalends.features.users.steps.trash import Trash
from kalends.http.context import Context


def preview(ctx: Context, user: User, *, give_to: int | None = None) -> list[Bequest]:
    """The calendars that the deletion of the account would hand over or delete. Raises Conflict for the last administrator."""
    with ctx.write():
        policy.require_other_admin(ctx, user)
        return ownership_store.find_bequests(ctx, user.id, give_to)


def delete_account(ctx: Context, user: User, *, erase: bool = False, give_to: int | None = None) -> list[Bequest]:
    """Delete the account, and with it its contacts, keys and sessions, in several transactions.

    A calendar that others edit goes to the longest-serving manager, else editor, with all that is on it; give_to: all calendars go to
    this user. The other calendars go to the trash, from which an admin can give them to somebody else; nothing there has the name or the
    address of the account. Events on calendars of others go to the owners of these. If it is interrupted, the account has fewer events and
    contacts, and can be deleted again. Comments and responses to other people's events stay with those events, without the link to the
    account, and nothing else that has its verified address; erase: they go, too. Guests of coming events and followers of calendars that
    are deleted are notified if the person deletes the account, who gets a last mail. Returns its calendars with their new owners.
    Raises Conflict for the last administrator."""
    with ctx.write():
        policy.require_other_admin(ctx, user)
    if erase:
        erasure.erase_written(ctx, user)
    if policy.me(ctx) == user.id:
        farewell.notify(ctx, user.id)
    trash = Trash(user)
    _prepare(ctx, user.id, give_to, trash)
    contacts.delete_all_in_batches(ctx, user.id)
    journal.erase_owner_in_batches(ctx, user.id, trash.set_ids)
    with ctx.write():
        current = store.lock(ctx, user)
        policy.require_other_admin(ctx, current)
        if give_to:
            store.get(ctx, give_to)
        bequests = ownership_store.lock_bequests(ctx, user.id, give_to)
        # First: an event that is on two calendars of the account stays on the one that is handed over.
        trash.put(ctx, [each.calendar_id for each in bequests if each.user_id is None])
        ownership.hand_over_all(ctx, user.id, bequests)
        if erase:
            erasure.erase_from_calendars(ctx, user, [each.calendar_id for each in bequests if each.user_id is not None])
        store.delete(ctx, current.id, trash.set_ids)
        journal.erase_own(ctx, user.id, with_deleted_events=erase)
        languages.delete(ctx, user.email_address)
        if ctx.actor is None or ctx.actor.id != user.id:
            audit.record(ctx, "account_deleted", "account", user.id)
    erasure.erase_address(ctx, user, with_deleted_events=erase)
    trash.clean(ctx)
    if ctx.actor and ctx.actor.id == user.id:
        with ctx.write():
            farewell.notify_person(ctx, user)
    return bequests


def _prepare(ctx: Context, user_id: int, give_to: int | None, trash: Trash) -> None:
    """Delete and hand over most events of the account, in transactions that let others write in between."""
    batches.queue_all(ctx)
    with ctx.read():
        bequests = ownership_store.find_bequests(ctx, user_id, give_to)
        others = ownership_store.find_others_with_events(ctx, user_id)
    for bequest in bequests:
        if bequest.user_id is None:
            trash.put_most_events(ctx, bequest.calendar_id)
    given = [(each.calendar_id, each.user_id) for each in bequests if each.user_id is not None]
    for calendar_id, owner_id in given + others:
        ownership.hand_over_events(ctx, calendar_id, user_id, owner_id)
