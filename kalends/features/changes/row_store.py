"""Put the rows of records back as they were, each table with as few statements as its rows need."""

from collections import defaultdict

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.db import UniqueViolation
from kalends.features.calendars import store as calendar_search
from kalends.features.changes import reference_store as references
from kalends.features.changes.rules.record import Content, Record, Records, is_restored_here, without_seats
from kalends.features.changes.rules.tables import BY_KIND, TABLES, Table
from kalends.features.contacts import store as contacts
from kalends.features.events import store as events
from kalends.features.events.placements import store as placements
from kalends.http.context import Context
from kalends.policy import quotas

# Where the account is named that an event or a contact counts for.
_OWNER = {"event": "owner_id", "contact": "user_id"}


def restore(ctx: Context, records: Records) -> None:
    """Delete what the request created, and put back what it changed and deleted."""
    try:
        for table in reversed(TABLES):
            if table.kind != "calendar":
                _delete(ctx, table, [record for record in _created(records, table) if not is_restored_here(record, records)])
        _clear_slots(ctx, records)
        _reserve_quotas(ctx, records)
        for table in TABLES:
            restored = [record for record in records.of(table) if record.before is not None]
            contents = [
                (record, _complete(ctx, record, without_seats(record, content, records)))
                for record, content in references.keep_valid(ctx, table, restored)
                if not is_restored_here(record, records)
            ]
            _update(ctx, table, [content for record, content in contents if record.is_there])
            _insert(ctx, table, [content for record, content in contents if not record.is_there])
        # Events that the request moved there have left it now.
        _delete(ctx, BY_KIND["calendar"], _created(records, BY_KIND["calendar"]))
    except UniqueViolation as error:
        raise errors.Conflict(gettext("Another record has taken the place of one this would restore. Nothing was changed.")) from error


def _created(records: Records, table: Table) -> list[Record]:
    return [record for record in records.of(table) if record.is_there and record.before is None]


def check_quotas(ctx: Context, records: Records) -> None:
    """Raise QuotaReached if what the request deleted does not fit into the accounts, before a part of it is restored."""
    for (owner_id, kind), (count, text) in _sizes(records).items():
        quotas.check(ctx, owner_id, "events" if kind == "event" else "contacts", count, text)


def _reserve_quotas(ctx: Context, records: Records) -> None:
    for (owner_id, kind), (count, text) in _sizes(records).items():
        quotas.reserve(ctx, owner_id, "events" if kind == "event" else "contacts", count, text)


def _sizes(records: Records) -> dict[tuple[int, str], tuple[int, int]]:
    """The number and the text of the deleted events and contacts, by account and kind."""
    sizes: dict[tuple[int, str], tuple[int, int]] = {}
    for (kind, _), content in records.deleted.items():
        if kind in _OWNER:
            key = content[_OWNER[kind]], kind
            count, text = sizes.get(key, (0, 0))
            sizes[key] = count + 1, text + quotas.size(content | _derive_columns(kind, content))
    return sizes


def _delete(ctx: Context, table: Table, records: list[Record]) -> None:
    if not records:
        return
    if table.key == ("id",):
        # Each statement starts the programs of many triggers.
        ids = [record.key[0] for record in records]
        ctx.tx.run(f"DELETE FROM {table.name} WHERE id {ctx.db.in_list('ids')}", ids=ids)
        return
    where = " AND ".join(f"{name} = :{name}" for name in table.key)
    ctx.tx.many(f"DELETE FROM {table.name} WHERE {where}", [dict(zip(table.key, record.key, strict=True)) for record in records])


def _clear_slots(ctx: Context, records: Records) -> None:
    """Clear the slots that get another event: they are unique within a series, and the events are put back one by one."""
    moved = [each.before for each in records.all if each.table.kind == "event" and each.is_there and each.before is not None]
    ctx.tx.many(
        "UPDATE events SET slot = NULL WHERE id = :id AND slot <> :slot",
        [{"id": before["id"], "slot": before["slot"] or ""} for before in moved],
    )


def _complete(ctx: Context, record: Record, before: Content) -> Content:
    """The columns of the row: as it was, with those that follow from others, and with what an undo does not restore."""
    table = record.table
    content = before | {name: bool(before[name]) for name in table.flags if name in before} | _derive_columns(table.kind, before)
    if table.has_updated_at:
        content["updated_at"] = ctx.now
    if record.is_there:
        return content
    if table.has_version:
        content["version"] = before["version"] + 1
    if table.kind == "calendar":
        # A feed URL that was changed must not become valid again.
        content["feed_version"] = ctx.now
    return content


