"""Fetch the sources that are due: two at a time, one of each host, and each address once for all who follow it."""

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
from kalends.features.sources.rules.address import host_of
from kalends.features.sources.steps.run import fetch_for, run
from kalends.features.users import store as users
from kalends.http.context import Actor, Context

log = get_logger(__name__)

THREADS = 2
# How many due sources are looked at, to find some of hosts that nobody asks right now.
LOOKED_AT = 100
# Others with the same address are fetched together with the first that is due, if they are due within this time.
SOON = 900


class SourceReader:
    """The queue of sources to fetch."""

    def __init__(self, db: Database, settings: Settings):
        self._db = db
        self._settings = settings
        self._lock = threading.Lock()
        self._hosts: set[str] = set()

    def run(self, stopping: threading.Event) -> None:
        """Fetch until `stopping` is set."""
        if self._settings.sources != "off":
            Dispatcher("sources", THREADS, self._claim, self._read).run(stopping)

    def _claim(self, idle: int) -> list[str]:
        """The addresses to fetch now: at most one of each host."""
        due = find_due(Context(self._db, self._settings, timestamps.now()))
        addresses: dict[str, str] = {}
        with self._lock:
            for address in due:
                if host_of(address) not in self._hosts:
                    addresses.setdefault(host_of(address), address)
            chosen = list(addresses.values())[:idle]
            self._hosts.update(map(host_of, chosen))
        return chosen

    def _read(self, address: str) -> None:
        try:
            read_address(self._db, self._settings, address)
        finally:
            with self._lock:
                self._hosts.discard(host_of(address))


def find_due(ctx: Context) -> list[str]:
    """The addresses of the sources that are due."""
    with ctx.read():
        return [address for _, address in store.find_due(ctx, LOOKED_AT)]


def read_address(db: Database, settings: Settings, address: str, now: int | None = None) -> int:
    """Fetch the address once, for all sources that have it and are due; returns how many those were."""
    now = timestamps.now() if now is None else now
    sources = _claim_all(Context(db, settings, now), address)
    if not sources:
        return 0
    versions = {(source.etag, source.modified, source.digest) for source in sources}
    # They may be at different versions: then the whole is fetched.
    first = sources[0] if len(versions) == 1 else structs.replace(sources[0], etag="", modified="", digest="")
    fetched = fetch_for(Context(db, settings, now), first)
    for source in sources:
        ctx = Context(db, settings, now)
        if _act_for(ctx, source):
            run_id = run(ctx, source, fetched)
            log.info("source_run", source=source.id, run=run_id)
    return len(sources)


def _claim_all(ctx: Context, address: str) -> list[Source]:
    with ctx.read():
        ids = store.find_same(ctx, address, ctx.now + SOON)
    with ctx.write():
        return [source for source_id in ids if (source := store.claim(ctx, source_id)) and not source.paused]


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
