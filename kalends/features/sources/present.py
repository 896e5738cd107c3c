"""Sources and runs as the API shows them."""

from kalends import policy
from kalends.core.i18n import load
from kalends.core.records.source import Source, SourceRun
from kalends.core.values import timestamps
from kalends.features.sources.model import RunItem, SourceFields, SourceItem, State
from kalends.features.sources.rules import address
from kalends.http.context import Context

# A fetch that is overdue for longer than this is late.
LATE_SECONDS = 900


def state(source: Source, now: int) -> State:
    if source.paused:
        return "paused"
    if source.last_state == "held":
        return "held"
    if source.last_state == "failed":
        return "failing"
    return "late" if now > source.next_at + LATE_SECONDS else "fresh"


def item(ctx: Context, source: Source) -> SourceItem:
    return SourceItem(
        id=source.id,
        calendar_id=source.calendar_id,
        user_id=source.user_id,
        url=(address.public_form if policy.may_see_address(ctx, source) else address.site_form)(source.url),
        kind=source.kind,
        name=source.name,
        public=bool(source.public),
        republish=bool(source.republish),
        tag_list=source.tag_list,
        title_contains=source.title_contains,
        interval=source.every,
        state=state(source, ctx.now),
        reason=load(source.last_reason or ""),
        paused=source.paused,
        good_at=_instant(source.good_at),
        next_at=None if source.paused else _instant(source.next_at),
        created_at=timestamps.format_utc(source.created_at),
        updated_at=timestamps.format_utc(source.updated_at),
    )


def editable(source: Source) -> SourceFields:
    return SourceFields(
        name=source.name,
        public=bool(source.public),
        republish=bool(source.republish),
        tag_list=source.tag_list,
        title_contains=source.title_contains,
        interval=source.every,
        paused=source.paused is not None,
    )


def run_item(run: SourceRun) -> RunItem:
    return RunItem(
        id=run.id,
        state=run.state,
        status=run.status,
        bytes=run.size,
        created=run.created,
        changed=run.changed,
        removed=run.removed,
        reason=load(run.reason),
        can_accept=bool(run.is_acceptable),
        created_at=timestamps.format_utc(run.created_at),
    )


def _instant(moment: int | None) -> str | None:
    return None if moment is None else timestamps.format_utc(moment)
