"""A reply: what an endpoint or an error handler returns, and what the server sends."""

from hashlib import blake2b

from msgspec import Struct


class Wait(Struct, frozen=True):
    """What a reply waits for: the request runs again when one of the topics has changed, or when the seconds are over.

    position: how far the reply has read the entries of changes.
    resume: header fields for the next run of a stream, to which each run adds a part. None: one reply, which is sent when it has
        waited long enough or does not ask to wait any more.
    shared: names all that the next part of a stream depends on, the credential included: streams with the same name get the same part.
    """

    topics: tuple[str, ...]
    position: tuple[int, int]
    seconds: float
    resume: dict[str, str] | None = None
    shared: str = ""


class Reply(Struct):
    """Status, header fields, cookies and content. Replies to requests with an Idempotency-Key are stored in this form."""

    status: int
    # Empty for a reply without content.
    content_type: str
    body: bytes
    headers: dict[str, str]
    cookies: list[str] = []
    wait: Wait | None = None

    def vary(self, name: str) -> None:
        """Tell caches that the reply depends on this header field of the request."""
        add_vary(self.headers, name)


def add_vary(headers: dict[str, str], name: str) -> None:
    headers["Vary"] = f"{headers['Vary']}, {name}" if "Vary" in headers else name


def content_hash(body: bytes) -> str:
    """A hash of the content, for the ETag."""
    return blake2b(body, digest_size=8).hexdigest()
