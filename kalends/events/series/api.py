"""Repeat an event."""

from msgspec import structs

from kalends import policy
from kalends.context import Context
from kalends.events import present, store, telling
from kalends.events.input import RepeatInput
from kalends.events.model import EventRepeated
from kalends.events.series import change, occurrences, request
from kalends.events.series import store as series
from kalends.http.endpoint import endpoint
from kalends.policy import Right
from kalends.responses import series as series_responses


@endpoint("PUT", "/api/events/{event_id}/repeat", only_tags=True)
def repeat(ctx: Context, event_id: int, params: RepeatInput) -> EventRepeated:
    """Repeat the event: every occurrence is an event of its own, with the same `series_id`.

    Repeating again replaces the rule: occurrences that fit the new rule stay, and the others are deleted, unless they have comments
    or responses or were changed alone. Without `end_date` or `count` the series has no end, and occurrences are created 24 months ahead.

    Who is invited to a date that is deleted is told; with `notify`, the guests of the event are told how it repeats.
    """
    store.lock(ctx, [event_id])
    event = policy.event(ctx, event_id, to=Right.EDIT)
    if event.series_id is not None:
        policy.require_whole_series(ctx, event.series_id)
    with change.refuse_overflow("end_date"):
        rule = request.read(params, event)
        plan = occurrences.plan(ctx, event, rule)
        preview = occurrences.describe(ctx, event, rule, plan)
        removed = store.find_by_ids(ctx, occurrences.find_removed(ctx, plan))
        told = telling.tell_repeated(ctx, event, preview.repeat.text, removed, params.notify, params.message)
        series_id = occurrences.repeat(ctx, event, rule, plan)
    series_responses.extend(ctx, series_id)
    outcome = structs.asdict(preview) | {"occurrences": series.count_events(ctx, series_id), "told": told}
    return EventRepeated(**structs.asdict(present.load_detail(ctx, event_id)) | outcome)
