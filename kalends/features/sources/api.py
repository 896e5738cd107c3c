"""Sources: calendars that live elsewhere are followed."""

from msgspec import structs

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.source import Source
from kalends.features.events import store as events
from kalends.features.events.imports.steps.file import ImportOptions, import_file
from kalends.features.events.model import EventImport
from kalends.features.sources import item_store, present, store
from kalends.features.sources.model import (
    AddressImport,
    Detached,
    RunDecision,
    RunIndex,
    RunItem,
    SourceDetail,
    SourceEnd,
    SourceFields,
    SourceIndex,
    SourceInput,
    SourceItem,
    SourceQuery,
)
from kalends.features.sources.steps.apply import end
from kalends.features.sources.steps.claim import claim_by_hand
from kalends.features.sources.steps.follow import fetch_address, follow, look_up
from kalends.features.sources.steps.run import accept, fetch_for, run
from kalends.http.context import Context
from kalends.http.endpoint import endpoint
from kalends.http.input.fields import Changes
from kalends.http.input.types import Deletion
from kalends.http.paging import Paging, build_page
from kalends.policy import Right


@endpoint("GET", "/api/sources")
def index(ctx: Context, params: SourceQuery) -> SourceIndex:
    """The sources of the calendars that you may edit."""
    user = policy.user(ctx)
    if params.calendar_id is not None:
        with errors.naming("calendar_id"):
            policy.calendar(ctx, params.calendar_id, to=Right.EDIT)
    rows, page = build_page(
        ctx, params, store.index(ctx, user.id, params.calendar_id, params), lambda: store.count(ctx, user.id, params.calendar_id)
    )
    sources = [present.item(ctx, row) for row in rows]
    return SourceIndex(sources=sources, **page)


@endpoint("POST", "/api/sources", status=201, location="/api/sources/{id}", transaction=False, pool="upload")
def create(ctx: Context, params: SourceInput) -> SourceDetail:
    """Follow a calendar: the address is read at once, its events are created, and it is fetched again from time to time.

    `found` says what is there; with `dry_run`, nothing else happens. 422 says what was found instead of a calendar, 409 that the
    calendar follows the address already. An account follows at most 50 calendars.
    """
    reading = look_up(ctx, params)
    source_id = follow(ctx, params, reading)
    with ctx.read():
        item = present.item(ctx, policy.source(ctx, source_id))
    return SourceDetail(**structs.asdict(item), found=reading.found)


@endpoint("POST", "/api/sources/imports", status=201, transaction=False, pool="upload")
def import_once(ctx: Context, params: AddressImport) -> EventImport:
    """Import what is at an address once, as a file with it would be: it is not fetched again, and its events are yours to change."""
    _, fetched, _ = fetch_address(ctx, params.url, params.calendar_id)
    try:
        return import_file(ctx, (fetched.content or "").encode("utf-8", "replace"), ImportOptions(params.calendar_id, params.public))
    except errors.Invalid as error:
        # The file is what the address leads to.
        raise errors.invalid("url", error.errors[0].message) from None


@endpoint("GET", "/api/sources/{source_id}")
def show(ctx: Context, source_id: int) -> SourceItem:
    """A source, and how it is."""
    return present.item(ctx, policy.source(ctx, source_id))


@endpoint("PUT", "/api/sources/{source_id}")
def update(ctx: Context, source_id: int, params: Changes[SourceFields]) -> SourceItem:
    """Change the source, or pause it. It is then read anew."""
    source = policy.source(ctx, source_id)
    changed = params.over(present.editable(source))
    if not changed.paused:
        policy.require_sources(ctx)
        policy.require_follower(ctx, source)
    store.update(ctx, source, changed, (source.paused or "owner") if changed.paused else None)
    if changed.republish != source.republish:
        item_store.touch_calendars(ctx, source.id)
    return show(ctx, source_id)


@endpoint("DELETE", "/api/sources/{source_id}", transaction=False)
def destroy(ctx: Context, source_id: int, params: SourceEnd) -> Deletion:
    """Stop following. By default, the events become ordinary ones."""
    with ctx.write(is_last=False):
        source = policy.source(ctx, source_id)
        store.pause(ctx, source.id, "owner")
    end(ctx, source, keep_events=params.events == "keep")
    return Deletion([source_id])


@endpoint("GET", "/api/sources/{source_id}/runs")
def runs(ctx: Context, source_id: int, params: Paging) -> RunIndex:
    """The last 50 runs, newest first."""
    source = policy.source(ctx, source_id)
    rows, page = build_page(ctx, params, store.index_runs(ctx, source.id, params), lambda: store.count_runs(ctx, source.id))
    return RunIndex([present.run_item(row) for row in rows], **page)


@endpoint("POST", "/api/sources/{source_id}/runs", status=201, transaction=False, pool="upload")
def create_run(ctx: Context, source_id: int) -> RunItem:
    """Fetch the source now; at most once a minute."""
    with ctx.read():
        policy.require_follower(ctx, policy.source(ctx, source_id))
        policy.require_sources(ctx)
    with ctx.write(is_last=False):
        source = claim_by_hand(ctx, source_id)
    run_id = run(ctx, source, fetch_for(ctx, source))
    with ctx.read():
        if run_id is None:
            raise errors.Conflict(gettext("The source was changed while it was fetched. Try again."))
        return present.run_item(store.get_run(ctx, run_id))


@endpoint("PUT", "/api/sources/{source_id}/runs/{run_id}", transaction=False, pool="upload")
def accept_run(ctx: Context, source_id: int, run_id: int, params: RunDecision) -> RunItem:
    """Accept what a run held back: it is applied as it was fetched then. 409 if a later run has replaced it."""
    if not params.accepted:
        raise errors.invalid("accepted", gettext("must be true: what isn’t accepted stays held back"))
    with ctx.write(is_last=False):
        held = policy.source_run(ctx, source_id, run_id)
        if held.state == "applied" and held.accepted_at is not None:
            return present.run_item(held)
        policy.require_follower(ctx, policy.source(ctx, source_id))
        source = _claim(ctx, source_id)
        if not store.accept(ctx, run_id):
            raise errors.Conflict(gettext("There is nothing to accept any more. Look at the newest run."))
    accept(ctx, source)
    with ctx.read():
        return present.run_item(store.get_run(ctx, run_id))


@endpoint("DELETE", "/api/sources/{source_id}/events/{event_id}")
def detach(ctx: Context, source_id: int, event_id: int) -> Detached:
    """Detach an event from its source, or the whole series: it becomes an ordinary one, and the source no longer changes it."""
    source = policy.source(ctx, source_id)
    events.lock(ctx, [event_id])
    event = policy.event(ctx, event_id, to=Right.EDIT)
    if not item_store.detach(ctx, source.id, event.id, event.series_id):
        raise errors.NotFound
    return Detached(event_id)


def _claim(ctx: Context, source_id: int) -> Source:
    source = store.claim(ctx, source_id)
    if source is None:
        raise errors.Conflict(gettext("The source is being fetched right now. Try again in a moment."))
    return source
