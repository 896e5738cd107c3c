"""Fetch the sources that are due: two at a time, and each address once for all who follow it."""

import threading

from msgspec import structs

from kalends import policy
from kalends.core.log import get_logger
from kalends.core.records.source import Source
from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database
from kalends.features.deliveries.steps.dispatcher import Dispatcher
from kalends.features.sources import store
from kalends.features.sources.steps.claim import claim_due
from kalends.features.sources.steps.run import fetch_for, run
from kalends.features.users import store as users
from kalends.http.context import Actor, Context

log = get_logger(__name__)

THREADS = 2


class SourceReader:
    """The queue of sources to fetch."""

    def __init__(self, db: Database, settings: Settings):
        self._db = db
        self._settings = settings

    def run(self, stopping: threading.Event) -> None:
        """Fetch until `stopping` is set."""
        if self._settings.sources != "off":
            Dispatcher("sources", THREADS, self._claim, self._read).run(stopping)

    def _claim(self, idle: int) -> list[list[Source]]:
        return claim_due(Context(self._db, self._settings, timestamps.now()), idle)

    def _read(self, sources: list[Source]) -> None:
        read_sources(self._db, self._settings, sources, timestamps.now())


def read_sources(db: Database, settings: Settings, sources: list[Source], now: int) -> None:
    """Fetch the address that the sources share once, and apply what it has to each of them."""
    versions = {(source.etag, source.modified, source.digest) for source in sources}
    # They may be at different versions: then the whole is fetched.
    first = sources[0] if len(versions) == 1 else structs.replace(sources[0], etag="", modified="", digest="")
    fetched = fetch_for(Context(db, settings, now), first)
    for source in sources:
        ctx = Context(db, settings, now)
        if _act_for(ctx, source):
            run_id = run(ctx, source, fetched)
            log.info("source_run", source=source.id, run=run_id)


def _act_for(ctx: Context, source: Source) -> bool:
    """Let the context act as who follows the source, if they may still edit the calendar; otherwise the source is paused."""
    with ctx.read():
        user = users.get(ctx, source.user_id)
        ctx.actor = Actor(user.id, user.user_name, user.email_address, user.name, user.time_zone, verified_at=user.verified_at)
        may_edit = policy.follower_may_edit(ctx, source)
    if not may_edit:
        with ctx.write():
            store.pause(ctx, source.id, "access")
    return may_edit
