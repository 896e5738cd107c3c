"""Users: the input and the replies of the API."""

from typing import Annotated, ClassVar, Literal

from msgspec import Meta, Struct

from kalends.core.i18n.catalogs import Language
from kalends.core.records.people import AccountStatus, HourCycle, ResponseNotices, Role, WeekStart
from kalends.core.values import text
from kalends.http.input.options import FieldOptions, StructOptions
from kalends.http.input.types import CreatedAt, Deletion, EmailAddress, Instant, Name, NameOrAddress, RecordId, TimeZone, UpdatedAt

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
            FieldOptions(pattern=text.DISPLAY_NAME, pattern_message=text.DISPLAY_NAME_REFUSAL),
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
                description="What follows /sign-up/ in an invitation, whose email address the account must have; or the one-time code of "
                "the first administrator.",
            ),
        ]
        | None
    ) = None


class ProfileChanges(Profile, kw_only=True):
    """Changes of an account; a new password or e-mail address requires the current password."""

    OPTIONS: ClassVar = StructOptions(
        rules={
            "current_password": "is required with a new password or a new e-mail address",
            "delete_keys": "requires a new password. Send password too, or leave this out",
        }
        | WEAK
    )

    password: Annotated[Password, Meta(description="A new password, 8 to 256 characters.")] | None = None
    current_password: CurrentPassword | None = None
    delete_keys: Annotated[bool, Meta(description="With a new password: delete all keys and the sessions that they opened.")] = False


class Confirmation(Struct, kw_only=True):
    """The password, which deleting an account requires, and whether nothing is to stay of the person."""

    OPTIONS: ClassVar = StructOptions(rules={"current_password": "is required if the account has a password"})

    current_password: CurrentPassword | None = None
    erase: Annotated[bool, Meta(description="Whether to erase your comments and responses to other people's events, too.")] = False


class BequeathedCalendar(Struct):
    """A calendar of an account that is deleted."""

    calendar_id: Annotated[int, Meta(description="Id of the calendar.")]
    name: Annotated[str, Meta(description="Name of the calendar.")]
    user_name: Annotated[
        str | None, Meta(description="The user who gets it with all that is on it; null: it is deleted, since nobody else edits it.")
    ]


class AccountDeletion(Deletion):
    """The id of the account that was deleted, and what became of its calendars."""

    calendars: Annotated[list[BequeathedCalendar], Meta(description="Its calendars, and who owns them now.")]


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

    user_name: Annotated[str, Meta(description="User name.")]
    email_address: Annotated[str, Meta(description="E-mail address.")]
    status: Annotated[
        Literal["waiting"],
        Meta(description="Whether the account can be used: it waits for approval (`waiting`), or an admin suspended it (`suspended`)."),
    ]


class UserDetail(Struct):
    """The user's own account."""

    id: RecordId
    user_name: Annotated[str, Meta(description="User name.")]
    email_address: Annotated[str, Meta(description="E-mail address.")]
    name: Annotated[str | None, Meta(description="Name.")]
    time_zone: Annotated[str, Meta(description="IANA time zone, such as Europe/Paris.")]
    response_notices: ResponseNotices
    language: Annotated[Language | None, Meta(description="The language in which they read pages and mail; null: that of their browser.")]
    hour_cycle: Annotated[
        HourCycle | None, Meta(description="How they read times: with 12 hours (`h12`) or 24 (`h23`); null: as is usual in their language.")
    ]
    week_start: Annotated[WeekStart | None, Meta(description="The first day of their week; null: as is usual in their language.")]
    role: Annotated[Role, Meta(description="What the account may do: `admin` administers the site.")]
    status: Annotated[
        AccountStatus,
        Meta(description="Whether the account can be used: it waits for approval (`waiting`), or an admin suspended it (`suspended`)."),
    ]
    # Whether and when they verified the address.
    verified: Annotated[bool, Meta(description="Whether the e-mail address was verified.")]
    verified_at: Annotated[Instant | None, Meta(description="When the e-mail address was verified, in UTC.")]
    primary_calendar_id: Annotated[int, Meta(description="Id of the user's primary calendar.")]
    created_at: CreatedAt
    updated_at: UpdatedAt
