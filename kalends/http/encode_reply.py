"""Encode a reply for its client: 304 for a version that the client has, and compression where that is safe."""

import gzip
import re
from collections.abc import Mapping
from functools import lru_cache

from kalends.http.context import has_version
from kalends.http.reply import Reply

# Pages, styles and scripts, with their zlib level.
PAGES, PAGES_LEVEL = ("text/html", "text/css", "text/javascript", "image/svg+xml"), 5
# JSON and files are made for each request, so they are compressed as cheaply as possible.
DATA, DATA_LEVEL = ("application/json", "text/calendar", "text/csv", "text/vcard", "application/xml"), 1
# Smaller bodies are not compressed.
SMALL = 1_000

_GZIP = re.compile(r"gzip(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))", re.IGNORECASE)


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


@lru_cache(64)
def _gzip_level(content_type: str, *, is_secret: bool) -> int:
    """The compression level; 0 for none.

    Replies to writes may hold a new token or key, and another site can make a browser send its cookie: the length of a compressed
    reply that holds both a secret and text of the sender's choice would reveal the secret (BREACH).
    """
    if content_type.startswith(PAGES):
        return PAGES_LEVEL
    return DATA_LEVEL if content_type.startswith(DATA) and not is_secret else 0
