"""Undo the changes of one request: every row is put back as it was, unless somebody changed it since."""

from kalends import errors, policy, quotas
from kalends.calendars import search as calendar_search
from kalends.calendars import sharing
from kalends.changes import history, present, references
from kalends.changes.history import ChangeRow
from kalends.changes.references import Content, Key, Record
from kalends.changes.tables import BY_KIND, TABLES, Table
from kalends.contacts import store as contacts
from kalends.context import Context
from kalends.errors import FieldError
from kalends.events import deleted_events
from kalends.events import store as events
from kalends.events.placements import store as placements
from kalends.policy import Right

# Changes of one request beyond this number would take long, while all other writes wait.
MAX_CHANGES = 20_000
# A conflict names this many fields.
MAX_CONFLICTS = 20


def undo(ctx: Context, change: ChangeRow) -> list[Record]:
    """Undo the request that made this change, and return the records that it concerned."""
    rows = history.find_set(ctx, change.set_id)
    if len(rows) > MAX_CHANGES:
        raise errors.Conflict(f"This request changed more than {MAX_CHANGES:,} records, which is too much to undo at once.")
    records = _records(rows)
    _require_rights(ctx, records)
    _require_unchanged(ctx, rows, records)
    try:
        for table in reversed(TABLES):
            _delete(ctx, table, [record for record in records if record.table is table and record.is_there and record.before is None])
        _clear_slots(ctx, records)
        for table in TABLES:
            restored = [record for record in records if record.table is table and record.before is not None]
            for record, content in references.keep_valid(ctx, table, restored):
                _put_back(ctx, record, content)
    except errors.Conflict as error:
        raise errors.Conflict("Another record has taken the place of one that this would restore. Nothing was changed.") from error
    event_ids = [record.key[0] for record in records if record.table.kind == "event" and not record.is_there]
    deleted_events.forget(ctx, event_ids)
    placements.revoke_invalid_grants(ctx, event_ids)
    sharing.end_blocked(ctx, [record.key[0] for record in records if record.table.kind == "calendar" and not record.is_there])
    return records


def _records(rows: list[ChangeRow]) -> list[Record]:
    first: dict[tuple[str, Key], ChangeRow] = {}
    last: dict[tuple[str, Key], ChangeRow] = {}
    for row in rows:
        table = BY_KIND[row.kind]
        content = row.content
        key = tuple(content[name] for name in table.key) if table.key != ("id",) else (row.record_id,)
        first.setdefault((row.kind, key), row)
        last[row.kind, key] = row
    return [
        Record(BY_KIND[kind], key, row, None if row.op == "create" else row.content, last[kind, key].op != "delete")
        for (kind, key), row in first.items()
    ]


def _require_rights(ctx: Context, records: list[Record]) -> None:
    """Undoing a change needs the rights that the change needs."""
    checked: set[tuple[str, int]] = set()
    for record in records:
        row = record.first
        if row.kind == "placement" and not _is_deleted(records, "event", row.event_id):
            _require_placement(ctx, record, records)
        if row.event_id is not None:
            event = next((each for each in records if each.table.kind == "event" and each.key == (row.event_id,)), None)
            scope = ("event", row.event_id)
            if scope not in checked:
                _require_event(ctx, row, event)
        elif row.kind in ("calendar", "share", "invitation"):
            scope = ("calendar", row.calendar_id or row.record_id)
            if row.kind != "calendar" and not _is_deleted(records, "calendar", scope[1]):
                # The other person may have left the calendar, or block its owner.
                raise errors.Conflict("Sharing cannot be undone. Share the calendar again, or stop sharing it.")
            if scope not in checked:
                _require_calendar(ctx, scope[1], records)
        elif row.kind == "contact":
            scope = ("contact", row.owner_id or 0)
            if row.owner_id != policy.user(ctx).id:
                raise errors.NotFound
        else:
            # A series and its exceptions go with the events of the same request.
            scope = ("series", row.record_id)
            if not any(each.table.kind == "event" for each in records):
                policy.require_whole_series(ctx, row.record_id)
        checked.add(scope)


def _is_deleted(records: list[Record], kind: str, record_id: int | None) -> bool:
    """Whether the request deleted this record."""
    return any(each.table.kind == kind and each.key == (record_id,) and not each.is_there for each in records)


