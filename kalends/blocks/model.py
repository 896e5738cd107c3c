"""Replies with blocked users."""

from msgspec import UNSET, Struct, UnsetType

from kalends.http.input.types import Instant


class BlockItem(Struct):
    """A person whom you block."""

    user_id: int
    name: str
    created_at: Instant


class BlockIndex(Struct):
    """A page of the people whom you block."""

    blocks: list[BlockItem]
    limit: int
    offset: int
    next: str | None
    total: int | UnsetType = UNSET
