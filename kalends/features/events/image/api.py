"""The picture of an event."""

from typing import Any

from kalends import policy
from kalends.features.events import present, store
from kalends.features.events.input_model import EventChanges, ImageInput, ImageScope
from kalends.features.events.model import EventDetail
from kalends.features.events.series.steps import change
from kalends.features.pictures.steps.add import add_picture
from kalends.http.context import Context
from kalends.http.endpoint import endpoint
from kalends.http.input.fields import Changes
from kalends.policy import Right


@endpoint("POST", "/api/events/{event_id}/image", etag=True)
def set_image(ctx: Context, event_id: int, params: ImageInput) -> EventDetail:
    """Give the event this picture, instead of the one that it has: a JPEG, PNG, WebP or AVIF file of up to 8 MiB and 40 megapixels.

    It is stored as WebP in up to three sizes, turned upright and without its metadata. Of a series, `scope` gives it to other dates, too.
    """
    with ctx.read():
        event = policy.event(ctx, event_id, to=Right.EDIT)
        ctx.require_version(event.etag)
    path = add_picture(ctx, params.file)
    with ctx.write():
        return _change(ctx, event_id, {"image_url": path, "image_alt": params.alt, "scope": params.scope})


@endpoint("DELETE", "/api/events/{event_id}/image", etag=True)
def delete_image(ctx: Context, event_id: int, params: ImageScope) -> EventDetail:
    """Take the picture away from the event. Of a series, `scope` takes it away from other dates, too."""
    return _change(ctx, event_id, {"image_url": None, "image_alt": None, "scope": params.scope})


def _change(ctx: Context, event_id: int, values: dict[str, Any]) -> EventDetail:
    store.lock(ctx, [event_id])
    event = policy.event(ctx, event_id, to=Right.EDIT)
    ctx.require_version(event.etag)
    change.change(ctx, event, Changes(EventChanges, values))
    return present.load_detail(ctx, event_id)
