"""Events that come in a calendar file: read, planned, and then written in batches."""

from collections import Counter

from msgspec import Struct

from kalends import errors, policy, quotas
from kalends.calendars.model import Calendar
from kalends.context import Context
from kalends.events.imports import existing
from kalends.events.imports.apply import Writing
from kalends.events.imports.existing import Known
from kalends.events.imports.incoming import Arrival
from kalends.events.imports.plan import Plan, Shown, batches, planned
from kalends.events.model import EventImport, ImportedEvent
from kalends.http.remarks import Remark, limit_remarks
from kalends.ical import parse
from kalends.ical.lines import mended
from kalends.ical.parse import File
from kalends.policy import Right
from kalends.values import text

MOST_LISTED = 500


class Choice(Struct, frozen=True):
    """What whoever imports a file has chosen: the calendar, and what holds for all its events."""

    calendar_id: int | None = None
    public: bool | None = None
    time_zone: str | None = None


class Outcome(Struct):
    """What became of the events of the file so far: how many were written, the first of them, and what could not be kept."""

    counts: Counter[str]
    events: list[ImportedEvent]
    remarks: list[Remark]

    def reply(self) -> EventImport:
        numbers = {name: self.counts[name] for name in ("imported", "updated", "unchanged", "skipped")}
        return EventImport(**numbers, events=self.events, remarks=limit_remarks(self.remarks))


def from_file(ctx: Context, content: bytes, choice: Choice, shown: Shown = lambda items, words: items) -> EventImport:
    """Put the events of the file on the calendar; those that are there already change as the file has.

    A large file is written in several transactions, so that others can write in between. If it ends in the middle, the file can be
    imported again: what was written is known by its UID."""
    with ctx.read():
        calendar = _calendar(ctx, choice)
    # Before any transaction: it takes a while, and others want to write too.
    zone = choice.time_zone or calendar.time_zone
    plan = planned(ctx, read_file(content), zone, is_zone_given=choice.time_zone is not None, shown=shown)
    parts = batches(plan.arrivals)
    if len(parts) > 1:
        with ctx.read():
            _check_quota(ctx, calendar, plan)
    outcome = Outcome(Counter(skipped=plan.skipped), [], plan.remarks)
    for i, part in enumerate(shown(parts, "Writing"), start=1):
        with ctx.write(alone=True, is_last=i == len(parts)):
            _write(ctx, _calendar(ctx, choice), part, plan, choice.public, outcome)
        if i < len(parts):
            ctx.db.yield_to_other_writers()
    return outcome.reply()


def read_file(content: bytes) -> File:
    try:
        return parse.read(text.decode(mended(content)))
    except ValueError as error:
        raise errors.invalid("file", str(error), "invalid_format") from None


def _calendar(ctx: Context, choice: Choice) -> Calendar:
    """The calendar that was chosen, which the actor may edit; else their primary one."""
    policy.user(ctx)
    return policy.calendar(ctx, choice.calendar_id, to=Right.EDIT) if choice.calendar_id else policy.primary_calendar(ctx)


def _check_quota(ctx: Context, calendar: Calendar, plan: Plan) -> None:
    """Refuse a file that does not fit before a part of it is written."""
    missing = existing.missing(ctx, calendar, plan.uids)
    rows = [wanted.content.columns for arrival in plan.arrivals if arrival.uid in missing for wanted in arrival.wanted.values()]
    quotas.check(ctx, policy.user(ctx).id, "events", len(rows), sum(map(quotas.size, rows)))


def _write(ctx: Context, calendar: Calendar, arrivals: list[Arrival], plan: Plan, public: bool | None, outcome: Outcome) -> None:
    # Two who import the same file at once would both find nothing.
    ctx.tx.advisory_lock(f"import into {calendar.id}")
    found = existing.find(ctx, calendar, (arrival.uid for arrival in arrivals), plan.uids)
    writing = Writing(ctx, calendar, public)
    kept: list[Arrival] = []
    for arrival in arrivals:
        there = found.get(arrival.uid, Known())
        refusal = _refusal(arrival, there)
        if refusal:
            outcome.remarks.append(Remark(arrival.line, "file", f"it was left as it is: {refusal}"))
            outcome.counts["skipped"] += 1
        else:
            outcome.counts[writing.add(arrival, there)] += 1
            kept.append(arrival)
    writing.write()
    outcome.events += writing.listed(kept[: MOST_LISTED - len(outcome.events)])


def _refusal(arrival: Arrival, there: Known) -> str:
    if not all(event.can_edit for event in there.held.values()):
        return "it is not yours to edit"
    if there.is_elsewhere:
        return "some of its occurrences are not on this calendar"
    alone = there.held.get("")
    return "it repeats here by another rule" if arrival.rule and alone and alone.series_id is not None else ""
