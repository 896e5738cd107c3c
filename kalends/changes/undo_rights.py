"""What must hold before the changes of a request are undone: the actor's rights, and that nobody changed the records since."""

from kalends import errors, policy
from kalends.changes import history, present
from kalends.changes.history import ChangeRow
from kalends.changes.record import Record, Records
from kalends.context import Context
from kalends.errors import FieldError
from kalends.i18n import gettext
from kalends.policy import Right

# A conflict names this many fields.
MAX_CONFLICTS = 20


def require_rights(ctx: Context, records: Records) -> None:
    """Raise NotFound or Forbidden unless the actor may do all that the undo does."""
    rights: dict[int, Right] = {}
    for record in records.all:
        row = record.first
        if row.kind in ("calendar", "share", "invitation") or (row.kind in ("question", "reminder") and row.event_id is None):
            _require_calendar(ctx, record, records)
        elif row.kind == "contact":
            policy.require_own_record(ctx, row.owner_id)
        elif row.event_id is not None and ("event", row.event_id) not in records.deleted:
            is_own = row.kind in ("comment", "response", "answer") and policy.may_undo_own(ctx, row.owner_id, row.actor_id)
            if is_own and row.kind != "comment":
                policy.require_response_now(ctx, _find_response_id(ctx, record))
            rights[row.event_id] = rights.get(row.event_id, Right.SEE) if is_own else Right.EDIT
            if row.kind == "placement" and record.before and ("calendar", record.before["calendar_id"]) not in records.deleted:
                policy.require_restored_placement(ctx, record.before["calendar_id"])
    policy.require_undo_in_events(ctx, rights)
    for owner_id, calendar_id in {
        (each["owner_id"], each["calendar_id"]) for (kind, _), each in records.deleted.items() if kind == "event"
    }:
        if ("calendar", calendar_id) not in records.deleted:
            policy.require_restored_event(ctx, owner_id, calendar_id)
    if not rights and not records.deleted_ids("event"):
        # A series and its exceptions go with the events of the same request, if it changed any.
        for series_id in {record.first.record_id for record in records.all if record.kind in ("series", "exception")}:
            policy.require_whole_series(ctx, series_id)


def _find_response_id(ctx: Context, record: Record) -> int:
    """The id of the response, or of the one that the answer belongs to; 0 if it was deleted with the answer."""
    if record.kind == "response":
        return record.first.record_id
    if record.before:
        return int(record.before["response_id"])
    return int(ctx.tx.value("SELECT response_id FROM question_answers WHERE id = :id", id=record.first.record_id) or 0)


def _require_calendar(ctx: Context, record: Record, records: Records) -> None:
    calendar_id = record.first.calendar_id or record.first.record_id
    deleted = records.deleted.get(("calendar", calendar_id))
    if deleted:
        policy.require_own_record(ctx, deleted["owner_id"])
    else:
        policy.require_undo_in_calendar(ctx, calendar_id, creates=record.kind == "calendar" and record.before is None)


def require_undoable(records: Records) -> None:
    """Raise Conflict for what nobody may undo. Only those who have the rights learn of it."""
    if any(record.first.via == "moderation" for record in records.all):
        raise errors.Conflict(gettext("An administrator of this site did this, so it cannot be undone here."))
    # The other person may have left the calendar, or block its owner.
    whole = {key for key in (*records.deleted, *records.created) if key[0] == "calendar"}
    if any(each.kind in ("share", "invitation") and ("calendar", each.first.calendar_id) not in whole for each in records.all):
        raise errors.Conflict(gettext("Sharing cannot be undone. Share the calendar again, or stop sharing it."))


def require_empty(ctx: Context, records: Records) -> None:
    """Raise Conflict if events came to a calendar since the request created it: they would be deleted with it."""
    created = [record_id for kind, record_id in records.created if kind == "calendar"]
    rows = ctx.tx.rows(f"SELECT id FROM events WHERE calendar_id {ctx.db.in_list('ids')}", ids=created) if created else []
    if {("event", event_id) for (event_id,) in rows} - records.created:
        raise errors.Conflict(gettext("There are events on the calendar that came later. Delete the calendar instead."))


def require_unchanged(ctx: Context, records: Records) -> None:
    """Raise Conflict if another request changed one of the records since, or added to an event that would be deleted."""
    later = find_later(ctx, records)
    if later:
        detail = gettext("Someone changed this since, so it cannot be undone. Change it by hand instead.")
        raise errors.Conflict(detail, _conflicts(ctx, records.all, later))


def find_later(ctx: Context, records: Records) -> list[ChangeRow]:
    """Later changes of the records, and of what belongs to events that would be deleted, by other requests than this one."""
    keys = {(record.kind, record.first.record_id) for record in records.all}
    created = {record.key[0] for record in records.all if record.kind == "event" and record.before is None}
    rows = history.find_later(ctx, [record.first for record in records.all])
    return [row for row in rows if (row.kind, row.record_id) in keys or row.event_id in created]


def _conflicts(ctx: Context, records: list[Record], later: list[ChangeRow]) -> list[FieldError]:
    """Both versions of the fields that would change, or else the records that were changed since."""
    changed = {(row.kind, row.record_id) for row in later}
    conflicts: list[FieldError] = []
    for record in records:
        table = record.table
        if record.before is not None and table.told and (table.kind, record.first.record_id) in changed:
            fields = present.differences(table.kind, record.before, history.find_row(ctx, table, record.first.record_id))
            conflicts += [
                FieldError(each.field, gettext("was %(before)s, and is %(after)s now", before=each.before, after=each.after), "conflict")
                for each in fields
            ]
    others = [
        FieldError(f"{row.kind} {row.record_id}", gettext("was changed since, in change %(id)s", id=str(row.id)), "conflict")
        for row in later
    ]
    return (conflicts or others)[:MAX_CONFLICTS]
