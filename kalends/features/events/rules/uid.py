"""The UID of an event or a series: the name by which other programs know it."""

import re
from functools import cache
from typing import Annotated, Literal

from msgspec import Meta, Struct

from kalends.core.settings import Settings
from kalends.core.tokens import derive
from kalends.http.input.options import FieldOptions
from kalends.http.input.readers import FieldInvalid
from kalends.ical.parse import MAX_UID_OCTETS

_OWN = re.compile(r"(event|series)-([1-9][0-9]{0,17})(\..*)")


def _check(value: str) -> str:
    if len(value.encode()) > MAX_UID_OCTETS:
        raise FieldInvalid(f"must have at most {MAX_UID_OCTETS} octets in UTF-8", "too_long")
    return value


Uid = Annotated[str, Meta(max_length=MAX_UID_OCTETS), FieldOptions(check=_check)]


class OwnUid(Struct, frozen=True):
    """The record that a UID of this service names."""

    kind: Literal["event", "series"]
    id: int


def own_uid(settings: Settings, record_id: int, kind: str = "event") -> str:
    """The UID of an event or a series that was created here without one. It does not depend on the URL of the service."""
    return f"{kind}-{record_id}{own_suffix(settings)}"


def own_suffix(settings: Settings) -> str:
    """How the UIDs end that this service makes."""
    return _suffix(settings.secret, settings.data)


@cache
def _suffix(secret: str, data: str) -> str:
    return f".{derive(Settings(secret=secret, data=data), 'uid', '')[:12]}@kalends"


def parse_own(settings: Settings, uid: str) -> OwnUid | None:
    """The record that the UID names; None if it is not a UID of this service."""
    match = _OWN.fullmatch(uid)
    if match is None or match[3] != own_suffix(settings):
        return None
    return OwnUid("event" if match[1] == "event" else "series", int(match[2]))
