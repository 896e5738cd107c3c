"""API write keys: the input and the replies of the API."""

from typing import Annotated, ClassVar

from msgspec import Meta, Struct, structs

from kalends.core.i18n import gettext
from kalends.core.records.credentials import KeyKind, KeyScope
from kalends.core.values import timestamps
from kalends.features.users.model import CurrentPassword
from kalends.http.input.options import FieldOptions, Secret, StructOptions
from kalends.http.input.readers import FieldInvalid
from kalends.http.input.types import CreatedAt, Instant, Name
from kalends.http.paging import Page

MAX_CALENDARS = 100
CalendarIds = Annotated[list[Annotated[int, Meta(ge=1)]], Meta(max_length=MAX_CALENDARS)]
KeyCalendars = Annotated[list[int] | None, Meta(description="The calendars that the key opens; null: all.")]
Scopes = Annotated[list[KeyScope], Meta(max_length=7)]
ReadOnly = Annotated[bool, Meta(description="Of an app password: it reads calendars and contacts, and changes nothing.")]


def _instant(value: str) -> str:
    if timestamps.parse_instant(value) is None:
        raise FieldInvalid(gettext("must be a time such as 2027-05-11T17:00:00Z"))
    return value


FutureInstant = Annotated[Instant, Meta(max_length=64), FieldOptions(check=_instant, schema={"format": "date-time"})]
KeyScopes = Annotated[list[str] | None, Meta(description="What the key may do; null: everything that its user may.")]
KeyEnd = Annotated[Instant | None, Meta(description="When the key ends, in UTC; null: when it is deleted.")]


class KeyInput(Struct, kw_only=True):
    """The editable fields of a key."""

    OPTIONS: ClassVar = StructOptions(
        rules={
            "scopes": "are for a key of the kind api, at least one",
            "read_only": "is for a key of the kind dav",
            "calendar_ids": "are calendars of yours, or shared with you, at least one",
            "expires_at": "must be in the future",
        }
    )

    name: Annotated[Name, Meta(description="What the key is for.", examples=["backup"])]
    kind: KeyKind = "api"
    scopes: Annotated[Scopes, Meta(description="What the key may do; null: everything that you may.")] | None = None
    read_only: ReadOnly = False
    calendar_ids: Annotated[CalendarIds, Meta(description="The calendars that the key opens; null: all.")] | None = None
    expires_at: Annotated[FutureInstant, Meta(description="When the key ends; null: when you delete it.")] | None = None


class KeyRequest(KeyInput, kw_only=True):
    """A new key, with the password where it is required."""

    # A wish for a scope or an expiry must not be ignored.
    OPTIONS: ClassVar = structs.replace(KeyInput.OPTIONS, refuses_unknown=True)

    current_password: CurrentPassword | None = None


class KeyItem(Struct):
    """A key without its secrets."""

    id: Annotated[str, Meta(description="Id of the record.")]
    name: Annotated[str, Meta(description="Name.")]
    created_at: CreatedAt
    kind: KeyKind
    last_used_at: Annotated[Instant | None, Meta(description="When it was last used, in UTC, to the hour; null if it never was.")]
    scopes: KeyScopes
    read_only: ReadOnly
    expires_at: KeyEnd
    calendar_ids: KeyCalendars


class KeyCreated(Struct):
    """A new key; `wkey` and `shared_secret` are sent this once. An app password has no `shared_secret`."""

    id: Annotated[str, Meta(description="Id of the record.")]
    name: Annotated[str, Meta(description="Name.")]
    wkey: Annotated[Secret, Meta(description="The API write key. It is shown once.")]
    shared_secret: Annotated[Secret | None, Meta(description="The secret for digests. It is shown once. An app password has none.")]
    created_at: CreatedAt
    kind: KeyKind
    scopes: KeyScopes
    read_only: ReadOnly
    expires_at: KeyEnd
    calendar_ids: KeyCalendars


class KeyIndex(Page):
    """A page of keys."""

    keys: Annotated[list[KeyItem], Meta(description="The keys.")]