def _insert(ctx: Context, table: Table, contents: list[Content]) -> None:
    if table.kind == "placement":
        placements.restore(ctx, contents)
        return
    for names, rows in _by_columns(contents).items():
        ctx.tx.many(f"INSERT INTO {table.name} ({', '.join(names)}) VALUES ({', '.join(f':{name}' for name in names)})", rows)
    _refresh_search(ctx, table, contents)


def _update(ctx: Context, table: Table, contents: list[Content]) -> None:
    # A link that was replaced must not become valid again, nor does a calendar that was handed over come back.
    kept = (*table.key, "version", "created_at", "link_number", "owner_id", "is_primary")
    for columns, rows in _by_columns(contents).items():
        names = [name for name in columns if name not in kept]
        assignments = [f"{name} = :{name}" for name in names]
        if table.has_version:
            assignments.append("version = version + 1")
        if table.kind == "calendar":
            # As `calendars.store.update` does: its feed has changed.
            assignments.append(
                "revision = revision + 1, changed_at = :updated_at, public_revision = revision + 1, public_changed_at = :updated_at"
            )
        where = " AND ".join(f"{name} = :{name}" for name in table.key)
        if assignments:
            params = [{name: row[name] for name in (*names, *table.key)} for row in rows]
            ctx.tx.many(f"UPDATE {table.name} SET {', '.join(assignments)} WHERE {where}", params)
    _refresh_search(ctx, table, contents)


def _refresh_search(ctx: Context, table: Table, contents: list[Content]) -> None:
    for content in contents if table.kind == "calendar" else []:
        calendar_search.refresh(ctx, calendar_id=content["id"])


def _by_columns(contents: list[Content]) -> dict[tuple[str, ...], list[Content]]:
    """The rows by their columns: older rows of the journal have fewer."""
    groups: dict[tuple[str, ...], list[Content]] = defaultdict(list)
    for content in contents:
        groups[tuple(content)].append(content)
    return groups


def _derive_columns(kind: str, before: Content) -> Content:
    """The columns that follow from others."""
    if kind == "event":
        return {"search": events.search_column(before)}
    if kind == "contact":
        return contacts.derived_columns(before)
    return {}


def lock(ctx: Context, table: Table, ids: list[int]) -> None:
    """Lock the rows until the transaction ends."""
    ctx.tx.rows(f"SELECT id FROM {table.name} WHERE id {ctx.db.in_list('ids')} ORDER BY id {ctx.db.for_update}", ids=ids)


def find_response_id(ctx: Context, answer_id: int) -> int:
    """The id of the response that the answer belongs to; 0 if there is none."""
    return int(ctx.tx.value("SELECT response_id FROM question_answers WHERE id = :id", id=answer_id) or 0)


def find_event_ids(ctx: Context, calendar_ids: list[int]) -> set[int]:
    """The ids of the events on these calendars."""
    sql = f"SELECT id FROM events WHERE calendar_id {ctx.db.in_list('ids')}"
    return {event_id for (event_id,) in ctx.tx.rows(sql, ids=calendar_ids)} if calendar_ids else set()


def has_invitations(ctx: Context, event_ids: list[int], series_ids: list[int]) -> bool:
    """Whether people are invited to one of the events or series."""
    columns = {"event_id": event_ids, "series_id": series_ids}
    return any(
        ctx.tx.rows(f"SELECT id FROM invitations WHERE {column} {ctx.db.in_list('ids')} LIMIT 1", ids=ids)
        for column, ids in columns.items()
    )


def renew_invitations(ctx: Context, ids: list[int], detail: str) -> None:
    """Let the next calendar for a guest be newer than the one that cancelled the event, and the state be `bounced`, with the detail,
    where the mail was dropped."""
    restored = f"id {ctx.db.in_list('ids')}"
    ctx.tx.run(f"UPDATE invitations SET sequence = sequence + 1 WHERE {restored}", ids=ids)
    # The index of causes finds the mail; an expression is not tempted by the index of those that wait.
    cause = "'invitation:' || coalesce('event:' || invitations.event_id, 'series:' || series_id) || ':' || mails"
    ctx.tx.run(
        f"""UPDATE invitations SET state = 'bounced', detail = :detail WHERE {restored} AND state = 'queued' AND NOT EXISTS (
                SELECT 1 FROM deliveries d WHERE d.cause = {cause} AND d.channel = 'email' AND d.address = invitations.address
                AND d.cause IS NOT NULL AND d.state || '' IN ('queued', 'sending'))""",
        ids=ids,
        detail=detail,
    )
