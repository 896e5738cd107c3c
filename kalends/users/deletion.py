"""Deleting an account with all that belongs to it."""

from kalends.audit import store as audit
from kalends.calendars import former_editor
from kalends.calendars import store as calendars
from kalends.contacts import store as contacts
from kalends.context import Context
from kalends.deliveries import languages
from kalends.journal import store as journal
from kalends.records.user import User
from kalends.users import erasure, store


def delete_account(ctx: Context, user: User, *, erase: bool = False) -> None:
    """Delete the account, and with it its calendars, events, contacts, keys and sessions, in several transactions.

    If it is interrupted, the account has fewer events and contacts, and can be deleted again. Events on calendars of others that the user
    edits no longer belong to the owners of these. Comments and responses to other people's events stay with those events, without the
    link to the account, and nothing else that has its verified address; erase: they go, too."""
    if erase:
        erasure.erase_written(ctx, user)
    calendars.empty_all_in_batches(ctx, user.id)
    former_editor.take_over_all(ctx, user.id)
    contacts.delete_all_in_batches(ctx, user.id)
    journal.erase_owner_in_batches(ctx, user.id)
    with ctx.write():
        store.delete(ctx, store.lock(ctx, user).id)
        journal.erase_own(ctx, user.id, with_deleted_events=erase)
        languages.delete(ctx, user.email_address)
        if ctx.actor is None or ctx.actor.id != user.id:
            audit.record(ctx, "account_deleted", "account", user.id)
    erasure.erase_address(ctx, user, with_deleted_events=erase)
