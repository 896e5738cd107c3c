"""Replies with blocked users."""

from typing import Annotated

from msgspec import Meta, Struct

from kalends.http.input.types import CreatedAt
from kalends.http.paging import Page


class BlockItem(Struct):
    """A person whom you block."""

    user_id: Annotated[int, Meta(description="Id of the user.")]
    name: Annotated[str, Meta(description="Name.")]
    created_at: CreatedAt


class BlockIndex(Page):
    """A page of the people whom you block."""

    blocks: Annotated[list[BlockItem], Meta(description="The people whom you block.")]
