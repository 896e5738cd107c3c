"""The SQL of sources and their runs."""

from typing import Any

from msgspec import Struct, structs

from kalends import policy
from kalends.core.i18n import dump
from kalends.core.records.source import NewSource, PauseReason, RunState, Source, SourceRun
from kalends.db import columns
from kalends.features.sources.model import SourceFields
from kalends.http.context import Context
from kalends.http.paging import Paging

KEPT_RUNS = 50
# Longer than any run. When a lease expires, the run was interrupted, and another one finishes its work.
LEASE = 600

_RUN = columns(SourceRun, is_acceptable="state = 'held' AND content IS NOT NULL")
_EDITABLE = """s.calendar_id IN (SELECT id FROM calendars WHERE owner_id = :me
    UNION SELECT calendar_id FROM calendar_shares WHERE user_id = :me AND role = 'editor')"""


class Outcome(Struct, frozen=True):
    """How a run ended. content: what was held back, compressed."""

    state: RunState
    status: int | None = None
    size: int = 0
    created: int = 0
    changed: int = 0
    removed: int = 0
    reason: str = ""
    content: bytes | None = None


def index(ctx: Context, user_id: int, calendar_id: int | None, paging: Paging) -> list[Source]:
    """The sources of the calendars that the user may edit; of one alone, if it is given."""
    where = "s.calendar_id = :calendar_id AND " if calendar_id else ""
    params: dict[str, Any] = {"calendar_id": calendar_id} if calendar_id else {}
    sql = f"{policy.SELECT_SOURCES} WHERE {where}{_EDITABLE} ORDER BY s.id LIMIT :limit OFFSET :offset"
    return ctx.tx.all(Source, sql, me=user_id, limit=paging.fetch, offset=paging.offset, **params)


def count(ctx: Context, user_id: int, calendar_id: int | None) -> int:
    where = "s.calendar_id = :calendar_id AND " if calendar_id else ""
    params: dict[str, Any] = {"calendar_id": calendar_id} if calendar_id else {}
    return int(ctx.tx.value(f"SELECT count(*) FROM sources s WHERE {where}{_EDITABLE}", me=user_id, **params))


def index_all(ctx: Context, paging: Paging) -> list[Source]:
    sql = f"{policy.SELECT_SOURCES} ORDER BY s.id LIMIT :limit OFFSET :offset"
    return ctx.tx.all(Source, sql, limit=paging.fetch, offset=paging.offset)


def count_all(ctx: Context) -> int:
    return int(ctx.tx.value("SELECT count(*) FROM sources"))


def count_of_user(ctx: Context, user_id: int) -> int:
    return int(ctx.tx.value("SELECT count(*) FROM sources WHERE user_id = :user_id", user_id=user_id))


def get(ctx: Context, source_id: int) -> Source | None:
    return ctx.tx.one(Source, f"{policy.SELECT_SOURCES} WHERE s.id = :id", id=source_id)


def insert(ctx: Context, new: NewSource) -> int:
    """Insert the source, claimed for its first run."""
    source_id: int = ctx.tx.value(
        """INSERT INTO sources (calendar_id, user_id, url, feed_url, kind, name, public, republish, tag_list, title_contains, every,
                                suggested, next_at, leased_until, checked_at, created_at, updated_at)
           VALUES (:calendar_id, :user_id, :url, :feed_url, :kind, :name, :public, :republish, :tag_list, :title_contains, :every,
                   :suggested, :now, :lease, :now, :now, :now)
           RETURNING id""",
        **structs.asdict(new),
        now=ctx.now,
        lease=ctx.now + LEASE,
    )
    return source_id


def update(ctx: Context, source: Source, changed: SourceFields, paused: PauseReason | None) -> None:
    """Change it. It is read anew at once; a run that is under way writes nothing more."""
    ctx.tx.run(
        """UPDATE sources SET name = :name, public = :public, republish = :republish, tag_list = :tag_list,
               title_contains = :title_contains, every = :interval, paused = :paused, etag = '', modified = '', digest = '',
               failures = CASE WHEN paused IS NOT NULL THEN 0 ELSE failures END,
               failing_since = CASE WHEN paused IS NOT NULL THEN NULL ELSE failing_since END,
               next_at = :now, leased_until = 0, updated_at = :now
           WHERE id = :id""",
        id=source.id,
        now=ctx.now,
        **structs.asdict(changed) | {"paused": paused},
    )


def delete(ctx: Context, source_id: int) -> None:
    ctx.tx.run("DELETE FROM sources WHERE id = :id", id=source_id)


def lock_new(ctx: Context) -> None:
    """Let no other request insert a source until the transaction ends."""
    ctx.tx.advisory_lock("sources")


def lock_claims(ctx: Context) -> None:
    """Let no other process claim a source for a fetch until the transaction ends."""
    ctx.tx.advisory_lock("claims of sources")


def find_leased(ctx: Context) -> list[tuple[int, str]]:
    """The ids and addresses of the sources that runs have right now."""
    return [(source_id, url) for source_id, url in ctx.tx.rows("SELECT id, feed_url FROM sources WHERE leased_until > :now", now=ctx.now)]


def find_due(ctx: Context, limit: int) -> list[str]:
    """The addresses to fetch."""
    rows = ctx.tx.rows(
        "SELECT feed_url FROM sources WHERE paused IS NULL AND next_at <= :now AND leased_until <= :now ORDER BY next_at LIMIT :limit",
        now=ctx.now,
        limit=limit,
    )
    return [url for (url,) in rows]


