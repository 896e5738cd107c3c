"""The SQL of change notices: one message to guests for the changes of some minutes, once a worker begins to send it; and of what the
notice takes out of the calendars of guests."""

from hashlib import blake2b
from typing import Any

import msgspec
from msgspec import Struct, structs

from kalends.core.records.delivery import Delivery
from kalends.core.records.event import Event
from kalends.features.deliveries import batch_store as batches
from kalends.features.deliveries.store import RETENTION
from kalends.features.events import store as events
from kalends.features.events.series.model import build_repeat
from kalends.http.context import Context

PREFIX = "change:"


class EventSnapshot(Struct, frozen=True):
    """The fields of an event that a notice compares, before and after its changes."""

    title: str
    start_at: int
    end_at: int | None
    all_day: bool
    time_zone: str
    location: str | None
    status: str
    # How it repeats, in words: English, which is compared; the rule and its first date make them in other languages.
    repeat: str = ""
    rrule: str = ""
    first_date: str = ""
    # Hashes of the texts that a notice does not repeat, by their names.
    details: dict[str, str] = {}

    def differs(self, other: "EventSnapshot", *, in_all: bool) -> bool:
        """Whether guests must be notified of the difference; in_all: or whether there is any."""
        if not in_all:
            return self._must_know() != other._must_know()
        return structs.replace(self, rrule=other.rrule, first_date=other.first_date) != other

    def find_changed_details(self, new: "EventSnapshot") -> list[str]:
        """The names of the texts that differ."""
        return [name for name, value in new.details.items() if self.details.get(name, value) != value]

    def describe_repeat(self) -> str:
        """How it repeats, in words."""
        return build_repeat(self.rrule, self.first_date).sentence if self.rrule else self.repeat

    def _must_know(self) -> tuple[object, ...]:
        return self.start_at, self.end_at, self.all_day, self.time_zone, self.location, self.status, self.details.get("access")


class ChangedEvent(Struct, frozen=True):
    """An event of a notice; without a new snapshot it was deleted."""

    event_id: int
    old: EventSnapshot
    new: EventSnapshot | None


class ChangeNotice(Struct, frozen=True):
    """The content of a message to its recipient."""

    message: str | None
    events: list[ChangedEvent]


def take_snapshot(event: Event) -> EventSnapshot:
    texts = {"description": event.description, "image": event.image_url, "tags": event.tags, "note": event.status_note}
    texts["access"] = _describe_access(event)
    return EventSnapshot(
        title=event.title,
        start_at=event.start_at,
        end_at=event.end_at,
        all_day=event.all_day,
        time_zone=event.time_zone,
        location=event.location,
        status=event.status,
        repeat=build_repeat(event.rrule, event.first_date).text if event.rrule and event.first_date else "",
        rrule=event.rrule or "",
        first_date=event.first_date or "",
        details={name: blake2b((text or "").encode(), digest_size=8).hexdigest() for name, text in texts.items()},
    )


def _describe_access(event: Event) -> str:
    """What those who come must know and others must not: the notice says that it has changed."""
    return f"{event.withheld or ''} {event.online_url or ''}".strip()


def cause(notice_id: int) -> str:
    return f"{PREFIX}{notice_id}"


def notice_id(delivery: Delivery) -> int:
    """The notice that the message is about."""
    return int((delivery.cause or "").removeprefix(PREFIX))


class OpenNotice(Struct, frozen=True):
    """A notice that still takes changes."""

    id: int
    # Whether it has no words of the organiser, and only what guests must know.
    is_plain: bool
    event_ids: set[int]
    # The events and the addresses that are notified of them.
    recipients: set[tuple[int, str]]

    @property
    def addresses(self) -> set[str]:
        return {address for _, address in self.recipients}


def find_open(ctx: Context, event_ids: list[int]) -> list[OpenNotice]:
    """The notices that still take changes of these events, newest first; they are locked until the transaction ends."""
    if not event_ids:
        return []
    open_ids = f"""SELECT n.id FROM change_notices n JOIN changed_events c ON c.notice_id = n.id
                   WHERE c.event_id {ctx.db.in_list("ids")} AND n.closed_at IS NULL"""
    locked = f"SELECT id, message IS NULL FROM change_notices WHERE id IN ({open_ids}) ORDER BY id {ctx.db.for_update}"
    notices = []
    for notice_id, has_no_message in ctx.tx.rows(locked, ids=event_ids):
        changed = ctx.tx.rows("SELECT event_id, tells_all FROM changed_events WHERE notice_id = :id", id=notice_id)
        rows = batches.find_recipients(ctx, cause(notice_id))
        recipients = {(int(event_id), address) for event_ids, _, address in rows if event_ids for event_id in event_ids.split(",")}
        is_plain = bool(has_no_message) and not any(all_fields for _, all_fields in changed)
        notices.append(OpenNotice(notice_id, is_plain, {event_id for event_id, _ in changed}, recipients))
    return notices[::-1]