def _require_placement(ctx: Context, record: Record, records: list[Record]) -> None:
    """To put an event on a calendar again needs the right to edit the calendar, as putting it there does."""
    calendar_id = (record.before or {}).get("calendar_id")
    if calendar_id is not None and not _is_deleted(records, "calendar", calendar_id):
        policy.calendar(ctx, calendar_id, to=Right.EDIT)


def _require_event(ctx: Context, row: ChangeRow, event: Record | None) -> None:
    assert row.event_id is not None
    if event is None or event.is_there:
        # An author may not undo what an editor did to their comment.
        own = row.kind in ("comment", "response") and row.owner_id is not None and row.owner_id == row.actor_id == policy.me(ctx)
        policy.event(ctx, row.event_id, to=Right.SEE if own else Right.EDIT)
        return
    before = event.before or {}
    if before.get("owner_id") != policy.user(ctx).id:
        policy.calendar(ctx, before["calendar_id"], to=Right.EDIT)


def _require_calendar(ctx: Context, calendar_id: int, records: list[Record]) -> None:
    calendars = [each for each in records if each.table.kind == "calendar" and each.key == (calendar_id,)]
    deleted = next((each for each in calendars if not each.is_there), None)
    if deleted is None:
        if policy.calendar(ctx, calendar_id, to=Right.OWN).is_primary and any(_creates(each, calendar_id) for each in records):
            raise errors.Conflict("This is your primary calendar, which is always there.")
    elif (deleted.before or {}).get("owner_id") != policy.user(ctx).id:
        raise errors.NotFound


def _creates(record: Record, calendar_id: int) -> bool:
    return record.table.kind == "calendar" and record.key == (calendar_id,) and record.before is None


def _require_unchanged(ctx: Context, rows: list[ChangeRow], records: list[Record]) -> None:
    """Raise Conflict if another request changed one of the records since, or added to an event that would be deleted."""
    keys = {(record.table.kind, record.first.record_id) for record in records}
    created = {record.key[0] for record in records if record.table.kind == "event" and record.before is None}
    later = [row for row in history.find_later(ctx, rows) if (row.kind, row.record_id) in keys or row.event_id in created]
    if later:
        raise errors.Conflict(
            "Somebody changed this since, so it cannot be undone. Change it by hand instead.", _conflicts(ctx, records, later)
        )


def _conflicts(ctx: Context, records: list[Record], later: list[ChangeRow]) -> list[FieldError]:
    """Both versions of the fields that would change, or else the records that were changed since."""
    changed = {(row.kind, row.record_id) for row in later}
    conflicts: list[FieldError] = []
    for record in records:
        table = record.table
        if record.before is not None and table.told and (table.kind, record.first.record_id) in changed:
            fields = present.differences(table.kind, record.before, history.find_row(ctx, table, record.first.record_id))
            conflicts += [FieldError(each.field, f"was {each.before}, and is {each.after} now", "conflict") for each in fields]
    others = [FieldError(f"{row.kind} {row.record_id}", f"was changed since, in change {row.id}", "conflict") for row in later]
    return (conflicts or others)[:MAX_CONFLICTS]


def _delete(ctx: Context, table: Table, records: list[Record]) -> None:
    where = " AND ".join(f"{name} = :{name}" for name in table.key)
    ctx.tx.many(f"DELETE FROM {table.name} WHERE {where}", [dict(zip(table.key, record.key, strict=True)) for record in records])


def _clear_slots(ctx: Context, records: list[Record]) -> None:
    """Clear the slots that get another event: they are unique within a series, and the events are put back one by one."""
    moved = [each.before for each in records if each.table.kind == "event" and each.is_there and each.before is not None]
    ctx.tx.many(
        "UPDATE events SET slot = NULL WHERE id = :id AND slot <> :slot",
        [{"id": before["id"], "slot": before["slot"] or ""} for before in moved],
    )


def _put_back(ctx: Context, record: Record, before: Content) -> None:
    table = record.table
    content = before | {name: bool(before[name]) for name in table.flags} | _derived(table, before)
    if table.has_updated_at:
        content["updated_at"] = ctx.now
    if record.is_there:
        _update(ctx, table, content)
        return
    if table.has_version:
        content["version"] = before["version"] + 1
    if table.kind == "calendar":
        # A feed address that was changed must not become valid again.
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
    names = [name for name in content if name not in (*table.key, "version", "created_at")]
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


def _derived(table: Table, before: Content) -> Content:
    """The columns that follow from others."""
    if table.kind == "event":
        return {"search": events.search_column(before)}
    if table.kind == "contact":
        return contacts.derived_columns(before)
    return {}
