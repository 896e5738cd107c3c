"""Undo the changes of one request: every row is put back as it was, unless someone changed it since."""

from collections import defaultdict
from typing import Any

from msgspec import Struct

from kalends import policy
from kalends.core import errors
from kalends.core.errors import Problem, Unavailable
from kalends.core.i18n import gettext
from kalends.core.log import get_logger
from kalends.core.records.change import ChangeRow
from kalends.core.records.event import Event
from kalends.core.records.response_settings import DEFAULTS, NAMES, ResponseSettings
from kalends.features.calendars import sharing_store as sharing
from kalends.features.changes import history_store as history
from kalends.features.changes import row_store as restored_rows
from kalends.features.changes import running_undo_store as running_undos
from kalends.features.changes.rules import undo_order
from kalends.features.changes.rules.record import Content, Record, Records, is_restored_here
from kalends.features.changes.rules.tables import BY_KIND, TABLES
from kalends.features.changes.rules.undo_order import Unit
from kalends.features.changes.running_undo_store import RunningUndo
from kalends.features.changes.steps import undo_checks
from kalends.features.deliveries.model import Notified
from kalends.features.events import deleted_event_store as deleted_events
from kalends.features.events import response_settings_store
from kalends.features.events import store as events
from kalends.features.events.placements import grant_store as grants
from kalends.features.events.steps import response_settings
from kalends.features.events.steps.notify import notify_of_changes, notify_of_restore
from kalends.features.questions.steps import response_answers
from kalends.features.responses import store as responses
from kalends.features.responses.steps import seats
from kalends.features.users import store as users
from kalends.http.context import Actor, Context

log = get_logger(__name__)

# A request that changed more records is not undone: to read its changes takes too much memory.
MAX_CHANGES = 100_000
# Of an invitation whose mail was dropped when the event was deleted.
UNSENT = "The event was deleted before it was sent. Send it again."


class Undone(Struct, frozen=True):
    """The records that an undo put back, those that it left because someone changed them while it ran, and how many guests get mail by
    each of its steps."""

    records: list[Record]
    left: list[Record]
    notified: list[Notified]


def undo(ctx: Context, change: ChangeRow, notify: str, message: str | None) -> Undone:
    """Undo the request that made this change: in one transaction or, if it concerns many records, in several."""
    with ctx.read():
        records = _load(ctx, change.set_id)
        steps = undo_order.split(records)
        running = running_undos.find(ctx, change.set_id) if len(steps) > 1 else None
        if len(steps) > 1 and running is None:
            _check(ctx, records)
            restored_rows.check_quotas(ctx, records)
        elif running and running.actor_id != policy.user(ctx).id:
            undo_checks.require_rights(ctx, records)
            raise errors.Conflict(gettext("Someone else undoes this at the same time. Look again in a minute."))
    if len(steps) == 1:
        with ctx.write():
            return Undone(_listed(records), [], [_undo_at_once(ctx, records, change.at, notify, message)])
    if ctx.is_dry_run:
        raise errors.Conflict(
            gettext("This request changed so much that it is undone in several steps. A dry run of them would make everybody else wait.")
        )
    begun = RunningUndo(change.set_id, ctx.author().set_id, policy.user(ctx).id, notify, message)
    return _undo_in_steps(ctx, running or begun, steps, change.at)


def finish_interrupted(ctx: Context) -> None:
    """Finish the undos that a server began before it was stopped."""
    with ctx.read():
        interrupted = running_undos.find_interrupted(ctx)
    for undo in interrupted:
        of_actor = Context(ctx.db, ctx.settings, ctx.now)
        try:
            with of_actor.read():
                user = users.get(of_actor, undo.actor_id)
                of_actor.actor = Actor(user.id, user.user_name, user.email_address, user.name, user.time_zone, verified_at=user.verified_at)
                records = _load(of_actor, undo.set_id)
            _undo_in_steps(of_actor, undo, undo_order.split(records), records.all[0].first.at)
        except Unavailable:
            raise
        except Problem as problem:
            log.warning("undo_stopped", set_id=undo.set_id, detail=str(problem))
            with of_actor.write():
                running_undos.delete(of_actor, undo)