def find_waiting(ctx: Context, event_ids: list[int]) -> set[str] | None:
    """The addresses that still get mail about changes of these events; None if no notice about them waits."""
    rows = ctx.tx.rows(
        f"""SELECT c.notice_id, c.event_id, c.tells_all, c.old FROM changed_events c JOIN change_notices n ON n.id = c.notice_id
            WHERE c.event_id {ctx.db.in_list("ids")} AND n.closed_at IS NULL""",
        ids=event_ids,
    )
    current = {event.id: take_snapshot(event) for event in events.find_by_ids(ctx, event_ids)} if rows else {}
    waiting = set[str]()
    for notice_id, event_id, all_fields, text in rows:
        old, new = msgspec.json.decode(text, type=EventSnapshot), current.get(event_id)
        if new is None or old.differs(new, in_all=bool(all_fields)):
            recipients = batches.find_recipients(ctx, cause(notice_id))
            waiting |= {address for ids, channel, address in recipients if channel == "email" and str(event_id) in (ids or "").split(",")}
    return waiting if rows else None


def find_notified_of_deletion(ctx: Context, event_ids: list[int]) -> set[tuple[int, str]]:
    """The events, and the addresses to which messages went that they were deleted."""
    return _find_notified(ctx, event_ids, "c.new IS NULL AND n.closed_at IS NOT NULL")


def find_notified_since(ctx: Context, event_ids: list[int], since: int) -> set[tuple[int, str]]:
    """The events, and the addresses to which messages went since then that they were changed."""
    return _find_notified(ctx, event_ids, "n.closed_at >= :since", since=since)


def _find_notified(ctx: Context, event_ids: list[int], condition: str, **params: int) -> set[tuple[int, str]]:
    rows = ctx.tx.rows(
        f"""SELECT c.event_id, d.address, d.event_ids FROM changed_events c JOIN change_notices n ON n.id = c.notice_id
            JOIN deliveries d ON d.cause = '{PREFIX}' || CAST(c.notice_id AS TEXT)
            WHERE c.event_id {ctx.db.in_list("ids")} AND {condition}""",
        ids=event_ids,
        **params,
    )
    return (
        {(event_id, address) for event_id, address, notified_ids in rows if str(event_id) in (notified_ids or "").split(",")}
        if event_ids
        else set()
    )


def insert(ctx: Context, owner_id: int, due_at: int) -> int:
    sql = "INSERT INTO change_notices (owner_id, due_at) VALUES (:owner_id, :due_at) RETURNING id"
    notice_id: int = ctx.tx.value(sql, owner_id=owner_id, due_at=due_at)
    return notice_id


def add_events(ctx: Context, notice_id: int, events: list[Event], *, all_fields: bool, message: str | None, due_at: int) -> None:
    """Add the events as they were, unless the notice has them; a later message replaces an earlier one, and the later time counts, also for
    the messages that wait already: they are about the last change, too."""
    ctx.tx.many(
        """INSERT INTO changed_events (notice_id, event_id, tells_all, old) VALUES (:notice_id, :event_id, :tells_all, :old)
           ON CONFLICT (notice_id, event_id) DO UPDATE SET tells_all = changed_events.tells_all OR excluded.tells_all""",
        [
            {
                "notice_id": notice_id,
                "event_id": event.id,
                "tells_all": all_fields,
                "old": msgspec.json.encode(take_snapshot(event)).decode(),
            }
            for event in events
        ],
    )
    ctx.tx.run(
        """UPDATE change_notices SET message = coalesce(CAST(:message AS TEXT), message),
               due_at = CASE WHEN due_at > :due_at THEN due_at ELSE :due_at END WHERE id = :id""",
        id=notice_id,
        message=message,
        due_at=due_at,
    )
    batches.delay(ctx, cause(notice_id), due_at)


def take_over(ctx: Context, notice_id: int, source: OpenNotice, addresses: set[str]) -> None:
    """Move what the source has for these addresses to the notice, so that they get one message."""
    event_ids = sorted({event_id for event_id, address in source.recipients if address in addresses})
    ctx.tx.run(
        f"""INSERT INTO changed_events (notice_id, event_id, tells_all, old)
            SELECT CAST(:notice_id AS BIGINT), event_id, tells_all, old FROM changed_events
            WHERE notice_id = :source_id AND event_id {ctx.db.in_list("ids")}
            ON CONFLICT (notice_id, event_id) DO {"UPDATE SET old = excluded.old" if source.id < notice_id else "NOTHING"}""",
        notice_id=notice_id,
        source_id=source.id,
        ids=event_ids,
    )
    batches.queue_of_cause(ctx, cause(notice_id))
    batches.queue_of_cause(ctx, cause(source.id))
    for address in sorted(addresses):
        _merge_deliveries(ctx, cause(notice_id), cause(source.id), address)


