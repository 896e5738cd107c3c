"""Send a reply: its header fields, 304 for a version that the client has, and compression where that is safe."""

import gzip

import falcon

from kalends.context import Context
from kalends.idempotency.key import Reply

# Pages, styles and scripts, with their zlib level.
PAGES, PAGES_LEVEL = ("text/html", "text/css", "text/javascript", "image/svg+xml"), 5
# JSON and files are made for each request, so they are compressed as cheaply as possible.
DATA, DATA_LEVEL = ("application/json", "text/calendar", "text/csv", "text/vcard"), 1
# Smaller bodies are not compressed.
SMALL = 1_000


def send_reply(ctx: Context, resp: falcon.Response, reply: Reply, *, is_write: bool, has_cookie: bool) -> None:
    resp.set_headers(reply.headers)
    for cookie in reply.cookies:
        resp.append_header("Set-Cookie", cookie)
    if not is_write and (ctx.unchanged or ("ETag" in reply.headers and ctx.caller.has_version(reply.headers["ETag"]))):
        resp.status = 304
        return
    body = reply.body
    level = _gzip_level(reply, is_write=is_write, has_cookie=has_cookie) if len(body) > SMALL else 0
    if level:
        resp.append_header("Vary", "Accept-Encoding")
        if ctx.caller.takes_gzip:
            resp.set_header("Content-Encoding", "gzip")
            body = gzip.compress(body, level, mtime=0)
            if "ETag" in reply.headers:
                # A strong ETag stands for the uncompressed bytes.
                resp.set_header("ETag", f"W/{reply.headers['ETag']}")
    resp.status, resp.content_type, resp.data = reply.status, reply.content_type, body


def _gzip_level(reply: Reply, *, is_write: bool, has_cookie: bool) -> int:
    """The compression level; 0 for none.

    Replies to writes may hold a new token or key, and another site can make a browser send its cookie: the length of a compressed
    reply that holds both a secret and text of the sender's choice would reveal the secret (BREACH).
    """
    if reply.content_type.startswith(PAGES):
        return PAGES_LEVEL
    return DATA_LEVEL if reply.content_type.startswith(DATA) and not is_write and not has_cookie else 0
