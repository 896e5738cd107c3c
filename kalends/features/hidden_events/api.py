"""Events that admins have hidden from everybody but their editors."""

from typing import Annotated

from msgspec import Meta, Struct

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.administration import HiddenEvent
from kalends.core.records.delivery import ModerationNotice
from kalends.core.values import timestamps
from kalends.features.admin.audit import store as audit
from kalends.features.deliveries import store as deliveries
from kalends.features.events import store as events
from kalends.features.events.series import store as series_store
from kalends.features.hidden_events import store
from kalends.http.context import Context
from kalends.http.endpoint import endpoint
from kalends.http.input.options import FieldOptions
from kalends.http.input.types import Deletion, Id, Instant, RecordId
from kalends.http.paging import Page, Paging, build_page

HidingReason = Annotated[str, Meta(min_length=1, max_length=2_000, description="Why, for its editors."), FieldOptions(multiline=True)]


class HiddenEventInput(Struct, kw_only=True):
    """An event to hide."""

    event_id: Annotated[Id, Meta(description="The event; of a series, any of its dates.")]
    reason: HidingReason


class HiddenEventItem(Struct, kw_only=True):
    """A hidden event, or series."""

    id: RecordId
    event_id: Annotated[int, Meta(description="Id of the event; of a series, of the date that the admin chose.")]
    title: Annotated[str | None, Meta(description="Title of the event; null if it was deleted.")]
    reason: Annotated[str, Meta(description="The reason that the editors of the event get.")]
    hidden_at: Annotated[Instant, Meta(description="When it was hidden, in UTC.")]


class HiddenEventIndex(Page):
    hidden_events: Annotated[list[HiddenEventItem], Meta(description="The hidden events.")]


@endpoint("GET", "/api/hidden_events", for_admins=True)
def index(ctx: Context, params: Paging) -> HiddenEventIndex:
    """The hidden events, newest first; for admins."""
    policy.admin(ctx)
    rows, page = build_page(ctx, params, store.index(ctx, params.fetch, params.offset), lambda: store.count(ctx))
    return HiddenEventIndex([_item(row) for row in rows], **page)


@endpoint("POST", "/api/hidden_events", status=201)
def create(ctx: Context, params: HiddenEventInput) -> HiddenEventItem:
    """Hide an event, and all dates of its series, from everybody but its editors; for admins.

    The editors are mailed the reason, and see it on the page of the event. They can read the event and delete it; nothing else changes
    until it is shown again. An event that is hidden already gets the new reason.
    """
    policy.admin(ctx)
    ctx.via = "moderation"
    events.lock(ctx, [params.event_id])
    with errors.naming("event_id"):
        event = policy.event_of_admin(ctx, params.event_id)
    hidden = store.find_by_event(ctx, event.id)
    if hidden is None:
        dates = events.find_by_series(ctx, [event.series_id]) if event.series_id is not None else [event]
        events.lock_events(ctx, [date.id for date in dates])
        hidden_id = store.insert(ctx, event.id, [date.id for date in dates], params.reason)
    else:
        hidden_id = hidden.id
        store.update(ctx, hidden_id, params.reason)
    _notify(ctx, event.id, "event_hidden")
    audit.record(ctx, "event_hidden", "event", event.id)
    return _item(_get(ctx, hidden_id))


@endpoint("DELETE", "/api/hidden_events/{hidden_id}")
def destroy(ctx: Context, hidden_id: int) -> Deletion:
    """Show the event again to all who saw it before; for admins. Its editors get mail."""
    policy.admin(ctx)
    ctx.via = "moderation"
    hidden = _get(ctx, hidden_id)
    events.lock(ctx, [date.event_id for date in store.find_dates(ctx, hidden.id)])
    # Those that someone deleted meanwhile are gone.
    dates = store.find_dates(ctx, hidden.id)
    if not dates:
        raise errors.Conflict(gettext("The event was deleted. Its owner can restore it from the trash. After that you can unhide it."))
    store.delete(ctx, hidden.id, dates)
    event = events.get(ctx, dates[0].event_id)
    if event.series_id is not None:
        series_store.make_again_from(ctx, event.series_id, hidden.hidden_at)
    _notify(ctx, event.id, "event_shown")
    audit.record(ctx, "event_shown", "event", event.id)
    return Deletion([hidden_id])


def _notify(ctx: Context, event_id: int, notice: ModerationNotice) -> None:
    for editor in store.find_editors(ctx, event_id):
        deliveries.insert_notice(ctx, editor, notice, event_id)


def _get(ctx: Context, hidden_id: int) -> HiddenEvent:
    hidden = store.find(ctx, hidden_id)
    if hidden is None:
        raise errors.NotFound
    return hidden


def _item(row: HiddenEvent) -> HiddenEventItem:
    return HiddenEventItem(
        id=row.id, event_id=row.event_id, title=row.title, reason=row.reason, hidden_at=timestamps.format_utc(row.hidden_at)
    )
