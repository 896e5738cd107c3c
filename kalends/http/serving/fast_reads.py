"""Fast reads: GETs that read one record by its key run on the event loop, without a thread.

A constant reply is sent to 16 clients 27,000 times a second by threads and 37,000 times by the event loop: the way to a thread and back
takes 10 µs, and a whole `show` 128 µs. Fast reads are also served while every thread is busy. The database aborts a transaction there
after about a millisecond's worth of work; the request then runs again on a thread, like every other request. What needs no database
(`/healthz`) runs there with every database: it must be served while every thread waits for a database that hangs."""

import asyncio
from collections.abc import Callable

from kalends.db import Database, TooSlowForEventLoop
from kalends.errors import Unavailable
from kalends.http.request import Request
from kalends.reply import Reply


class FastReads:
    """Runs requests on the event loop."""

    def __init__(self, db: Database | None, application: Callable[[Request], Reply]):
        self._db = db
        self._application = application
        self._is_enabled = True

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Limit the event loop's thread to fast reads. If the database is down at start, every request goes to a thread."""
        try:
            self._is_enabled = self._db is not None and self._db.limit_to_fast_reads(loop.call_soon)
        except Unavailable:
            self._is_enabled = False

    def accepts(self, request: Request) -> bool:
        """Whether a request that was routed is a fast read."""
        endpoint = request.endpoint
        if endpoint is None or not endpoint.on_event_loop or request.query or request.has_body:
            return False
        return self._is_enabled or not endpoint.transaction

    def run(self, request: Request) -> Reply | None:
        """Run the request if it is a fast read; None if it must run on a thread."""
        if not self.accepts(request):
            return None
        try:
            return self._application(request)
        except TooSlowForEventLoop:
            return None
