"""Forgetting the guests of past events, as their calendars say."""

from collections.abc import Callable

from kalends.features.responses import retention_store as store
from kalends.http.context import Context


def forget_due(ctx: Context) -> None:
    """Erase who the guests of events were that ended long enough ago, in transactions that let others write in between. If it is
    interrupted, the rest follows in the next round."""
    with ctx.read():
        calendars = store.find_due_calendars(ctx)
    for calendar_id, before in calendars:
        while _forget_some(ctx, calendar_id, before):
            pass
        with ctx.read():
            series_ids = store.find_series(ctx, calendar_id, before)
        for series_id in series_ids:
            _in_batches(ctx, store.erase_series, series_id)
        with ctx.write():
            store.record_run(ctx, calendar_id)


def _forget_some(ctx: Context, calendar_id: int, before: int) -> bool:
    """Erase the guests of some events; returns whether there were any."""
    with ctx.read():
        event_ids = store.find_events(ctx, calendar_id, before)
    for event_id in event_ids:
        _in_batches(ctx, store.erase_batch, event_id)
    return bool(event_ids)


def _in_batches(ctx: Context, erase: Callable[[Context, int], bool], record_id: int) -> None:
    more = True
    while more:
        with ctx.write():
            more = erase(ctx, record_id)
        ctx.db.yield_to_other_writers()