def _merge_deliveries(ctx: Context, cause: str, source: str, address: str) -> None:
    """Merge the message to the address for another cause into that for this one, which is sent at the earlier time."""
    sql = "SELECT id, kind, due_at, event_ids FROM deliveries WHERE cause = :cause AND address = :address"
    ((merged_id, kind, due_at, event_ids),) = ctx.tx.rows(sql, cause=cause, address=address)
    ((source_id, source_kind, source_due_at, source_ids),) = ctx.tx.rows(sql, cause=source, address=address)
    ctx.tx.run("DELETE FROM deliveries WHERE id = :id", id=source_id)
    ctx.tx.run(
        "UPDATE deliveries SET kind = :kind, due_at = :due_at, event_ids = :event_ids WHERE id = :id",
        id=merged_id,
        kind="cancel" if "cancel" in (kind, source_kind) else kind,
        due_at=max(due_at, source_due_at),
        event_ids=",".join(dict.fromkeys([*event_ids.split(","), *source_ids.split(",")])),
    )


def close(ctx: Context, deliveries: list[Delivery]) -> None:
    """Snapshot the events of the notices of these messages as they are now. Later changes go into another notice."""
    numbers = {int(each.cause.removeprefix(PREFIX)) for each in deliveries if each.cause and each.cause.startswith(PREFIX)}
    for notice_id in sorted(numbers):
        sql = "UPDATE change_notices SET closed_at = :now WHERE id = :id AND closed_at IS NULL"
        if ctx.tx.run(sql, id=notice_id, now=ctx.now):
            _store_snapshots(ctx, notice_id)


def _store_snapshots(ctx: Context, notice_id: int) -> None:
    ids = [event_id for (event_id,) in ctx.tx.rows("SELECT event_id FROM changed_events WHERE notice_id = :id", id=notice_id)]
    ctx.tx.many(
        "UPDATE changed_events SET new = :new WHERE notice_id = :notice_id AND event_id = :event_id",
        [
            {"notice_id": notice_id, "event_id": event.id, "new": msgspec.json.encode(take_snapshot(event)).decode()}
            for event in events.find_by_ids(ctx, ids)
        ],
    )


def find(ctx: Context, delivery: Delivery) -> ChangeNotice:
    """The content of the message: its events that differ from what they were. None if all were changed back."""
    ids = delivery.all_event_ids
    rows = ctx.tx.rows(
        f"""SELECT c.event_id, c.tells_all, c.old, c.new, n.closed_at, n.message FROM changed_events c
            JOIN change_notices n ON n.id = c.notice_id
            WHERE c.notice_id = :notice_id AND c.event_id {ctx.db.in_list("ids")} ORDER BY c.event_id""",
        notice_id=notice_id(delivery),
        ids=ids,
    )
    is_open = any(row[4] is None for row in rows)
    current = {event.id: take_snapshot(event) for event in events.find_by_ids(ctx, ids)} if is_open else {}
    changed = []
    for event_id, all_fields, old_text, new_text, _, _ in rows:
        old = msgspec.json.decode(old_text, type=EventSnapshot)
        new = current.get(event_id) if is_open else msgspec.json.decode(new_text, type=EventSnapshot) if new_text else None
        if new is None or old.differs(new, in_all=bool(all_fields)):
            changed.append(ChangedEvent(event_id, old, new))
    return ChangeNotice(rows[0][5] if rows else None, sorted(changed, key=lambda each: each.old.start_at))


def clean_up(ctx: Context) -> None:
    """Delete notices whose messages are deleted, too."""
    ctx.tx.run("DELETE FROM change_notices WHERE due_at < :old", old=ctx.now - RETENTION)


def replace_cancellations(ctx: Context, rows: list[dict[str, Any]]) -> None:
    """Insert the cancellations in place of earlier ones of the same notice, guest and event."""
    ctx.tx.many("DELETE FROM cancellations WHERE notice_id = :notice_id AND email_key = :email_key AND event_id = :event_id", rows)
    ctx.tx.many(
        """INSERT INTO cancellations (notice_id, event_id, email_key, calendar, series_id)
           VALUES (:notice_id, :event_id, :email_key, :calendar, :series_id)""",
        rows,
    )


def find_cancellations(ctx: Context, notice_id: int, email_key: str) -> list[tuple[int, str | None, int | None]]:
    """The event, and its calendar or else its series, of each cancellation of the notice for the guest."""
    rows = ctx.tx.rows(
        "SELECT event_id, calendar, series_id FROM cancellations WHERE notice_id = :id AND email_key = :key ORDER BY id",
        id=notice_id,
        key=email_key,
    )
    return [(event_id, calendar, series_id) for event_id, calendar, series_id in rows]
