"""Claim sources for a fetch: one host is asked by one process at a time, on the whole site."""

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.source import Source
from kalends.features.sources import store
from kalends.features.sources.model import MAX_SOURCES_OF_SITE, REFRESH_SECONDS
from kalends.features.sources.rules.address import host_of
from kalends.http.context import Context

# Others with the same address are fetched together with the first that is due, if they are due within this time.
SOON = 900
# When to ask for a run again while the host is busy.
BUSY_SECONDS = 10


def claim_due(ctx: Context, limit: int) -> list[list[Source]]:
    """Claim what is due at this many addresses: for each address, all sources that have it."""
    with ctx.read():
        is_idle = not _find_free(ctx)
    if is_idle:
        return []
    with ctx.write():
        store.lock_claims(ctx)
        claimed = [claim_address(ctx, address) for address in _find_free(ctx)[:limit]]
    return [sources for sources in claimed if sources]


def claim_address(ctx: Context, address: str) -> list[Source]:
    """Claim the sources with this address that are due."""
    ids = store.find_same(ctx, address, ctx.now + SOON)
    return [source for source_id in ids if (source := store.claim(ctx, source_id)) and not source.paused]


def claim_by_hand(ctx: Context, source_id: int) -> Source:
    """Claim the source for a run that somebody asks for. Raises TooMany if it was just fetched, or its host is being asked."""
    store.lock_claims(ctx)
    source = store.claim(ctx, source_id, unless_checked_since=ctx.now - REFRESH_SECONDS)
    if source is None:
        raise errors.TooMany(gettext("This calendar was fetched within the last minute. Try again in a minute."), REFRESH_SECONDS)
    host = host_of(source.feed_url)
    if any(host_of(url) == host for leased_id, url in store.find_leased(ctx) if leased_id != source_id):
        raise errors.TooMany(gettext("Another calendar from %(host)s is being fetched. Try again in a moment.", host=host), BUSY_SECONDS)
    return source


def _find_free(ctx: Context) -> list[str]:
    """The addresses that are due: the first of each host that nobody asks right now."""
    busy = {host_of(url) for _, url in store.find_leased(ctx)}
    addresses: dict[str, str] = {}
    for url in store.find_due(ctx, MAX_SOURCES_OF_SITE):
        if host_of(url) not in busy:
            addresses.setdefault(host_of(url), url)
    return list(addresses.values())
