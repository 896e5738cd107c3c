"""Passkeys: the input and the replies of the API."""

from typing import Annotated, ClassVar

from msgspec import Meta, Struct

from kalends.http.input.options import StructOptions
from kalends.http.input.types import CreatedAt, Instant, Name
from kalends.http.paging import Page

MAX_PASSKEYS = 20
PasskeyResponse = Annotated[
    str, Meta(max_length=20_000, description="What the authenticator returned, as text: `JSON.stringify(credential)` in a browser.")
]


class PasskeyInput(Struct, kw_only=True):
    """A new passkey."""

    OPTIONS: ClassVar = StructOptions(rules={"passkey": "is what an authenticator returned for the options of the last five minutes"})

    name: Annotated[Name, Meta(description="Where the passkey is.", examples=["my phone"])]
    passkey: PasskeyResponse


class PasskeyItem(Struct):
    """A passkey."""

    id: Annotated[str, Meta(description="Id of the record.")]
    name: Annotated[str, Meta(description="Name.")]
    created_at: CreatedAt
    last_used_at: Annotated[Instant | None, Meta(description="When it last signed in, in UTC; null if it never did.")]


class PasskeyIndex(Page):
    """A page of passkeys."""

    passkeys: Annotated[list[PasskeyItem], Meta(description="The passkeys.")]


class PasskeyOptions(Struct):
    """What a browser needs to ask an authenticator."""

    options: Annotated[
        str,
        Meta(
            description="The `publicKey` options of WebAuthn as JSON, in a text: parse it, and give it to "
            "`PublicKeyCredential.parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON`. Valid for five minutes, once."
        ),
    ]
