"""Repeat an event."""

from msgspec import structs

from kalends import policy
from kalends.features.events import present, store
from kalends.features.events.input_model import RepeatInput
from kalends.features.events.model import EventRepeated
from kalends.features.events.series import store as series
from kalends.features.events.series.rules import request
from kalends.features.events.series.steps import change, occurrences
from kalends.features.events.steps.notify import notify_of_repeat
from kalends.features.responses.steps import series as series_responses
from kalends.http.context import Context
from kalends.http.endpoint import endpoint
from kalends.policy import Right


@endpoint("PUT", "/api/events/{event_id}/repeat", only_tags=True)
def repeat(ctx: Context, event_id: int, params: RepeatInput) -> EventRepeated:
    """Repeat the event: every occurrence is an event of its own, with the same `series_id`.

    Repeating again replaces the rule: occurrences that fit the new rule stay, and the others are deleted, unless they have comments
    or responses or were changed alone. Without `end_date` or `count` the series has no end, and occurrences are created 24 months ahead.

    Who is invited to a date that is deleted is notified; with `notify`, the guests of the event are notified how it repeats.
    """
    store.lock(ctx, [event_id])
    event = policy.event(ctx, event_id, to=Right.OWN)
    policy.require_own_content(ctx, [event])
    if event.series_id is not None:
        policy.require_whole_series(ctx, event.series_id)
    with change.refuse_overflow("end_date"):
        rule = request.read(params, event)
        plan = occurrences.plan(ctx, event, rule)
        preview = occurrences.describe(ctx, event, rule, plan)
        removed = store.find_by_ids(ctx, occurrences.find_removed(ctx, plan))
        notified = notify_of_repeat(ctx, event, preview.repeat.text, removed, params.notify, params.message)
        series_id = occurrences.repeat(ctx, event, rule, plan)
    series_responses.extend(ctx, series_id)
    outcome = structs.asdict(preview) | {"occurrences": series.count_events(ctx, series_id), "notified": notified}
    return EventRepeated(**structs.asdict(present.load_detail(ctx, event_id)) | outcome)