def find_same(ctx: Context, url: str, soon: int) -> list[int]:
    """The sources with this address that are due until then."""
    rows = ctx.tx.rows(
        """SELECT id FROM sources WHERE feed_url = :url AND paused IS NULL AND next_at <= :soon AND leased_until <= :now ORDER BY id""",
        url=url,
        soon=soon,
        now=ctx.now,
    )
    return [source_id for (source_id,) in rows]


def claim(ctx: Context, source_id: int, *, unless_checked_since: int | None = None) -> Source | None:
    """Reserve the source for one run, unless another run has it; None if so. Only the run that has the lease writes.

    unless_checked_since: nor if it was fetched since then."""
    sql = "UPDATE sources SET leased_until = :until, checked_at = :now WHERE id = :id AND leased_until <= :now"
    params: dict[str, Any] = {}
    if unless_checked_since is not None:
        sql += " AND (checked_at IS NULL OR checked_at <= :since)"
        params["since"] = unless_checked_since
    return get(ctx, source_id) if ctx.tx.run(sql, id=source_id, now=ctx.now, until=ctx.now + LEASE, **params) else None


def holds(ctx: Context, source: Source) -> bool:
    """Whether this run still has the source to itself; nobody takes it until the transaction ends."""
    sql = "UPDATE sources SET leased_until = leased_until WHERE id = :id AND leased_until = :lease"
    return ctx.tx.run(sql, id=source.id, lease=source.leased_until) == 1


def finish(ctx: Context, source: Source, **values: Any) -> None:
    """End the run of the source, and store what is known of it now."""
    assignments = ", ".join(f"{name} = :{name}" for name in values)
    ctx.tx.run(f"UPDATE sources SET leased_until = 0, {assignments} WHERE id = :id", id=source.id, **values)


def pause(ctx: Context, source_id: int, reason: PauseReason) -> None:
    ctx.tx.run(
        "UPDATE sources SET paused = :reason, leased_until = 0, updated_at = :now WHERE id = :id", id=source_id, reason=reason, now=ctx.now
    )


def index_runs(ctx: Context, source_id: int, paging: Paging) -> list[SourceRun]:
    sql = f"SELECT {_RUN} FROM source_runs WHERE source_id = :id ORDER BY id DESC LIMIT :limit OFFSET :offset"
    return ctx.tx.all(SourceRun, sql, id=source_id, limit=paging.fetch, offset=paging.offset)


def count_runs(ctx: Context, source_id: int) -> int:
    return int(ctx.tx.value("SELECT count(*) FROM source_runs WHERE source_id = :id", id=source_id))


def get_run(ctx: Context, run_id: int) -> SourceRun:
    run = ctx.tx.one(SourceRun, f"SELECT {_RUN} FROM source_runs WHERE id = :id", id=run_id)
    assert run is not None
    return run


def insert_run(ctx: Context, source_id: int, outcome: Outcome) -> int:
    """Record a run. What an earlier one held back can no longer be accepted, and the oldest are forgotten."""
    ctx.tx.run("UPDATE source_runs SET content = NULL WHERE source_id = :id AND content IS NOT NULL", id=source_id)
    values = {name: getattr(outcome, name) for name in Outcome.__struct_fields__} | {"reason": dump(outcome.reason)}
    run_id: int = ctx.tx.value(
        """INSERT INTO source_runs (source_id, state, status, size, created, changed, removed, reason, content, created_at)
           VALUES (:source_id, :state, :status, :size, :created, :changed, :removed, :reason, :content, :now) RETURNING id""",
        source_id=source_id,
        now=ctx.now,
        **values,
    )
    ctx.tx.run(
        """DELETE FROM source_runs WHERE source_id = :id AND id <= coalesce(
               (SELECT id FROM source_runs WHERE source_id = :id ORDER BY id DESC LIMIT 1 OFFSET :kept), 0)""",
        id=source_id,
        kept=KEPT_RUNS,
    )
    return run_id


def accept(ctx: Context, run_id: int) -> bool:
    """Mark what a run held back as accepted; False if there is nothing to accept any more."""
    sql = """UPDATE source_runs SET accepted_at = coalesce(accepted_at, :now) WHERE id = :id AND state = 'held' AND content IS NOT NULL"""
    return ctx.tx.run(sql, id=run_id, now=ctx.now) == 1


def find_accepted(ctx: Context, source_id: int) -> tuple[int, bytes] | None:
    """The run that was accepted and is not applied yet, with what it fetched."""
    rows = ctx.tx.rows(
        """SELECT id, content FROM source_runs
           WHERE source_id = :id AND state = 'held' AND accepted_at IS NOT NULL AND content IS NOT NULL ORDER BY id DESC LIMIT 1""",
        id=source_id,
    )
    return (rows[0][0], bytes(rows[0][1])) if rows else None


def finish_accepted(ctx: Context, run_id: int, created: int, changed: int, removed: int) -> None:
    """What was held back is applied now."""
    ctx.tx.run(
        """UPDATE source_runs SET state = 'applied', content = NULL, created = :created, changed = :changed, removed = :removed
           WHERE id = :id""",
        id=run_id,
        created=created,
        changed=changed,
        removed=removed,
    )
