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


def select_text(alias: str) -> str:
    """SQL: the settings of the row as one text, NULL if there is no row. One column costs a list of events less than eight."""
    values = ", ',', ".join(_as_json(alias, name) for name in NAMES)
    return f"CASE WHEN {alias}.event_id IS NOT NULL THEN concat('[', {values}, ']') END"


def _as_json(alias: str, name: str) -> str:
    if name in _FLAGS:
        return f"CASE WHEN {alias}.{name} THEN 'true' ELSE 'false' END"
    if name in _TEXTS:
        return f"'\"', {alias}.{name}, '\"'"
    return f"coalesce(CAST({alias}.{name} AS TEXT), 'null')"


def decode(text: str | None) -> ResponseSettings:
    return json.decode(text, type=ResponseSettings) if text else DEFAULTS


def encode(settings: ResponseSettings) -> str | None:
    """The same text as `select_text`."""
    return None if settings == DEFAULTS else json.encode(settings).decode()
