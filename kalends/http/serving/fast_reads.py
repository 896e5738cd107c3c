"""Fast reads: GETs that read one record by its key run on the event loop, without a thread.

With the database inside the process, handing such a read to a thread and back costs about as much CPU time as the read itself. The
database aborts a transaction there after about a millisecond's worth of work; the request then runs again on a thread, like every
other request."""

import re
from collections.abc import Iterable

from granian.rsgi import Scope

from kalends.db import Database
from kalends.errors import Unavailable
from kalends.http.endpoint import Endpoint

# In the WSGI environment of a request that runs on the event loop. An endpoint that is not for it raises TooSlowForEventLoop.
ON_EVENT_LOOP = "kalends.on_event_loop"


def fast_read_paths(endpoints: Iterable[Endpoint]) -> re.Pattern[str]:
    """A pattern of the paths whose GET may be a fast read. It may match paths of other endpoints too."""
    return re.compile("|".join(re.sub(r"\{\w+\}", "[^/.]+", endpoint.path) for endpoint in endpoints if endpoint.on_event_loop))


class FastReads:
    """Decides which requests run on the event loop."""

    def __init__(self, db: Database | None, paths: re.Pattern[str] | None):
        self._db = db
        self._paths = paths
        self._is_enabled = True

    def start(self) -> None:
        """Limit the event loop's thread to fast reads. If the database is down at start, every request goes to a thread."""
        try:
            self._is_enabled = self._db is not None and self._db.limit_to_fast_reads()
        except Unavailable:
            self._is_enabled = False

    def accepts(self, scope: Scope) -> bool:
        if not self._is_enabled or self._paths is None or scope.method != "GET" or scope.query_string:
            return False
        return self._paths.fullmatch(scope.path) is not None