def _load(ctx: Context, set_id: int) -> Records:
    """The records of the request, which the actor may undo. Raises Conflict if nobody may."""
    rows = history.find_set(ctx, set_id, MAX_CHANGES + 1)
    is_too_large = len(rows) > MAX_CHANGES
    deleted = {row.record_id for row in rows if row.kind == "event" and row.op == "delete"}
    # A guest's calendar follows the invitation, which is not undone; it gets back an event that was deleted.
    rows = [row for row in rows if row.event_id in deleted or not _is_by_invitation(row)]
    if not rows:
        raise errors.NotFound
    records = Records.of_changes(rows)
    if is_too_large:
        undo_checks.require_rights(ctx, records)
        raise errors.Conflict(
            gettext(
                "This request changed more than %(max)s records, which is too many to undo at once. Change them by hand instead.",
                max=MAX_CHANGES,
            )
        )
    return records


def _is_by_invitation(row: ChangeRow) -> bool:
    return row.kind == "placement" and bool(row.content.get("by_invitation"))


def _listed(records: Records) -> list[Record]:
    return [record for record in records.all if not _is_by_invitation(record.first)]


def _check(ctx: Context, records: Records) -> None:
    """Raise an error unless the actor may undo all of it, and nobody changed it since."""
    undo_checks.require_rights(ctx, records)
    undo_checks.require_undoable(records)
    if running_undos.is_running(ctx, records.all[0].first.set_id):
        raise errors.Conflict(gettext("This is still being undone. Try again in a minute."))
    undo_checks.require_unchanged(ctx, records)
    undo_checks.require_empty(ctx, records)
    undo_checks.require_free_uids(ctx, records)
    undo_checks.require_uninvited(ctx, records)


def _undo_at_once(ctx: Context, records: Records, since: int, notify: str, message: str | None) -> Notified:
    """Undo all changes of the request in the open transaction. An event that this deletes has no guests: they would be later changes."""
    undo_checks.lock_uids(ctx, records)
    _lock(ctx, records)
    _check(ctx, records)
    return _put_back(ctx, records, since, notify, message)


def _undo_in_steps(ctx: Context, undo: RunningUndo, steps: list[Records], since: int) -> Undone:
    """Do the steps of the undo that are not done yet. What someone changes meanwhile is left as it is, since their change is newer.

    If it is interrupted, the worker goes on with it, and so does its author by sending it again."""
    ctx.continue_set(undo.undo_set_id)
    undone = Undone([], [], [])
    for i, records in enumerate(steps, start=1):
        try:
            with ctx.write(alone=True, is_last=i == len(steps)):
                if i == 1:
                    running_undos.insert(ctx, undo)
                if not running_undos.lock(ctx, undo):
                    raise errors.Conflict(gettext("Someone else undoes this at the same time. Look again in a minute."))
                changed = _do_step(ctx, undo, records, since, undone.notified)
                if i == len(steps):
                    running_undos.delete(ctx, undo)
        except (errors.NotFound, errors.Forbidden, errors.Conflict) as problem:
            if i == 1:
                raise
            _stop(ctx, undo, problem)
        for record in _listed(records):
            (undone.left if undo_order.unit_of(record) in changed else undone.records).append(record)
        if i < len(steps):
            ctx.db.yield_to_other_writers()
    return undone


def _do_step(ctx: Context, undo: RunningUndo, records: Records, since: int, notified: list[Notified]) -> set[Unit]:
    """Put back the records of a step, unless that was done before; returns which of them someone has changed meanwhile."""
    undo_checks.lock_uids(ctx, records)
    _lock(ctx, records)
    later = undo_checks.find_later(ctx, records)
    changed = {undo_order.unit_of_change(row) for row in later if row.set_id != undo.undo_set_id}
    done = {undo_order.unit_of_change(row) for row in later if row.set_id == undo.undo_set_id}
    records = Records([record for record in records.all if undo_order.unit_of(record) not in changed | done])
    undo_checks.require_rights(ctx, records)
    undo_checks.require_empty(ctx, records)
    undo_checks.require_free_uids(ctx, records)
    notified.append(_put_back(ctx, records, since, undo.notify, undo.message))
    return changed - done


