"""One-time codes: the input and the replies of the API."""

from typing import Annotated, ClassVar

from msgspec import Meta, Struct

from kalends.http.input.options import FieldOptions, Secret, StructOptions
from kalends.http.input.types import Instant

Code = Annotated[
    str, Meta(max_length=40, description="The six digits that the authenticator app shows, or a recovery code.", examples=["123456"])
]
RecoveryCodes = Annotated[
    list[str], Meta(description="Ten codes that sign in once each, instead of the app. They are shown once."), FieldOptions(is_secret=True)
]


class TotpInput(Struct, kw_only=True):
    """The editable fields."""

    key_logins: Annotated[bool, Meta(description="Whether `wkey` and `digest` still open sessions, which need no code.")] = True


class TotpConfirmation(Struct, kw_only=True):
    """A code that proves that the app has the secret."""

    OPTIONS: ClassVar = StructOptions(rules={"code": "is the one that the app shows now"})

    code: Code


class TotpDetail(Struct):
    """Whether the password needs a one-time code as well."""

    enabled: Annotated[bool, Meta(description="Whether a login with the password needs a code.")]
    enabled_at: Annotated[Instant | None, Meta(description="Since when, in UTC.")]
    recovery_codes: Annotated[int, Meta(description="How many recovery codes are left.")]
    key_logins: Annotated[bool, Meta(description="Whether `wkey` and `digest` still open sessions, which need no code.")]


class TotpCreated(Struct):
    """The secret for an authenticator app, which must prove with a code that it has it."""

    secret: Annotated[Secret, Meta(description="The secret in base 32, to type. It is shown once.")]
    otpauth_url: Annotated[Secret, Meta(description="The same as a URL, which opens an authenticator app.")]
    qr_code: Annotated[Secret, Meta(description="The URL as a QR code: a picture in a `data:` URL.")]


class TotpEnabled(Struct):
    """The recovery codes, which are sent this once."""

    recovery_codes: RecoveryCodes
