"""The settings of an event for its responses: most events have none of their own."""

from typing import Literal

from msgspec import Struct, json

WaitingList = Literal["off", "auto", "offer"]
WaitingOrder = Literal["fit", "strict"]
DEFAULT_OFFER_HOURS = 24


class ResponseSettings(Struct, frozen=True, array_like=True):
    """A row of the table `response_settings`, without its counts."""

    responses_open: bool = True
    # The last moment to respond, in Unix seconds.
    responses_until: int | None = None
    capacity: int | None = None
    waiting_list: WaitingList = "off"
    waiting_order: WaitingOrder = "fit"
    show_counts: bool = True
    approval: bool = False
    offer_hours: int = DEFAULT_OFFER_HOURS


DEFAULTS = ResponseSettings()
NAMES = ResponseSettings.__struct_fields__
_FLAGS = ("responses_open", "show_counts", "approval")
_TEXTS = ("waiting_list", "waiting_order")


def select_text(event_id: str) -> str:
    """SQL: the settings of the event as one text, NULL if it has none. One column costs a list of events less than eight, and a subquery
    may cost less than a join, which has all columns of the event."""
    values = ", ',', ".join(map(_as_json, NAMES))
    return f"(SELECT concat('[', {values}, ']') FROM response_settings q WHERE q.event_id = {event_id})"


def _as_json(name: str) -> str:
    if name in _FLAGS:
        return f"CASE WHEN q.{name} THEN 'true' ELSE 'false' END"
    if name in _TEXTS:
        return f"'\"', q.{name}, '\"'"
    return f"coalesce(CAST(q.{name} AS TEXT), 'null')"


def decode(text: str | None) -> ResponseSettings:
    return json.decode(text, type=ResponseSettings) if text else DEFAULTS


def encode(settings: ResponseSettings) -> str | None:
    """The settings as the text that `select_text` reads; None for the defaults."""
    return None if settings == DEFAULTS else json.encode(settings).decode()
