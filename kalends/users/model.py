"""What a user is."""

from typing import Annotated

from msgspec import Meta, Struct

from kalends.http.types import EmailAddress, Name, TimeZone

UserName = Annotated[
    str,
    Meta(
        max_length=60,
        description="Letters, digits, dots, hyphens and underscores; unique without regard to case.",
        extra={"pattern": r"^[\w.-]+$", "hint": "may have letters, digits, dots, hyphens and underscores only"},
    ),
]
Password = Annotated[str, Meta(min_length=8, max_length=256, description="8 to 256 characters.", extra={"verbatim": True})]
GivenPassword = Annotated[str, Meta(max_length=256, description="Your password now.", extra={"verbatim": True})]


class Profile(Struct, kw_only=True):
    """The editable fields of a user."""

    user_name: UserName
    email_address: EmailAddress
    name: Name | None = None
    time_zone: TimeZone = "UTC"


class Registration(Profile, kw_only=True):
    """What it takes to register."""

    password: Password


class ProfileChanges(Profile, kw_only=True):
    """What a user may change; a new password needs the current one."""

    password: Password | None = None
    current_password: GivenPassword | None = None


class Confirmation(Struct, kw_only=True):
    """Deleting a user needs the password."""

    current_password: GivenPassword


class User(Struct, frozen=True):
    """A row of the table."""

    id: int
    user_name: str
    email_address: str
    name: str | None
    time_zone: str
    password_hash: str
    created_at: int
    updated_at: int


class UserDetail(Struct):
    """A user, as they see themselves."""

    id: int
    user_name: str
    email_address: str
    name: str | None
    time_zone: str
    primary_calendar_id: int
    created_at: str
    updated_at: str
