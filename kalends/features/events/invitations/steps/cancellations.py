"""What takes deleted events out of the calendars of those who were invited to them."""

from collections.abc import Set
from email.message import EmailMessage

from msgspec import Struct, structs

from kalends.core.records.event import Event
from kalends.core.records.response import Invitation
from kalends.core.values.text import fold_case
from kalends.features.events import change_notice_store as notices
from kalends.features.events.invitations import store
from kalends.features.events.invitations.steps import calendar_part, invite
from kalends.features.events.invitations.steps.calendar_part import Formatted
from kalends.features.events.invitations.store import Target
from kalends.features.events.series import store as series_store
from kalends.features.subscribers import store as subscribers
from kalends.http.context import Context


class _Deleted(Struct, frozen=True):
    """What guests were invited to, of which these events are deleted."""

    dates: list[Event]
    # The number that its next calendar must have.
    sequence: int
    # None of a series that loses its end: its rule is sent once it has been shortened.
    formatted: Formatted | None


def insert(ctx: Context, notice_id: int, recipients: Set[str], deleted: list[Event], scope: str) -> None:
    """Keep for each recipient of the notice what cancels the events, which are deleted next with their invitations."""
    keys, targets, rows = {fold_case(address) for address in recipients}, dict[Target, _Deleted](), list[dict[str, object]]()
    for invitation in store.find_of_events(ctx, deleted):
        if invitation.email_key in keys:
            target = store.target(invitation)
            if target not in targets:
                targets[target] = _format(ctx, target, deleted, scope)
            rows.append(_row(ctx, invitation, targets[target]) | {"notice_id": notice_id})
    notices.replace_cancellations(ctx, rows)


def add_parts(ctx: Context, message: EmailMessage, notice_id: int, address: str, deleted_ids: Set[int]) -> None:
    """Add to the notice what cancels those of its events that are deleted."""
    for event_id, calendar, series_id in notices.find_cancellations(ctx, notice_id, fold_case(address)):
        if event_id not in deleted_ids:
            continue
        if calendar is not None:
            calendar_part.add_part(message, calendar.encode(), "CANCEL")
        elif series_id is not None and (invitation := store.find(ctx, Target("series", series_id), address)):
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


def erase_of_address(ctx: Context, event: Event, address: str) -> None:
    """Erase the invitations of the address to the event and to its series; a hash stays, so that the organiser cannot invite it again."""
    for invitation in store.find_of_address(ctx, event, address):
        erase(ctx, invitation, event.owner_id)


def erase(ctx: Context, invitation: Invitation, owner_id: int) -> None:
    """Take the invitation back and erase whose it was."""
    subscribers.suppress(ctx, owner_id, "invitation", invitation.address)
    if invitation.state != "withdrawn":
        invite.remove(ctx, invitation)
    store.erase(ctx, invitation)
