"""Erasing what is stored of a person outside their account, when they delete it."""

from collections.abc import Callable

from kalends.core.i18n import gettext
from kalends.core.records.people import User
from kalends.core.values.text import fold_case
from kalends.features.calendars import store as calendar_search
from kalends.features.changes import journal_store as journal
from kalends.features.comments import store as comments
from kalends.features.deliveries import batch_store as batches
from kalends.features.deliveries.store import mailbox
from kalends.features.events import store as events
from kalends.features.events.invitations.steps import cancellations as invitation_erasure
from kalends.features.responses import store as responses
from kalends.features.responses.steps.erase import erase as erase_response
from kalends.features.users import erasure_store as store
from kalends.http.context import Context

# How many rows are erased in one write.
BATCH = 100


def erase_written(ctx: Context, user: User) -> None:
    """Erase the comments and responses of the account, and of its address if that is verified, step by step."""
    own = store.OWN_OR_ADDRESSED if user.verified_at else store.OWN
    _each(ctx, user, "responses", own, lambda ids: _erase_responses(ctx, ids))
    _each(ctx, user, "comments", own, lambda ids: _erase_comments(ctx, ids))


def erase_address(ctx: Context, user: User, *, with_deleted_events: bool) -> None:
    """Erase the verified address of an account that is deleted, but for comments and responses, step by step. Anyone can type an
    address that is not verified, so nothing of that is touched."""
    if user.verified_at is None:
        return
    batches.queue_all(ctx)
    _each(ctx, user, "invitations", store.ADDRESSED, lambda ids: _erase_invitations(ctx, ids))
    for table, condition in store.BY_ADDRESS.items():
        _each(ctx, user, table, condition, lambda ids, table=table: store.delete(ctx, table, ids))  # type: ignore[misc]
    _erase_history(ctx, fold_case(user.email_address), with_deleted_events=with_deleted_events)


def erase_from_calendars(ctx: Context, user: User, calendar_ids: list[int]) -> None:
    """Erase the name of the account from the names of calendars that others keep, and their history."""
    for name in {user.user_name, user.name or user.user_name}:
        store.rename_calendars(ctx, calendar_ids, name, gettext("Calendar"))
    for calendar_id in calendar_ids:
        journal.erase_calendar(ctx, calendar_id)
        calendar_search.refresh(ctx, calendar_id=calendar_id)


def _each(ctx: Context, user: User, table: str, condition: str, write: Callable[[list[int]], None]) -> None:
    """Find the rows without a lock, and write them in batches, each in a transaction."""
    values: dict[str, int | str] = {"user_id": user.id, "key": fold_case(user.email_address), "mailbox": mailbox(user.email_address)}
    named = {name: value for name, value in values.items() if f":{name}" in condition}
    after, last = 0, 1
    while after < last:
        with ctx.read():
            ids, last = store.find_ids(ctx, table, condition, named, after)
        for start in range(0, len(ids), BATCH):
            with ctx.write():
                write(ids[start : start + BATCH])
            ctx.db.yield_to_other_writers()
        after += store.WINDOW


def _erase_responses(ctx: Context, ids: list[int]) -> None:
    for response in responses.find_by_ids(ctx, ids):
        event = events.get(ctx, response.event_id)
        erase_response(ctx, response, event, with_comments=True)


def _erase_comments(ctx: Context, ids: list[int]) -> None:
    for comment in comments.find_by_ids(ctx, ids):
        comments.erase(ctx, comment.id, comment.event_id)


def _erase_invitations(ctx: Context, ids: list[int]) -> None:
    for invitation, owner_id in store.find_invitations(ctx, ids):
        invitation_erasure.erase(ctx, invitation, owner_id)


def _erase_history(ctx: Context, address: str, *, with_deleted_events: bool) -> None:
    """Delete the changes whose content has the address; without with_deleted_events, not what comes back with an event in the trash."""
    after: int | None = 0
    while after is not None:
        with ctx.read():
            ids, after = journal.find_with_text(ctx, address, after, with_deleted_events=with_deleted_events)
        for start in range(0, len(ids), BATCH):
            with ctx.write():
                journal.delete_changes(ctx, ids[start : start + BATCH])
            ctx.db.yield_to_other_writers()
