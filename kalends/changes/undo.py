"""Undo the changes of one request: every row is put back as it was, unless someone changed it since."""

from msgspec import UNSET, UnsetType

from kalends import errors, policy, quotas
from kalends.calendars import search as calendar_search
from kalends.calendars import sharing
from kalends.changes import history, present, references, restored_invitations, restored_seats, restored_uids
from kalends.changes.history import ChangeRow
from kalends.changes.record import Content, Record, Records
from kalends.changes.tables import TABLES, Table
from kalends.contacts import store as contacts
from kalends.context import Context
from kalends.db import UniqueViolation
from kalends.deliveries.model import Told
from kalends.errors import FieldError
from kalends.events import deleted_events, telling
from kalends.events import store as events
from kalends.events.placements import store as placements
from kalends.i18n import gettext
from kalends.policy import Right
from kalends.questions import response_answers

# Changes of one request beyond this number would take long, while all other writes wait.
MAX_CHANGES = 20_000
# A conflict names this many fields.
MAX_CONFLICTS = 20


def undo(ctx: Context, change: ChangeRow, notify: str, message: str | None) -> tuple[list[Record], Told | UnsetType]:
    """Undo the request that made this change; return the records that it concerned, and how many guests are told.

    An event that is deleted by it has no guests: they would be later changes."""
    rows = _find_changes(ctx, change.set_id)
    records = Records(rows)
    restored_uids.lock(ctx, records)
    _lock(ctx, records)
    _require_rights(ctx, records)
    _require_undoable(rows, records)
    _require_unchanged(ctx, rows, records)
    restored_uids.require_free(ctx, records)
    restored_invitations.require_uninvited(ctx, records)
    changed = [record.key[0] for record in records.all if record.kind == "event" and record.is_there and record.before]
    events_before = events.find_by_ids(ctx, changed)
    _restore(ctx, records)
    deleted_events.forget(ctx, records.deleted_ids("event"))
    placements.revoke_invalid_grants(ctx, records.deleted_ids("event"))
    sharing.end_blocked(ctx, records.deleted_ids("calendar"))
    restored_seats.settle(ctx, records)
    restored_invitations.settle(ctx, records)
    response_answers.drop_beyond_limits(ctx, _restored_answers(records))
    events_restored = events.find_by_ids(ctx, records.deleted_ids("event"))
    told = [
        telling.tell_changed(ctx, events_before, notify, message, since=change.at),
        telling.tell_restored(ctx, events_restored, notify, message),
    ]
    told_of = [record for record in records.all if not _is_by_invitation(record.first)]
    return told_of, _add_up([each for each in told if isinstance(each, Told)])


def _find_changes(ctx: Context, set_id: int) -> list[ChangeRow]:
    """The changes of the request. Raises Conflict if nobody may undo them."""
    rows = history.find_set(ctx, set_id, MAX_CHANGES + 1)
    if len(rows) > MAX_CHANGES:
        raise errors.Conflict(
            gettext("This request changed more than %(max)s records, which is too much to undo in one request.", max=MAX_CHANGES)
        )
    deleted = {row.record_id for row in rows if row.kind == "event" and row.op == "delete"}
    # A guest's calendar follows the invitation, which is not undone; it gets back an event that was deleted.
    rows = [row for row in rows if row.event_id in deleted or not _is_by_invitation(row)]
    if not rows:
        raise errors.NotFound
    return rows


def _is_by_invitation(row: ChangeRow) -> bool:
    return row.kind == "placement" and bool(row.content.get("by_invitation"))


def _restore(ctx: Context, records: Records) -> None:
    """Delete what the request created, and put back what it changed and deleted."""
    try:
        for table in reversed(TABLES):
            created = [record for record in records.of(table) if record.is_there and record.before is None]
            _delete(ctx, table, [record for record in created if not restored_seats.is_restored_here(record, records)])
        _clear_slots(ctx, records)
        for table in TABLES:
            restored = [record for record in records.of(table) if record.before is not None]
            for record, content in references.keep_valid(ctx, table, restored):
                if not restored_seats.is_restored_here(record, records):
                    _put_back(ctx, record, restored_seats.without_seats(record, content, records))
    except UniqueViolation as error:
        raise errors.Conflict(gettext("Another record has taken the place of one that this would restore. Nothing was changed.")) from error


