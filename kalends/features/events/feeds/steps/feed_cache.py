"""A cache of the feeds that guests read: a large one takes seconds to build."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from hashlib import blake2b
from weakref import WeakKeyDictionary

from msgspec import Struct

from kalends.core.errors import Unavailable
from kalends.db import Database
from kalends.http.context import Context

MAX_BYTES = 32_000_000
# The rule of a series can change without any of its events, which the version of the feed of all public events does not show.
LIFETIME = 300

Version = tuple[object, ...]


class Feed(Struct, frozen=True):
    """The content of a feed, with its ETag."""

    content: bytes
    etag: str
    built_at: int


class FeedCache:
    """An LRU cache of feeds by version. Only one thread at a time builds a feed."""

    def __init__(self) -> None:
        self._feeds: OrderedDict[Version, Feed] = OrderedDict()
        self._bytes = 0
        self._building: set[Version] = set()
        self._lock = threading.Lock()

    def read(self, version: Version, now: int, build: Callable[[], bytes]) -> Feed:
        """The feed of this version, built if it is not cached."""
        with self._lock:
            feed = self._feeds.get(version)
            if feed and feed.built_at <= now < feed.built_at + LIFETIME:
                self._feeds.move_to_end(version)
                return feed
            if version in self._building:
                raise Unavailable("This feed is being made for someone else. Try again in a few seconds.", retry_after=5)
            self._building.add(version)
        try:
            content = build()
            feed = Feed(content, blake2b(content, digest_size=12).hexdigest(), now)
            with self._lock:
                self._insert(version, feed)
            return feed
        finally:
            with self._lock:
                self._building.discard(version)

    def _insert(self, version: Version, feed: Feed) -> None:
        old = self._feeds.pop(version, None)
        self._bytes += len(feed.content) - (len(old.content) if old else 0)
        self._feeds[version] = feed
        while self._bytes > MAX_BYTES:
            _, dropped = self._feeds.popitem(last=False)
            self._bytes -= len(dropped.content)


_caches: WeakKeyDictionary[Database, FeedCache] = WeakKeyDictionary()
_lock = threading.Lock()


def read(ctx: Context, version: Version, build: Callable[[], bytes]) -> Feed:
    """The feed of this version. For guests alone: its content must not depend on the reader."""
    assert ctx.actor is None
    with _lock:
        cache = _caches.setdefault(ctx.db, FeedCache())
    return cache.read((ctx.settings.url, *version), ctx.now, build)
