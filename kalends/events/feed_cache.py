"""Feeds that guests read, kept in memory for as long as they stay the same: a large one takes seconds to make."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from hashlib import blake2b
from weakref import WeakKeyDictionary

from msgspec import Struct

from kalends.context import Context
from kalends.db import Database
from kalends.errors import Unavailable

MOST_BYTES = 32_000_000
# A rule can change while its events stay as they are, and with them the version of a feed of all public events.
LIFETIME = 300

Version = tuple[object, ...]


class Feed(Struct, frozen=True):
    """The content of a feed, with its ETag."""

    content: bytes
    etag: str
    made_at: int


class FeedCache:
    """The feeds that were read last, by their versions. Of each, only one is made at a time."""

    def __init__(self) -> None:
        self._feeds: OrderedDict[Version, Feed] = OrderedDict()
        self._bytes = 0
        self._being_made: set[Version] = set()
        self._lock = threading.Lock()

    def read(self, version: Version, now: int, make: Callable[[], bytes]) -> Feed:
        """The feed of this version, made if it is not there."""
        with self._lock:
            feed = self._feeds.get(version)
            if feed and feed.made_at <= now < feed.made_at + LIFETIME:
                self._feeds.move_to_end(version)
                return feed
            if version in self._being_made:
                raise Unavailable("This feed is being made for somebody else. Try again in a few seconds.", retry_after=5)
            self._being_made.add(version)
        try:
            content = make()
            feed = Feed(content, blake2b(content, digest_size=12).hexdigest(), now)
            with self._lock:
                self._insert(version, feed)
            return feed
        finally:
            with self._lock:
                self._being_made.discard(version)

    def _insert(self, version: Version, feed: Feed) -> None:
        old = self._feeds.pop(version, None)
        self._bytes += len(feed.content) - (len(old.content) if old else 0)
        self._feeds[version] = feed
        while self._bytes > MOST_BYTES:
            _, dropped = self._feeds.popitem(last=False)
            self._bytes -= len(dropped.content)


_of_database: WeakKeyDictionary[Database, FeedCache] = WeakKeyDictionary()
_lock = threading.Lock()


def read(ctx: Context, version: Version, make: Callable[[], bytes]) -> Feed:
    """The feed of this version, for guests alone: what it holds must not depend on who reads it."""
    assert ctx.actor is None
    with _lock:
        cache = _of_database.setdefault(ctx.db, FeedCache())
    return cache.read((ctx.settings.url, *version), ctx.now, make)
