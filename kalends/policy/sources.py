"""Who may follow calendars that live elsewhere, and what stays as the source has it."""

from collections.abc import Iterable
from typing import Any, Protocol, TypeVar

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.event import Event
from kalends.core.records.source import Origin, Source, SourceRun
from kalends.db import columns
from kalends.http.context import Context
from kalends.policy.actor import Right, me, user
from kalends.policy.calendars import calendar, is_member

_LAST_RUN = "(SELECT r.{name} FROM source_runs r WHERE r.source_id = s.id ORDER BY r.id DESC LIMIT 1)"
_EXPRESSIONS = {"last_state": _LAST_RUN.format(name="state"), "last_reason": _LAST_RUN.format(name="reason")}
SELECT_SOURCES = f"SELECT {columns(Source, 's', **_EXPRESSIONS)} FROM sources s"

_WITHHELD = "SELECT 1 FROM source_items i JOIN sources s ON s.id = i.source_id AND NOT s.republish WHERE"
_WITHHELD_IDS = "SELECT i.{0} FROM source_items i JOIN sources s ON s.id = i.source_id AND NOT s.republish WHERE i.{0}"
_ORIGIN = "SELECT s.id, s.name, i.page_url, s.republish FROM source_items i JOIN sources s ON s.id = i.source_id WHERE"


class _Event(Protocol):
    """An event, with all of its columns or some."""

    @property
    def id(self) -> int: ...
    @property
    def series_id(self) -> int | None: ...


_Listed = TypeVar("_Listed", bound=_Event)


def source(ctx: Context, source_id: int) -> Source:
    """A source, for those who may edit its calendar."""
    user(ctx)
    row = ctx.tx.one(Source, f"{SELECT_SOURCES} WHERE s.id = :id", id=source_id)
    if row is None:
        raise errors.NotFound
    try:
        calendar(ctx, row.calendar_id, to=Right.EDIT)
    except errors.Forbidden:
        raise errors.NotFound from None
    return row


def source_run(ctx: Context, source_id: int, run_id: int) -> SourceRun:
    """A run of a source, for those who may edit its calendar."""
    selected = columns(SourceRun, is_acceptable="state = 'held' AND content IS NOT NULL")
    sql = f"SELECT {selected} FROM source_runs WHERE id = :id AND source_id = :source_id"
    run = ctx.tx.one(SourceRun, sql, id=run_id, source_id=source(ctx, source_id).id)
    if run is None:
        raise errors.NotFound
    return run


def may_see_address(ctx: Context, source: Source) -> bool:
    """Whether the actor follows the source. Others see its host: an address may be the secret that opens a private calendar."""
    return source.user_id == user(ctx).id


def follower_may_edit(ctx: Context, source: Source) -> bool:
    """Whether who follows the source may still edit its calendar: what they follow ends with the role."""
    sql = """SELECT 1 FROM calendars c JOIN users u ON u.id = :user_id AND u.status = 'active' WHERE c.id = :calendar_id AND (
        c.owner_id = :user_id OR EXISTS (
            SELECT 1 FROM calendar_shares s WHERE s.calendar_id = c.id AND s.user_id = :user_id AND s.role = 'editor'))"""
    return bool(ctx.tx.rows(sql, calendar_id=source.calendar_id, user_id=source.user_id))


def require_follower(ctx: Context, source: Source) -> None:
    """Raise Conflict for a source of somebody who may no longer edit its calendar, whoever asks for a run."""
    if not follower_may_edit(ctx, source):
        raise errors.Conflict(
            gettext("Whoever followed it can’t edit this calendar any more. Stop following it, then follow the address yourself.")
        )


def require_sources(ctx: Context) -> None:
    """Raise Forbidden if the operator has switched sources off."""
    if ctx.settings.sources == "off":
        raise errors.Forbidden(gettext("Following other calendars is turned off on this server. Import a file instead."))


def origin(ctx: Context, event_id: int, series_id: int | None) -> Origin | None:
    """The source of an event; None if it was created here."""
    rows = ctx.tx.rows(f"{_ORIGIN} i.event_id = :event_id", event_id=event_id)
    if not rows and series_id is not None:
        rows = ctx.tx.rows(f"{_ORIGIN} i.series_id = :series_id", series_id=series_id)
    return Origin(*rows[0]) if rows else None


def followed_ids(ctx: Context, events: Iterable[Event]) -> set[int]:
    """The ids of those of the events that come from a source."""
    rows, in_list = list(events), ctx.db.in_list("ids")
    if not rows:
        return set()
    of_ids = ctx.tx.rows(f"SELECT event_id FROM source_items WHERE event_id {in_list}", ids=[each.id for each in rows])
    series_ids = sorted({each.series_id for each in rows if each.series_id is not None})
    of_series = ctx.tx.rows(f"SELECT series_id FROM source_items WHERE series_id {in_list}", ids=series_ids) if series_ids else []
    singles, series = {each for (each,) in of_ids}, {each for (each,) in of_series}
    return {each.id for each in rows if each.id in singles or each.series_id in series}


def require_own_content(ctx: Context, events: Iterable[Event]) -> None:
    """Raise Forbidden if the title, the times and the like of one of the events are those of a source."""
    for each in events:
        if (found := origin(ctx, each.id, each.series_id)) is not None:
            raise errors.Forbidden(
                gettext(
                    "“%(title)s” is as %(source)s has it: its title, time, place, description and status are changed there. To change "
                    "them here, detach the event from its source.",
                    title=each.title,
                    source=found.name,
                )
            )


def republished(event: str) -> str:
    """SQL: whether an event may be in public feeds, the sitemap and webhooks: one of a source only if its owner says so."""
    return f"""(NOT EXISTS ({_WITHHELD} i.event_id = {event}.id) AND ({event}.series_id IS NULL
        OR NOT EXISTS ({_WITHHELD} i.series_id = {event}.series_id)))"""


def without_withheld(ctx: Context, events: list[_Listed], *, to_public: bool = True) -> list[_Listed]:
    """The events without those of sources that are not republished.

    to_public: what the actor sees as a member of the calendar stays."""
    if not events:
        return events
    of_others = f" AND NOT {is_member('s.calendar_id')}" if to_public and ctx.actor is not None else ""
    params: dict[str, Any] = {"me": me(ctx)} if of_others else {}
    in_list = ctx.db.in_list("ids")
    events_ids = [each.id for each in events]
    series_ids = sorted({each.series_id for each in events if each.series_id is not None})
    singles = {each for (each,) in ctx.tx.rows(f"{_WITHHELD_IDS.format('event_id')} {in_list}{of_others}", ids=events_ids, **params)}
    rows = ctx.tx.rows(f"{_WITHHELD_IDS.format('series_id')} {in_list}{of_others}", ids=series_ids, **params) if series_ids else []
    series = {each for (each,) in rows}
    return [each for each in events if each.id not in singles and each.series_id not in series]
