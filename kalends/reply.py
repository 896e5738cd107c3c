"""A reply: what an endpoint or an error handler returns, and what the server sends."""

from msgspec import Struct


class Reply(Struct):
    """Status, header fields, cookies and content. Replies to requests with an Idempotency-Key are stored in this form."""

    status: int
    # Empty for a reply without content.
    content_type: str
    body: bytes
    headers: dict[str, str]
    cookies: list[str] = []

    def vary(self, name: str) -> None:
        """Tell caches that the reply depends on this header field of the request."""
        add_vary(self.headers, name)


def add_vary(headers: dict[str, str], name: str) -> None:
    headers["Vary"] = f"{headers['Vary']}, {name}" if "Vary" in headers else name
