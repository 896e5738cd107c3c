"""One run of a source: fetch, compare, and apply or hold back."""

import random
import zlib
from typing import Any

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.log import get_logger
from kalends.core.records.delivery import ChangeNotice
from kalends.core.records.source import Source
from kalends.core.values import datetimes
from kalends.features.deliveries import store as deliveries
from kalends.features.sources import item_store, store
from kalends.features.sources.model import QUOTA
from kalends.features.sources.rules import interval
from kalends.features.sources.rules.compare import Decision, compare
from kalends.features.sources.steps.apply import Applied, Lost, apply
from kalends.features.sources.steps.fetch import Fetched, FetchFailed, fetch
from kalends.features.sources.steps.read import Feed, Unreadable, read
from kalends.features.sources.store import Outcome
from kalends.features.users import store as users
from kalends.http.context import Context

log = get_logger(__name__)

# What is written to the owner again at the earliest after this time, however often a source fails and recovers.
NOTIFIED_EACH = 86_400


def fetch_for(ctx: Context, source: Source) -> Fetched | FetchFailed:
    """What the source has now. No transaction is open meanwhile."""
    # What was read in another month is read again: some dates are made for a time ahead.
    digest, _, month = source.digest.partition(" ")
    known = (source.etag, source.modified, digest) if month == _month(ctx) else ("", "", "")
    try:
        return fetch(ctx.settings, source.feed_url, source.kind, *known)
    except FetchFailed as failure:
        return failure


def run(ctx: Context, source: Source, fetched: Fetched | FetchFailed, feed: Feed | None = None) -> int | None:
    """Do what follows from what was fetched, and record it; returns the id of the run. None: another run has the source.

    feed: what was fetched, if it was read already."""
    status, size = (fetched.status, fetched.size)
    try:
        try:
            _finish_accepted(ctx, source)
            if isinstance(fetched, FetchFailed):
                return _record_bad(ctx, source, Outcome("failed", status, size, reason=fetched.reason), fetched.retry_after)
            if fetched.content is None or source.digest == _version(ctx, fetched):
                values = {"unchanged": source.unchanged + 1} | ({} if status == 304 else _validators(fetched))
                return _record(ctx, source, Outcome("unchanged", status, size), values)
            return _apply(ctx, source, fetched, feed or read_feed(ctx, source, fetched.content, fetched.headers))
        except Unreadable as failure:
            return _record_bad(ctx, source, Outcome("failed", status, size, reason=failure.reason))
        except errors.Problem as problem:
            return _record_bad(ctx, source, Outcome("failed", status, size, reason=problem.detail or problem.title))
    except Lost:
        log.info("source_run_lost", source=source.id)
        return None


def accept(ctx: Context, source: Source) -> None:
    """Apply what was held back and accepted."""
    _finish_accepted(ctx, source)
    with ctx.write():
        if store.holds(ctx, source):
            _finish(ctx, source, {"unchanged": 0})


def read_feed(ctx: Context, source: Source, content: str, headers: dict[str, str]) -> Feed:
    """What was fetched, read as the source wants it."""
    with ctx.read():
        zone = policy.calendar(ctx, source.calendar_id, to=policy.Right.EDIT).time_zone
    return read(ctx, content, headers, zone, source.title_contains, source.tag_list)


def _version(ctx: Context, fetched: Fetched) -> str:
    """What the content is known by. It is read once a month all the same: some dates are made for a time ahead."""
    return f"{fetched.digest} {_month(ctx)}"


def _month(ctx: Context) -> str:
    return f"{datetimes.to_local(ctx.now, 'UTC'):%Y-%m}"


def _validators(fetched: Fetched) -> dict[str, str]:
    """What the server calls this version, for the next request; nothing that a header field or the database could not have."""
    etag, modified = fetched.headers.get("etag", ""), fetched.headers.get("last-modified", "")
    return {"etag": etag if _is_plain(etag, 500) else "", "modified": modified if _is_plain(modified, 100) else ""}


def _is_plain(value: str, limit: int) -> bool:
    return len(value) < limit and value.isascii() and value.isprintable()


