"""A cache of replies: the same request gets the same reply within a second, while nothing in the database has changed.

The reply to a read depends on its path, its query, its credential, its language, the second and the database, and the database tells
whether it has changed. So if many clients ask for the same at the same time, each thread makes the reply twice a second, and once more
after a change."""

import threading

from msgspec import Struct

from kalends.context import Actor
from kalends.db import Database, Retry
from kalends.reply import Reply

# What the replies of an endpoint may take in a thread: their content, the query and the token, and an allowance for the rest of each.
MAX_BYTES, ALLOWANCE = 1_000_000, 2_000

# The path, the query, the token, whether it is a Bearer token, and the languages that the client accepts.
Key = tuple[str, str, str | None, bool, str]


class CachedReply(Struct, frozen=True):
    """A reply before it is encoded for its client, for whom it was made, the version of the data that it shows, and what it takes."""

    status: int
    content_type: str
    body: bytes
    headers: dict[str, str]
    actor: Actor | None
    version: object
    size: int

    def reply(self) -> Reply:
        return Reply(self.status, self.content_type, self.body, self.headers.copy())


class ReplyCache(threading.local):
    """The reply cache of an endpoint in this thread: each thread has versions of its own (`Database.data_version`)."""

    def __init__(self, db: Database):
        self._db = db
        self._begin(0)

    def _begin(self, second: int) -> None:
        self._second = second
        # The hashes of the requests of this second whose replies can be sent again. Only if one comes again, the database is asked.
        self._repeatable: set[int] = set()
        self._replies: dict[Key, CachedReply] = {}
        self._size = 0
        self._is_full = False
        # The version before the current request, if it was asked for.
        self._version: object = None

    def find(self, second: int, key: Key) -> CachedReply | None:
        """The cached reply, if a new one would be the same."""
        if second != self._second:
            self._begin(second)
        self._version = None
        if hash(key) not in self._repeatable:
            return None
        try:
            self._version = self._db.data_version()
        except Retry:
            return None
        reply = self._replies.get(key)
        return reply if reply and reply.version == self._version else None

    def add(self, key: Key, reply: Reply, actor: Actor | None) -> None:
        """Add the reply that was made because `find` found none. If the data changed meanwhile, its next version is another one."""
        if self._version is None:
            if not self._is_full:
                self._repeatable.add(hash(key))
            return
        former = self._replies.pop(key, None)
        if former:
            self._size -= former.size
        _, query, token, _, languages = key
        size = len(reply.body) + len(query) + len(token or "") + len(languages) + ALLOWANCE
        if self._size + size > MAX_BYTES:
            self._is_full = True
            self._repeatable.remove(hash(key))
            return
        self._size += size
        self._replies[key] = CachedReply(reply.status, reply.content_type, reply.body, reply.headers.copy(), actor, self._version, size)
