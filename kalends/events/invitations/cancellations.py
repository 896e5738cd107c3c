"""What takes deleted events out of the calendars of those who were invited to them."""

from collections.abc import Set
from email.message import EmailMessage

from msgspec import Struct, structs

from kalends.context import Context
from kalends.events.invitations import addresses, calendar_part, store
from kalends.events.invitations.calendar_part import Formatted
from kalends.events.invitations.store import Target
from kalends.events.series import store as series_store
from kalends.records.event import Event
from kalends.records.invitation import Invitation
from kalends.values.text import fold_case


class _Deleted(Struct, frozen=True):
    """What guests were invited to, of which these events are deleted."""

    dates: list[Event]
    # The number that its next calendar must have.
    sequence: int
    # None of a series that loses its end: its rule is sent once it has been shortened.
    formatted: Formatted | None


def insert(ctx: Context, notice_id: int, recipients: Set[str], deleted: list[Event], scope: str) -> None:
    """Keep for each recipient of the notice what cancels the events, which are deleted next with their invitations."""
    if not addresses.takes_replies(ctx.settings):
        return
    keys, targets, rows = {fold_case(address) for address in recipients}, dict[Target, _Deleted](), list[dict[str, object]]()
    for invitation in store.find_of_events(ctx, deleted):
        if invitation.email_key in keys:
            target = store.target(invitation)
            if target not in targets:
                targets[target] = _format(ctx, target, deleted, scope)
            rows.append(_row(ctx, invitation, targets[target]) | {"notice_id": notice_id})
    ctx.tx.many("DELETE FROM cancellations WHERE notice_id = :notice_id AND email_key = :email_key AND event_id = :event_id", rows)
    ctx.tx.many(
        """INSERT INTO cancellations (notice_id, event_id, email_key, calendar, series_id)
           VALUES (:notice_id, :event_id, :email_key, :calendar, :series_id)""",
        rows,
    )


def add_parts(ctx: Context, message: EmailMessage, notice_id: int, address: str, deleted_ids: Set[int]) -> None:
    """Add to the notice what cancels those of its events that are deleted."""
    rows = ctx.tx.rows(
        "SELECT event_id, calendar, series_id FROM cancellations WHERE notice_id = :id AND email_key = :key ORDER BY id",
        id=notice_id,
        key=fold_case(address),
    )
    for event_id, calendar, series_id in rows:
        if event_id not in deleted_ids:
            continue
        if calendar is not None:
            calendar_part.add_part(message, calendar.encode(), "CANCEL")
        elif invitation := store.find(ctx, Target("series", series_id), address):
            calendar_part.add_request(ctx, message, invitation)


def _format(ctx: Context, target: Target, deleted: list[Event], scope: str) -> _Deleted:
    is_series = target.kind == "series"
    dates = [each for each in deleted if (each.series_id if is_series else each.id) == target.id]
    sequence = calendar_part.sequence_of(ctx, dates[0], is_series=is_series) + 1
    is_whole = not is_series or series_store.count_events(ctx, target.id) == len(dates)
    if not is_whole and scope == "following":
        return _Deleted(dates, sequence, None)
    return _Deleted(dates, sequence, calendar_part.format_target(ctx, target, dates[0], () if is_whole else dates))


def _row(ctx: Context, invitation: Invitation, deleted: _Deleted) -> dict[str, object]:
    event = deleted.dates[0]
    row: dict[str, object] = {"event_id": event.id, "email_key": invitation.email_key, "calendar": None, "series_id": None}
    if deleted.formatted is None:
        return row | {"series_id": invitation.series_id}
    last = structs.replace(invitation, sequence=max(deleted.sequence, invitation.sequence + 1))
    store.set_sequence(ctx, last)
    return row | {"calendar": calendar_part.build_for_guest(ctx, last, event, "CANCEL", deleted.formatted).decode()}
