"""A reply: what an endpoint or an error handler returns, and what the server sends: compressed, or 304 if the client has the version."""

import gzip
import re
from collections.abc import Mapping
from hashlib import blake2b

from msgspec import Struct

# Pages, styles and scripts, with their zlib level.
PAGES, PAGES_LEVEL = ("text/html", "text/css", "text/javascript", "image/svg+xml"), 5
# JSON and files are made for each request, so they are compressed as cheaply as possible.
DATA, DATA_LEVEL = ("application/json", "text/calendar", "text/csv", "text/vcard", "application/xml"), 1
# Smaller bodies are not compressed.
SMALL = 1_000
_GZIP = re.compile(r"gzip(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))", re.IGNORECASE)


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


def encode_reply(request_headers: Mapping[str, str], reply: Reply, *, is_unchanged: bool, is_write: bool, has_cookie: bool) -> None:
    """Encode the reply in place."""
    headers = reply.headers
    if not is_write and (is_unchanged or ("ETag" in headers and has_version(request_headers, headers["ETag"]))):
        reply.status, reply.content_type, reply.body = 304, "", b""
        return
    level = _gzip_level(reply.content_type, is_secret=is_write or has_cookie) if len(reply.body) > SMALL else 0
    if level:
        reply.vary("Accept-Encoding")
        if "accept-encoding" in request_headers and _GZIP.search(request_headers["accept-encoding"]):
            headers["Content-Encoding"] = "gzip"
            reply.body = gzip.compress(reply.body, level, mtime=0)
            if "ETag" in headers:
                # A strong ETag stands for the uncompressed bytes.
                headers["ETag"] = f"W/{headers['ETag']}"


def _gzip_level(content_type: str, *, is_secret: bool) -> int:
    """The compression level; 0 for none.

    Replies to writes may hold a new token or key, and another site can make a browser send its cookie: the length of a compressed
    reply that holds both a secret and text of the sender's choice would reveal the secret (BREACH).
    """
    if content_type.startswith(PAGES):
        return PAGES_LEVEL
    return DATA_LEVEL if content_type.startswith(DATA) and not is_secret else 0


def has_version(headers: Mapping[str, str], etag: str) -> bool:
    """Whether the client that sent these header fields has this version already (If-None-Match)."""
    if "if-none-match" not in headers:
        return False
    sent = parse_etags(headers["if-none-match"])
    return etag in sent or "*" in sent


def parse_etags(header: str) -> list[str]:
    return [tag.strip().removeprefix("W/") for tag in header.split(",")]
