"""Replies that are sent again: to the same request in the same second, while nothing in the database has changed.

The reply to a read depends on its path, its query, its credential, the second and the database, and the database tells whether it has
changed. So when many ask for the same at once, each thread makes the reply twice a second, and once more after a change."""

import threading

from msgspec import Struct

from kalends.context import Actor
from kalends.db import Database
from kalends.reply import Reply

# What the replies of an endpoint may take in a thread: their content, and an allowance for the rest of each.
MAX_BYTES, ALLOWANCE = 1_000_000, 2_000
# After so many changes in a second, the database is not asked any more: that would take longer than it saves.
MAX_CHANGES = 10

# The path, the query, the token, and whether it is a Bearer token.
Key = tuple[str, str, str | None, bool]


class RecentReply(Struct, frozen=True):
    """A reply before it is encoded for its client, for whom it was made, and the version of the data that it shows."""

    status: int
    content_type: str
    body: bytes
    headers: dict[str, str]
    actor: Actor | None
    version: object

    @property
    def size(self) -> int:
        return len(self.body) + ALLOWANCE

    def reply(self) -> Reply:
        return Reply(self.status, self.content_type, self.body, self.headers.copy())


class RecentReplies(threading.local):
    """The recent replies of an endpoint in this thread: each thread has versions of its own (`Database.data_version`)."""

    def __init__(self, db: Database):
        self._db = db
        self._begin(0)

    def _begin(self, second: int) -> None:
        self._second = second
        # The hashes of the requests of this second. The database is asked only when one comes again.
        self._asked: set[int] = set()
        self._replies: dict[Key, RecentReply] = {}
        self._size = 0
        self._changes = 0

    def find(self, second: int, key: Key) -> RecentReply | None:
        """What was sent to the same request, if a new reply would be the same."""
        if second != self._second:
            self._begin(second)
        self._version: object = None
        request = hash(key)
        if request not in self._asked:
            self._asked.add(request)
            return None
        if self._changes > MAX_CHANGES:
            return None
        self._version = self._db.data_version()
        found = self._replies.get(key)
        if found is None or found.version == self._version:
            return found
        self._changes += 1
        return None

    def add(self, key: Key, reply: Reply, actor: Actor | None) -> None:
        """Add the reply that was made because `find` found none. If the data changed meanwhile, its next version is another one."""
        if self._version is None:
            return
        made = RecentReply(reply.status, reply.content_type, reply.body, reply.headers.copy(), actor, self._version)
        former = self._replies.pop(key, None)
        if former:
            self._size -= former.size
        if self._size + made.size <= MAX_BYTES:
            self._size += made.size
            self._replies[key] = made