def _add_up(told: list[Told]) -> Told | UnsetType:
    return Told(*(sum(getattr(each, name) for each in told) for name in Told.__struct_fields__)) if told else UNSET


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
            ctx.tx.rows(f"SELECT id FROM {table.name} WHERE id {ctx.db.in_list('ids')} ORDER BY id {ctx.db.for_update}", ids=ids)


def _require_rights(ctx: Context, records: Records) -> None:
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


def _require_undoable(rows: list[ChangeRow], records: Records) -> None:
    """Raise Conflict for what nobody may undo. Only those who have the rights learn of it."""
    if any(row.via == "moderation" for row in rows):
        raise errors.Conflict(gettext("An administrator of this site did this, so it cannot be undone here."))
    # The other person may have left the calendar, or block its owner.
    if any(each.kind in ("share", "invitation") and ("calendar", each.first.calendar_id) not in records.deleted for each in records.all):
        raise errors.Conflict(gettext("Sharing cannot be undone. Share the calendar again, or stop sharing it."))


def _require_unchanged(ctx: Context, rows: list[ChangeRow], records: Records) -> None:
    """Raise Conflict if another request changed one of the records since, or added to an event that would be deleted."""
    keys = {(record.kind, record.first.record_id) for record in records.all}
    created = {record.key[0] for record in records.all if record.kind == "event" and record.before is None}
    later = [row for row in history.find_later(ctx, rows) if (row.kind, row.record_id) in keys or row.event_id in created]
    if later:
        detail = gettext("Someone changed this since, so it cannot be undone. Change it by hand instead.")
        raise errors.Conflict(detail, _conflicts(ctx, records.all, later))


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


def _delete(ctx: Context, table: Table, records: list[Record]) -> None:
    where = " AND ".join(f"{name} = :{name}" for name in table.key)
    ctx.tx.many(f"DELETE FROM {table.name} WHERE {where}", [dict(zip(table.key, record.key, strict=True)) for record in records])


def _clear_slots(ctx: Context, records: Records) -> None:
    """Clear the slots that get another event: they are unique within a series, and the events are put back one by one."""
    moved = [each.before for each in records.all if each.table.kind == "event" and each.is_there and each.before is not None]
    ctx.tx.many(
        "UPDATE events SET slot = NULL WHERE id = :id AND slot <> :slot",
        [{"id": before["id"], "slot": before["slot"] or ""} for before in moved],
    )


def _put_back(ctx: Context, record: Record, before: Content) -> None:
    table = record.table
    content = before | {name: bool(before[name]) for name in table.flags if name in before} | _derive_columns(table, before)
    if table.has_updated_at:
        content["updated_at"] = ctx.now
    if record.is_there:
        _update(ctx, table, content)
        return
    if table.has_version:
        content["version"] = before["version"] + 1
    if table.kind == "calendar":
        # A feed URL that was changed must not become valid again.
        content["feed_version"] = ctx.now
    if table.kind in ("event", "contact"):
        owner_id = before["owner_id" if table.kind == "event" else "user_id"]
        quotas.reserve(ctx, owner_id, "events" if table.kind == "event" else "contacts", 1, quotas.size(content))
    if table.kind == "placement":
        placements.restore(ctx, content)
    else:
        names = list(content)
        ctx.tx.run(f"INSERT INTO {table.name} ({', '.join(names)}) VALUES ({', '.join(f':{name}' for name in names)})", **content)
    if table.kind == "calendar":
        calendar_search.refresh(ctx, calendar_id=before["id"])


def _update(ctx: Context, table: Table, content: Content) -> None:
    # A link that was replaced must not become valid again.
    names = [name for name in content if name not in (*table.key, "version", "created_at", "link_number")]
    assignments = [f"{name} = :{name}" for name in names]
    if table.has_version:
        assignments.append("version = version + 1")
    if table.kind == "calendar":
        # As `calendars.store.update` does: its feed has changed.
        assignments.append(
            "revision = revision + 1, changed_at = :updated_at, public_revision = revision + 1, public_changed_at = :updated_at"
        )
    params = {name: content[name] for name in (*names, *table.key)}
    where = " AND ".join(f"{name} = :{name}" for name in table.key)
    if assignments:
        ctx.tx.run(f"UPDATE {table.name} SET {', '.join(assignments)} WHERE {where}", **params)
    if table.kind == "calendar":
        calendar_search.refresh(ctx, calendar_id=content["id"])


def _derive_columns(table: Table, before: Content) -> Content:
    """The columns that follow from others."""
    if table.kind == "event":
        return {"search": events.search_column(before)}
    if table.kind == "contact":
        return contacts.derived_columns(before)
    return {}
