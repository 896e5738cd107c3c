"""Encode a reply for its client: 304 for a version that the client has, and compression where that is safe."""

import gzip
import re

from kalends.context import Context
from kalends.reply import Reply

# Pages, styles and scripts, with their zlib level.
PAGES, PAGES_LEVEL = ("text/html", "text/css", "text/javascript", "image/svg+xml"), 5
# JSON and files are made for each request, so they are compressed as cheaply as possible.
DATA, DATA_LEVEL = ("application/json", "text/calendar", "text/csv", "text/vcard", "application/xml"), 1
# Smaller bodies are not compressed.
SMALL = 1_000

_GZIP = re.compile(r"gzip(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))", re.IGNORECASE)


def encode_reply(ctx: Context, reply: Reply, *, is_write: bool, has_cookie: bool) -> None:
    headers = reply.headers
    if not is_write and (ctx.unchanged or ("ETag" in headers and ctx.caller.has_version(headers["ETag"]))):
        reply.status, reply.content_type, reply.body = 304, "", b""
        return
    level = _gzip_level(reply, is_write=is_write, has_cookie=has_cookie) if len(reply.body) > SMALL else 0
    if level:
        reply.vary("Accept-Encoding")
        if "accept-encoding" in ctx.caller.headers and _GZIP.search(ctx.caller.headers["accept-encoding"]):
            headers["Content-Encoding"] = "gzip"
            reply.body = gzip.compress(reply.body, level, mtime=0)
            if "ETag" in headers:
                # A strong ETag stands for the uncompressed bytes.
                headers["ETag"] = f"W/{headers['ETag']}"


def _gzip_level(reply: Reply, *, is_write: bool, has_cookie: bool) -> int:
    """The compression level; 0 for none.

    Replies to writes may hold a new token or key, and another site can make a browser send its cookie: the length of a compressed
    reply that holds both a secret and text of the sender's choice would reveal the secret (BREACH).
    """
    if reply.content_type.startswith(PAGES):
        return PAGES_LEVEL
    return DATA_LEVEL if reply.content_type.startswith(DATA) and not is_write and not has_cookie else 0
