"""What must hold before the changes of a request are undone: the actor's rights, and that nobody changed the records since, took a UID
or invited people."""

from kalends import policy
from kalends.core import errors
from kalends.core.errors import FieldError
from kalends.core.i18n import gettext
from kalends.core.records.change import ChangeRow
from kalends.features.changes import history_store as history
from kalends.features.changes import present
from kalends.features.changes import row_store as rows
from kalends.features.changes.rules.record import Record, Records
from kalends.features.events import uid_store as by_uid
from kalends.http.context import Context
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
            if row.kind == "cohost":
                policy.require_home_of(ctx, row.event_id)
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
    return rows.find_response_id(ctx, record.first.record_id)


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
        raise errors.Conflict(gettext("An administrator of this site did this, so it can’t be undone here."))
    if any(record.first.via == "transfer" for record in records.all):
        raise errors.Conflict(gettext("A change of owner can’t be undone."))
    # The other person may have left the calendar, or block its owner.
    whole = {key for key in (*records.deleted, *records.created) if key[0] == "calendar"}
    if any(each.kind in ("share", "invitation") and ("calendar", each.first.calendar_id) not in whole for each in records.all):
        raise errors.Conflict(gettext("Sharing can’t be undone. Share the calendar again, or stop sharing it."))


def require_empty(ctx: Context, records: Records) -> None:
    """Raise Conflict if events came to a calendar since the request created it: they would be deleted with it. Those that it moved there
    move back."""
    created = {record_id for kind, record_id in records.created if kind == "calendar"}
    gone = {
        record.key[0]
        for record in records.all
        if record.kind == "event" and (record.before is None or record.before["calendar_id"] not in created)
    }
    if rows.find_event_ids(ctx, sorted(created)) - gone:
        raise errors.Conflict(
            gettext("Other events are on the new calendar now, so this can’t be undone. Move them to another calendar first.")
        )


def lock_uids(ctx: Context, records: Records) -> None:
    """Let nobody else take one of the UIDs of deleted events until the transaction ends. As in imports, this comes before the events are
    locked."""
    for calendar_id in sorted({calendar_id for calendar_id, _ in _find_names(records)}):
        by_uid.lock(ctx, calendar_id)


def require_free_uids(ctx: Context, records: Records) -> None:
    """Raise Conflict if the UID of a deleted event or series is taken: a calendar has each UID once."""
    own_ids = {record.key[0] for record in records.all if record.kind == "event"}
    names = _find_names(records)
    for calendar_id in sorted({calendar_id for calendar_id, _ in names}):
        if by_uid.find_taken(ctx, calendar_id, [uid for each, uid in names if each == calendar_id]) - own_ids:
            raise errors.Conflict(
                gettext(
                    "Another event on this calendar has the same uid as one this would restore. Delete that event, then "
                    "undo this. Nothing was changed."
                )
            )


def _find_names(records: Records) -> set[tuple[int, str]]:
    """The home calendar and the UID of each event that was deleted, or of its series if that was deleted with it."""
    names = set()
    for (kind, _), content in records.deleted.items():
        if kind == "event" and ("calendar", content["calendar_id"]) not in records.deleted:
            named = content if content["series_id"] is None else records.deleted.get(("series", content["series_id"]), {})
            if named.get("uid"):
                names.add((content["calendar_id"], named["uid"]))
    return names


def require_uninvited(ctx: Context, records: Records) -> None:
    """Raise Conflict if people were invited to what would be deleted. A series that was split from another has its guests from there."""
    events = [record.key[0] for record in records.all if record.kind == "event" and record.before is None]
    series = [record for record in records.all if record.kind == "series"]
    created = [record.key[0] for record in series] if all(record.before is None for record in series) else []
    if rows.has_invitations(ctx, events, created):
        raise errors.Conflict(gettext("People have been invited to it, so it can’t be undone. Delete it instead, so that they’re told."))


def require_unchanged(ctx: Context, records: Records) -> None:
    """Raise Conflict if another request changed one of the records since, or added to an event that would be deleted."""
    later = find_later(ctx, records)
    if later:
        detail = gettext("Someone has changed this since, so it can’t be undone. Change it by hand instead.")
        if {row.actor_id for row in later} == {policy.user(ctx).id}:
            detail = gettext("You’ve changed this since, so it can’t be undone. Change it by hand instead.")
        raise errors.Conflict(detail, _conflicts(ctx, records.all, later))


def find_later(ctx: Context, records: Records) -> list[ChangeRow]:
    """Later changes of the records, and of what belongs to events that would be deleted, by other requests than this one."""
    keys = {(record.kind, record.first.record_id) for record in records.all}
    created = {record.key[0] for record in records.all if record.kind == "event" and record.before is None}
    later = history.find_later(ctx, [record.first for record in records.all])
    return [row for row in later if (row.kind, row.record_id) in keys or row.event_id in created]


def _conflicts(ctx: Context, records: list[Record], later: list[ChangeRow]) -> list[FieldError]:
    """Both versions of the fields that would change, or else the records that were changed since."""
    changed = {(row.kind, row.record_id) for row in later}
    conflicts: list[FieldError] = []
    for record in records:
        table = record.table
        if record.before is not None and table.shown_columns and (table.kind, record.first.record_id) in changed:
            fields = present.differences(table.kind, record.before, history.find_row(ctx, table, record.first.record_id))
            conflicts += [
                FieldError(each.field, gettext("was %(before)s and is now %(after)s", before=each.before, after=each.after), "conflict")
                for each in fields
            ]
    others = [
        FieldError(f"{row.kind} {row.record_id}", gettext("has since been changed, in change %(id)s", id=str(row.id)), "conflict")
        for row in later
    ]
    return (conflicts or others)[:MAX_CONFLICTS]
