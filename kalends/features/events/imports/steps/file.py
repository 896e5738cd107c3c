"""Import a calendar file: parse it, plan the import, and write it in batches."""

from collections import Counter

from msgspec import Struct

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.calendar import Calendar
from kalends.core.records.event import Event
from kalends.core.values import text
from kalends.db import UniqueViolation
from kalends.features.events import uid_store as by_uid
from kalends.features.events.imports.rules.incoming import IncomingSeries
from kalends.features.events.imports.steps import existing
from kalends.features.events.imports.steps.apply import ImportWriter, Publishes
from kalends.features.events.imports.steps.existing import Existing
from kalends.features.events.imports.steps.plan import Plan, Progress, build_plan, show_nothing, split_batches
from kalends.features.events.model import EventImport, ImportedEvent
from kalends.features.events.steps.notify import notify_of_changes, notify_of_deletion
from kalends.http.context import Context
from kalends.http.csv_file import Remark, limit_remarks
from kalends.ical import parse
from kalends.ical.archive import join_calendars
from kalends.ical.lines import unsplit_utf8
from kalends.ical.parse import CalendarFile
from kalends.policy import quotas

MAX_LISTED = 500


class ImportOptions(Struct, frozen=True):
    """The calendar to import into, and the visibility and time zone of all events."""

    calendar_id: int | None = None
    public: bool | None = None
    time_zone: str | None = None


class Outcome(Struct):
    """The result so far: the numbers of events, the first of them, and the remarks."""

    counts: Counter[str]
    events: list[ImportedEvent]
    remarks: list[Remark]

    def reply(self) -> EventImport:
        numbers = {name: self.counts[name] for name in ("imported", "updated", "unchanged", "skipped")}
        return EventImport(**numbers, events=self.events, remarks=limit_remarks(self.remarks))


def import_file(ctx: Context, content: bytes, options: ImportOptions, progress: Progress = show_nothing) -> EventImport:
    """Import the events of the file into the calendar; those that it has already, by UID, are updated.

    A large file is written in several transactions, so that others can write in between. If it is interrupted, the file can be
    imported again: what was written is found by its UID."""
    with ctx.read():
        calendar = policy.target_calendar(ctx, options.calendar_id)
    # Outside of any transaction, because it takes a while and others want to write.
    zone = options.time_zone or calendar.time_zone
    plan = build_plan(ctx, parse_file(content), zone, is_zone_sent=options.time_zone is not None, progress=progress)
    batches = split_batches(plan.incoming)
    if len(batches) > 1:
        with ctx.read():
            _check_quota(ctx, calendar, plan)
    outcome = Outcome(Counter(skipped=plan.skipped), [], plan.remarks)
    for i, batch in enumerate(progress(batches, "Writing"), start=1):
        with ctx.write(alone=True, is_last=i == len(batches)):
            _write_batch(ctx, policy.target_calendar(ctx, options.calendar_id), batch, plan, options.public, outcome)
        if i < len(batches):
            ctx.db.yield_to_other_writers()
    return outcome.reply()


def import_resource(
    ctx: Context, calendar: Calendar, plan: Plan, among: set[str], publishes: Publishes, owner_id: int, notify: str
) -> tuple[list[int], list[int]]:
    """Write the one UID of the plan in the open transaction, exactly as the file has it; returns the ids of its events and series.

    among: the UIDs of what the file was before. publishes: which dates its sender has made public. owner_id: whose new events are.
    notify: whom to notify of what changes."""
    by_uid.lock(ctx, calendar.id)
    existing_by_uid = existing.find(ctx, calendar, plan.uids, plan.uids, among | plan.uids)
    existing.hand_over(existing_by_uid, plan.incoming)
    hidden, followed = find_hidden(ctx, existing_by_uid), _find_followed(ctx, existing_by_uid)
    writer = ImportWriter(ctx, calendar, None, publishes=publishes, owner_id=owner_id)
    before: list[Event] = []
    for series in plan.incoming:
        record = existing_by_uid.get(series.uid, Existing()).for_file(series)
        if conflict := find_conflict(series, record, hidden, followed):
            raise errors.Forbidden(f"It cannot be changed here: {conflict}.")
        before += record.events.values()
        writer.add(series, record)
    deleted = [event for event in before if event.id in writer.deleted_ids]
    notify_of_deletion(ctx, deleted, "one", notify, None)
    try:
        writer.write()
    except UniqueViolation:
        raise errors.Conflict("Someone changed this at the same time. Try again.") from None
    notify_of_changes(ctx, [event for event in before if event.id not in writer.deleted_ids], notify, None)
    return writer.record_ids


