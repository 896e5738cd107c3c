"""Blocks: users whose calendars cannot be shared with you."""

from typing import Annotated

from msgspec import Meta, Struct

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.values import timestamps
from kalends.features.blocks import store
from kalends.http.context import Context
from kalends.http.endpoint import endpoint
from kalends.http.input.types import CreatedAt, Deletion
from kalends.http.paging import Page, Paging, build_page


class BlockItem(Struct):
    """A person whom you block."""

    user_id: Annotated[int, Meta(description="Id of the user.")]
    name: Annotated[str, Meta(description="Name.")]
    created_at: CreatedAt


class BlockIndex(Page):
    """A page of the people whom you block."""

    blocks: Annotated[list[BlockItem], Meta(description="The people whom you block.")]


@endpoint("GET", "/api/blocks")
def index(ctx: Context, params: Paging) -> BlockIndex:
    """The people whom you block. What they share with you has no effect, and they are not notified.

    You block the owner of a calendar when you leave it: `PUT /api/calendars/<id>/unshare` with your own name and `block=true`.
    """
    user = policy.user(ctx)
    blocks, page = build_page(ctx, params, store.index(ctx, user.id, params), lambda: store.count(ctx, user.id))
    return BlockIndex(blocks=[BlockItem(block.user_id, block.name, timestamps.format_utc(block.created_at)) for block in blocks], **page)


@endpoint("DELETE", "/api/blocks/{blocked_id}")
def destroy(ctx: Context, blocked_id: int) -> Deletion:
    """Unblock this user. What they shared while blocked has no effect until they share it again."""
    if not store.delete(ctx, policy.user(ctx).id, blocked_id):
        raise errors.NotFound(gettext("You haven’t blocked this user."))
    return Deletion([blocked_id])
