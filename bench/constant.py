"""A constant reply behind the same edge and the same Granian: the cost of a request before the service does anything."""

from kalends.core import settings
from kalends.http.reply import Reply
from kalends.http.request import Request
from kalends.http.serving import granian
from kalends.http.serving.edge import Edge

BODY = b'{"status":"alive"}'


class Constant:
    """An application that looks at nothing."""

    def route(self, request: Request) -> None:
        """A request needs no endpoint."""

    def identify(self, request: Request) -> int | None:
        return None

    def __call__(self, request: Request) -> Reply:
        headers = {"Content-Type": "application/json", "Content-Length": str(len(BODY))}
        return Reply(200, "application/json", BODY, headers)


def rsgi() -> Edge:
    return Edge(Constant(), settings.load())


if __name__ == "__main__":
    current = settings.load()
    granian.serve(rsgi, granian.bind(current), current)
