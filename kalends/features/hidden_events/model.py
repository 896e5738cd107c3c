"""Hidden events: the input and the replies of the API."""

from typing import Annotated

from msgspec import Meta, Struct

from kalends.http.input.options import FieldOptions
from kalends.http.input.types import Id, Instant, RecordId
from kalends.http.paging import Page

HidingReason = Annotated[str, Meta(min_length=1, max_length=2_000, description="Why, for its editors."), FieldOptions(multiline=True)]


class HiddenEventInput(Struct, kw_only=True):
    """An event to hide."""

    event_id: Annotated[Id, Meta(description="The event; of a series, any of its dates.")]
    reason: HidingReason


class HiddenEventItem(Struct, kw_only=True):
    """A hidden event, or series."""

    id: RecordId
    event_id: Annotated[int, Meta(description="Id of the event; of a series, of the date that the admin chose.")]
    title: Annotated[str | None, Meta(description="Title of the event; null if it was deleted.")]
    reason: Annotated[str, Meta(description="The reason that the editors of the event get.")]
    hidden_at: Annotated[Instant, Meta(description="When it was hidden, in UTC.")]


class HiddenEventIndex(Page):
    hidden_events: Annotated[list[HiddenEventItem], Meta(description="The hidden events.")]