def parse_file(content: bytes) -> CalendarFile:
    """The calendar file, or all calendar files of a ZIP archive as one."""
    try:
        return parse.parse_file(text.decode(unsplit_utf8(join_calendars(content))))
    except ValueError as error:
        raise errors.invalid("file", error.args[0], "invalid_format") from None


def _check_quota(ctx: Context, calendar: Calendar, plan: Plan) -> None:
    """Refuse a file that exceeds the quota before a part of it is written."""
    missing = existing.find_missing(ctx, calendar, plan.uids)
    rows = [event.content.columns for series in plan.incoming if series.uid in missing for event in series.events.values()]
    quotas.check(ctx, policy.user(ctx).id, "events", len(rows), sum(map(quotas.size, rows)))


def _write_batch(ctx: Context, calendar: Calendar, batch: list[IncomingSeries], plan: Plan, public: bool | None, outcome: Outcome) -> None:
    # Two imports of the same file at once would both find nothing.
    by_uid.lock(ctx, calendar.id)
    existing_by_uid = existing.find(ctx, calendar, (series.uid for series in batch), plan.uids)
    existing.hand_over(existing_by_uid, batch)
    hidden, followed = find_hidden(ctx, existing_by_uid), _find_followed(ctx, existing_by_uid)
    writer = ImportWriter(ctx, calendar, public)
    accepted: list[IncomingSeries] = []
    for series in batch:
        record = existing_by_uid.get(series.uid, Existing()).for_file(series)
        conflict = find_conflict(series, record, hidden, followed)
        if conflict:
            outcome.remarks.append(Remark(series.line, "file", f"it was left as it is: {conflict}"))
            outcome.counts["skipped"] += 1
        else:
            outcome.counts[writer.add(series, record)] += 1
            accepted.append(series)
    try:
        writer.write()
    except UniqueViolation:
        raise errors.Conflict(gettext("Someone else changed these events at the same time. Import the file again.")) from None
    outcome.events += writer.first_events(accepted[: MAX_LISTED - len(outcome.events)])


def find_hidden(ctx: Context, records: dict[str, Existing]) -> set[int]:
    """The ids of the existing events that an admin hides."""
    return policy.hidden_ids(ctx, [event for record in records.values() for event in record.events.values()])


def _find_followed(ctx: Context, records: dict[str, Existing]) -> set[int]:
    """The ids of the existing events that come from a source, and are as that has them."""
    return policy.followed_ids(ctx, [event for record in records.values() for event in record.events.values()])


def find_conflict(series: IncomingSeries, record: Existing, hidden: set[int], followed: set[int]) -> str:
    """Why the existing record cannot be updated, or an empty text."""
    if any(event.id in hidden for event in record.events.values()):
        return "an administrator has hidden it"
    if any(event.id in followed for event in record.events.values()):
        return "it is followed from another calendar, and changes there"
    if not all(event.can_edit for event in record.events.values()):
        return "it is not yours to edit"
    if record.has_events_elsewhere:
        return "some of its occurrences are not on this calendar"
    single = record.events.get("")
    return "it repeats here by another rule" if series.rule and single and single.series_id is not None else ""
