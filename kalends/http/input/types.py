"""The types that the input and the replies of many features have: each with its bounds, its form, and its meaning."""

import re
from typing import Annotated, Literal

from msgspec import Meta, Struct

from kalends.core.i18n import gettext
from kalends.core.transports import read_address
from kalends.core.values import datetimes
from kalends.http.input.options import FieldOptions
from kalends.http.input.readers import FieldInvalid


def _time_zone(value: str) -> str:
    if value not in datetimes.known_zones():
        raise FieldInvalid(gettext("must be an IANA time zone such as Europe/Paris"), "not_a_choice")
    return value


def _datetime(value: str) -> str:
    try:
        datetimes.parse(value)
    except ValueError as error:
        raise FieldInvalid(error.args[0]) from None
    return value


# What the library would accept as it stands, and most addresses are: it takes a fifth of a millisecond to say so.
_PLAIN_EMAIL = re.compile(r"[A-Za-z0-9_%+-]+(\.[A-Za-z0-9_%+-]+)*@([a-z0-9]+(-[a-z0-9]+)*\.)+[a-z]{2,}")
_LONGEST_LOCAL, _LONGEST_LABEL = 64, 63


def _is_plain_email(value: str) -> bool:
    local, _, domain = value.rpartition("@")
    return len(local) <= _LONGEST_LOCAL and bool(_PLAIN_EMAIL.fullmatch(value)) and max(map(len, domain.split("."))) <= _LONGEST_LABEL


def _email(value: str) -> str:
    if _is_plain_email(value):
        return value
    try:
        checked = read_address(value)
        if "." not in checked.ascii_domain:
            # A host alone, such as localhost, is a slip; private networks have domains such as mail.local.
            raise ValueError
        return checked.normalized
    except ValueError:
        raise FieldInvalid(gettext("must be an email address such as ana@example.org")) from None


def _name_or_address(value: str) -> str:
    return _email(value) if "@" in value else value


# The format of OpenAPI's `date-time`, or `date`, or a local time: programs take an unknown format for text, which is right.
DATE_OR_TIME = "date-or-date-time"

Id = Annotated[int, Meta(ge=1)]
Ids = Annotated[list[Id], Meta(max_length=500)]
Name = Annotated[str, Meta(max_length=200)]
NameOrAddress = Annotated[str, Meta(max_length=254, description="User name or e-mail address.")]
NameOrCheckedAddress = Annotated[NameOrAddress, FieldOptions(check=_name_or_address)]
LongText = Annotated[str, Meta(max_length=20_000), FieldOptions(multiline=True)]
Instant = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]

# Of replies. `paging.Page` has the fields of lists.
RecordId = Annotated[int, Meta(description="Id of the record.")]
EventId = Annotated[int, Meta(description="Id of the event.")]
CreatedAt = Annotated[Instant, Meta(description="When the record was created, in UTC.")]
UpdatedAt = Annotated[Instant, Meta(description="When the record was last changed, in UTC.")]

EmailAddress = Annotated[
    str,
    Meta(max_length=254, description="An e-mail address, checked for its form only.", examples=["ana@example.org"]),
    FieldOptions(check=_email, schema={"format": "email"}),
]

TimeZone = Annotated[
    str,
    Meta(max_length=64, description="An IANA time zone, such as Europe/Paris.", examples=["Europe/Paris"]),
    FieldOptions(check=_time_zone, schema={"format": "time-zone", "minLength": 1}),
]


DateTime = Annotated[
    str,
    Meta(
        max_length=100,
        description="Such as 2026-05-11T17:00:00+02:00, 2026-05-11T17:00, 2026-05-11T17:00[Europe/Paris] or 2026-05-11.",
        examples=["2026-05-11T17:00:00+02:00", "2026-05-11"],
    ),
    FieldOptions(check=_datetime, schema={"format": DATE_OR_TIME}),
]


EventLink = Annotated[str, Meta(max_length=100, description="What follows /e/ in the link of the event, which lets you see it.")]
Alarms = Annotated[bool, Meta(description="Whether the events have their reminders as alarms.")]


class Deletion(Struct):
    """The ids of what was deleted."""

    deleted: Annotated[list[int], Meta(description="Ids of the deleted records.")]


class TextDeletion(Struct):
    """The ids of what was deleted, where ids are text."""

    deleted: Annotated[list[str], Meta(description="Ids of the deleted records.")]


PartyMax = Annotated[
    int, Meta(ge=1, le=20_000, description="The most people (number + plus_n) that one response may bring; none by default.")
]

Scope = Annotated[Literal["this", "following", "all"], Meta(description="Of a series: this event, it and the following, or all.")]
