"""Users: the input and the replies of the API."""

from typing import Annotated, ClassVar, Literal

from msgspec import Meta, Struct

from kalends.http.input.options import FieldOptions, StructOptions
from kalends.http.input.types import EmailAddress, Instant, Name, NameOrAddress, TimeZone
from kalends.i18n.catalogs import Language
from kalends.records.user import AccountStatus, HourCycle, ResponseNotices, Role, WeekStart
from kalends.values import display_name

UserName = Annotated[
    str,
    Meta(max_length=60, description="Letters, digits, dots, hyphens and underscores; unique without regard to case.", examples=["ana"]),
    FieldOptions(
        pattern=r"^[\w.-]+$",
        pattern_message="may have letters, digits, dots, hyphens and underscores only",
        schema={"minLength": 1, "format": "user-name"},
    ),
]
Password = Annotated[str, Meta(min_length=8, max_length=256, description="8 to 256 characters."), FieldOptions(keep_whitespace=True)]
CurrentPassword = Annotated[str, Meta(max_length=256, description="Your password now."), FieldOptions(keep_whitespace=True)]


WEAK = {"password": "must not be a common one, nor made of your own names"}


class Profile(Struct, kw_only=True):
    """The editable fields of a user."""

    user_name: UserName
    email_address: EmailAddress
    name: (
        Annotated[
            Name,
            Meta(description="The name that others see; the user name by default.", examples=["Ana"]),
            FieldOptions(pattern=display_name.PATTERN, pattern_message=display_name.REFUSAL),
        ]
        | None
    ) = None
    time_zone: Annotated[TimeZone, Meta(description="The zone of times without an offset, such as Europe/Paris.")] = "UTC"
    response_notices: ResponseNotices = "daily"
    language: Annotated[Language, Meta(description="The language of pages and mail; without one, that of your browser.")] | None = None
    hour_cycle: HourCycle | None = None
    week_start: WeekStart | None = None


class Registration(Profile, kw_only=True):
    """A registration."""

    OPTIONS: ClassVar = StructOptions(rules=WEAK)

    password: Password
    invitation: (
        Annotated[
            str,
            Meta(
                max_length=100,
                description="Of a link to make an account, what follows /sign-up/. With an invitation by mail, the address must be its.",
            ),
        ]
        | None
    ) = None


class ProfileChanges(Profile, kw_only=True):
    """Changes of an account; a new password or e-mail address requires the current password."""

    OPTIONS: ClassVar = StructOptions(
        rules={
            "current_password": "is required with a new password or a new e-mail address",
            "delete_keys": "goes with a new password",
        }
        | WEAK
    )

    password: Annotated[Password, Meta(description="A new password, 8 to 256 characters.")] | None = None
    current_password: CurrentPassword | None = None
    delete_keys: Annotated[bool, Meta(description="With a new password: delete all keys and the sessions that they opened.")] = False


class Confirmation(Struct, kw_only=True):
    """The password that deleting an account requires, and whether nothing is to stay."""

    current_password: CurrentPassword
    erase: Annotated[bool, Meta(description="Whether to erase your comments and responses to other people's events, too.")] = False


class PasswordChange(Struct, kw_only=True):
    """A new password and the current one."""

    current_password: CurrentPassword
    password: Password
    delete_keys: bool = False


class ResetRequest(Struct, kw_only=True):
    """A request for a password reset link."""

    user_name: NameOrAddress


class NewPassword(Struct, kw_only=True):
    """A new password for a user who opened a reset link."""

    password: Password


class RegistrationWaiting(Struct):
    """A registration that an admin has to approve. It does not tell whether the address has an account already."""

    user_name: str
    email_address: str
    status: Literal["waiting"]


class UserDetail(Struct):
    """The user's own account."""

    id: int
    user_name: str
    email_address: str
    name: str | None
    time_zone: str
    response_notices: ResponseNotices
    language: Language | None
    hour_cycle: HourCycle | None
    week_start: WeekStart | None
    role: Role
    status: AccountStatus
    # Whether and when they verified the address.
    verified: bool
    verified_at: Instant | None
    primary_calendar_id: int
    created_at: Instant
    updated_at: Instant
