"""The stream of changes, as server-sent events."""

import msgspec

from kalends.core import errors
from kalends.features.changes.model import Change, ChangeQuery
from kalends.features.changes.rules import cursor
from kalends.features.changes.steps import batch
from kalends.http.context import Context
from kalends.http.endpoint import FORMATS, Document, endpoint
from kalends.http.reply import Wait

# After this long without a change, the request runs again all the same: a deleted session ends the stream, and the cursor does not
# grow older than the history.
RUN_AGAIN_SECONDS = 300
# How long a browser waits before it connects again.
RETRY_MILLISECONDS = 2_000

_RESUME = "last-event-id"
_encode = msgspec.json.Encoder().encode


@endpoint("GET", "/api/changes/stream", format="sse", guests=True, is_fresh=True)
def stream(ctx: Context, params: ChangeQuery) -> Document:
    """The changes since the cursor and all that follow, as server-sent events: each is a `change` with the JSON of one change as `data`.

    An `id` is the cursor after all events before it. A browser's EventSource sends it as `Last-Event-ID` when it connects again, which
    counts more than `cursor`. The stream begins with the `id` to start from. Comments, which clients ignore, keep the connection open.
    """
    resumed = ctx.caller.headers.get(_RESUME)
    if resumed:
        if not cursor.is_valid(resumed):
            raise errors.invalid("cursor", "is not valid as Last-Event-ID; connect again without it", "invalid_format")
        params = msgspec.structs.replace(params, cursor=resumed)
    changed = batch.read(ctx, params)
    seconds = 0 if changed.index.more else RUN_AGAIN_SECONDS
    resume = {_RESUME: changed.index.cursor}
    ctx.wait = Wait(changed.topics, changed.end, seconds, resume, _sharing_key(ctx, params, changed.index.cursor))
    ctx.headers["X-Accel-Buffering"] = "no"
    retry = b"" if resumed else b"retry: %d\n" % RETRY_MILLISECONDS
    return Document(retry + _events(changed.index.changes, changed.index.cursor), f"{FORMATS['sse']}; charset=utf-8")


def _sharing_key(ctx: Context, params: ChangeQuery, last_id: str) -> str:
    """What the next part depends on: the filters are in the cursor."""
    credential = f"{ctx.actor.id} {ctx.actor.session_id} {ctx.actor.key_id}" if ctx.actor else "guest"
    return f"changes {params.calendar_id} {params.limit} {last_id} {credential}"


def _events(changes: list[Change], last_id: str) -> bytes:
    """One event for each change, the last one with the cursor; or the cursor alone."""
    events = [b"event: change\ndata: %b\n" % _encode(change) for change in changes] or [b""]
    return b"\n".join(events) + f"id: {last_id}\n\n".encode()
