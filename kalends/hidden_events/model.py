"""Hidden events: the input and the replies of the API."""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from kalends.http.input.options import FieldOptions
from kalends.http.input.types import Id, Instant

HidingReason = Annotated[str, Meta(min_length=1, max_length=2_000, description="Why, for its editors."), FieldOptions(multiline=True)]


class HiddenEventInput(Struct, kw_only=True):
    """An event to hide."""

    event_id: Annotated[Id, Meta(description="The event; of a series, any of its dates.")]
    reason: HidingReason


class HiddenEventItem(Struct, kw_only=True):
    """A hidden event, or series."""

    id: int
    event_id: int
    title: str | None
    reason: str
    hidden_at: Instant


class HiddenEventIndex(Struct):
    hidden_events: list[HiddenEventItem]
    limit: int
    offset: int
    next: str | None
    total: int | UnsetType = UNSET