def _stop(ctx: Context, undo: RunningUndo, problem: Problem) -> None:
    """End an undo of which a part is done already."""
    with ctx.write():
        running_undos.delete(ctx, undo)
    raise errors.Conflict(
        gettext(
            "This stopped halfway: %(reason)s What was undone until then stays so, and can be undone itself.",
            reason=problem.detail or type(problem).__name__,
        )
    ) from problem


def _put_back(ctx: Context, records: Records, since: int, notify: str, message: str | None) -> Notified:
    """Put the records back, with all that follows from them; returns how many guests get mail."""
    changed = [record.key[0] for record in records.all if record.kind == "event" and record.is_there and record.before]
    events_before = events.find_by_ids(ctx, changed) if notify != "none" else []
    restored_rows.restore(ctx, records)
    deleted_events.forget(ctx, records.deleted_ids("event"))
    grants.revoke_for(ctx, records.deleted_ids("event"))
    sharing.end_blocked(ctx, records.deleted_ids("calendar"))
    _restore_seats(ctx, records)
    invitations = [record.key[0] for record in records.all if record.kind == "event_invitation"]
    restored_rows.renew_invitations(ctx, invitations, UNSENT)
    response_answers.drop_beyond_limits(ctx, _restored_answers(records))
    if notify == "none":
        return Notified()
    events_restored = events.find_by_ids(ctx, records.deleted_ids("event"))
    return add_up(
        [
            notify_of_changes(ctx, events_before, notify, message, since=since),
            notify_of_restore(ctx, events_restored, notify, message),
        ]
    )


def add_up(notified: list[Notified]) -> Notified:
    """How many guests get mail together."""
    return Notified(*(sum(getattr(each, name) for each in notified) for name in Notified.__struct_fields__))


def _restored_answers(records: Records) -> dict[int, list[int]]:
    """The answers that the undo has put back, by event."""
    ids: dict[int, list[int]] = {}
    for record in records.all:
        if record.kind == "answer" and record.before is not None:
            ids.setdefault(record.before["event_id"], []).append(record.key[0])
    return ids


def _lock(ctx: Context, records: Records) -> None:
    """Wait for requests that change one of the records, so that their changes are seen; none can change them until this one ends."""
    events.lock(ctx, sorted({record.first.event_id for record in records.all if record.first.event_id is not None}))
    for table in TABLES:
        ids = sorted(record.key[0] for record in records.of(table) if record.is_there)
        if ids and table.key == ("id",):
            restored_rows.lock(ctx, table, ids)


def _restore_seats(ctx: Context, records: Records) -> None:
    """Restore the settings, then let the restored responses ask for seats, and give those that are free to the queue."""
    by_event: dict[int, list[Record]] = defaultdict(list)
    for record in records.all:
        if record.kind in ("event", "settings", "response") and record.first.event_id is not None:
            by_event[record.first.event_id].append(record)
    for event in events.find_by_ids(ctx, sorted(by_event)):
        settings = [record for record in by_event[event.id] if is_restored_here(record, records)]
        for record in settings:
            response_settings.apply(ctx, event, _decode_settings(record.before))
            response_settings_store.mark_changed(ctx, event.id)
        _claim_seats(ctx, events.get(ctx, event.id) if settings else event, by_event[event.id], records)


def _claim_seats(ctx: Context, event: Event, of_event: list[Record], records: Records) -> None:
    if event.settings.capacity is None:
        return
    if ("event", event.id) not in records.deleted:
        ids = [record.key[0] for record in of_event if record.kind == "response" and record.before]
        seats.claim_restored(ctx, event, sorted(responses.find_by_ids(ctx, ids), key=lambda response: response.id))
    seats.assign_free_seats(ctx, event.id)


def _decode_settings(before: Content | None) -> ResponseSettings:
    if before is None:
        return DEFAULTS
    flags = BY_KIND["settings"].flags
    values: dict[str, Any] = {name: bool(before[name]) if name in flags else before[name] for name in NAMES}
    return ResponseSettings(**values)