def _finish_accepted(ctx: Context, source: Source) -> None:
    """Apply what was held back and accepted since, also if that was interrupted."""
    with ctx.read():
        accepted = store.find_accepted(ctx, source.id)
    if accepted is None:
        return
    run_id, content = accepted
    feed = read_feed(ctx, source, zlib.decompress(content).decode(), {})
    with ctx.read():
        decision = compare(item_store.find_here(ctx, source.id), feed.there(ctx.now))
    _require_quota(ctx, source, feed, decision)
    applied = apply(ctx, source, feed, decision)
    with ctx.write(is_last=False):
        if not store.holds(ctx, source):
            raise Lost
        store.finish_accepted(ctx, run_id, applied.created, applied.changed, applied.removed)


def _apply(ctx: Context, source: Source, fetched: Fetched, feed: Feed) -> int:
    with ctx.read():
        decision = compare(item_store.find_here(ctx, source.id), feed.there(ctx.now))
    if decision.reason:
        content = zlib.compress((fetched.content or "").encode("utf-8", "replace"), 6)
        return _record_bad(ctx, source, Outcome("held", fetched.status, fetched.size, reason=decision.reason, content=content))
    _require_quota(ctx, source, feed, decision)
    applied = Applied() if decision.is_empty else apply(ctx, source, feed, decision)
    is_same = applied == Applied()
    counts = (applied.created, applied.changed, applied.removed)
    outcome = Outcome("unchanged" if is_same else "applied", fetched.status, fetched.size, *counts)
    version = _validators(fetched) | {"digest": _version(ctx, fetched)}
    return _record(ctx, source, outcome, version | {"suggested": feed.suggested, "unchanged": source.unchanged + 1 if is_same else 0})


def _require_quota(ctx: Context, source: Source, feed: Feed, decision: Decision) -> None:
    """Refuse more events than an account may have: those of new UIDs, and those that a UID gets more when it changes."""
    there = sum(len(feed.items[uid].incoming.events) for uid in (*decision.create, *decision.change))
    with ctx.read():
        new = there - item_store.count_events_of(ctx, source.id, decision.change)
        if new > 0 and item_store.count_events(ctx, source.user_id) + new > QUOTA:
            raise errors.QuotaReached(gettext("An account has at most %(max)s events from other calendars. End a source first.", max=QUOTA))


def _record(ctx: Context, source: Source, outcome: Outcome, values: dict[str, Any]) -> int:
    """Record a run after which all is well."""
    with ctx.write():
        if not store.holds(ctx, source):
            raise Lost
        run_id = store.insert_run(ctx, source.id, outcome)
        _finish(ctx, source, values)
        return run_id


def _finish(ctx: Context, source: Source, values: dict[str, Any]) -> None:
    suggested = values.get("suggested", source.suggested)
    pause = interval.pause_after(source.every, suggested, values["unchanged"], 0, random.random())  # noqa: S311
    was_notified = source.notified_at is not None and source.notified_at > ctx.now - NOTIFIED_EACH
    values |= {"failures": 0, "failing_since": None, "notified_at": source.notified_at if was_notified else None}
    store.finish(ctx, source, good_at=ctx.now, next_at=ctx.now + pause, **values)


def _record_bad(ctx: Context, source: Source, outcome: Outcome, retry_after: int = 0) -> int:
    """Record a run after which nothing has changed, notify the owner once, and pause what has failed for a week."""
    failing_since = source.failing_since or ctx.now
    is_over = outcome.state == "failed" and ctx.now - failing_since >= interval.PAUSED_AFTER
    pause = interval.pause_after(source.every, source.suggested, 0, source.failures + 1, random.random(), retry_after)  # noqa: S311
    with ctx.write():
        if not store.holds(ctx, source):
            raise Lost
        run_id = store.insert_run(ctx, source.id, outcome)
        values = {"failures": source.failures + 1, "failing_since": failing_since, "notified_at": source.notified_at or ctx.now}
        store.finish(ctx, source, next_at=ctx.now + pause, **values)
        if is_over:
            store.pause(ctx, source.id, "failing")
        if is_over or source.notified_at is None:
            notice: ChangeNotice = "source_paused" if is_over else "source_held"
            deliveries.insert_account_mail(ctx, users.get(ctx, source.user_id), "notice", notice)
        return run_id
