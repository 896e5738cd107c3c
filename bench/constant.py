"""A constant reply behind the same edge and the same Granian: the cost of a request before the service does anything."""

from typing import Any

from kalends import settings
from kalends.http.endpoint import declaration
from kalends.http.request import Request
from kalends.http.serving import granian
from kalends.http.serving.edge import Edge
from kalends.reply import Reply

BODY = b'{"status":"alive"}'


def _nothing() -> None:
    """The action of an endpoint that never runs."""


# An endpoint that the edge runs on the event loop if the database allows that.
ON_EVENT_LOOP = declaration(_nothing, "GET", "/on-event-loop", on_event_loop=True)


class Constant:
    """An application that looks at nothing. A request runs on a thread, or where a `show` on SQLite runs: on the event loop."""

    def route(self, request: Request) -> None:
        if request.path == ON_EVENT_LOOP.path:
            request.endpoint = ON_EVENT_LOOP

    def identify(self, request: Request) -> int | None:
        return None

    def __call__(self, request: Request) -> Reply:
        headers = {"Content-Type": "application/json", "Content-Length": str(len(BODY))}
        return Reply(200, "application/json", BODY, headers)


class NoDatabase:
    """Stands for a database in the process, without which every request runs on a thread."""

    def limit_to_fast_reads(self, call_soon: object) -> bool:
        return True

    def interrupt_expired(self) -> None:
        """Nothing is read."""

    def close(self) -> None:
        """Nothing is open."""


def rsgi() -> Edge:
    database: Any = NoDatabase()
    return Edge(Constant(), settings.load(), database)


if __name__ == "__main__":
    current = settings.load()
    granian.serve(rsgi, granian.bind(current), current)
