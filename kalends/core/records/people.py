"""The rows of users, of invitations to make an account, of blocked users and of contacts."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

ResponseNotices = Annotated[
    Literal["at_once", "daily", "off"],
    Meta(description="When you get mail about new responses and comments to your events: at_once, daily in the morning, or off."),
]

HourCycle = Annotated[Literal["h12", "h23"], Meta(description="Times with 12 hours, as `5:00 pm`, or with 24 hours, as `17:00`.")]
WeekStart = Annotated[Literal["monday", "saturday", "sunday"], Meta(description="The first day of the week in calendars.")]

# What an account may do beyond its own records: an admin administers the site.
Role = Literal["member", "admin"]
# Whether an account can be used: it waits for the approval of an admin, or an admin has suspended it.
AccountStatus = Literal["active", "waiting", "suspended"]
# Whether an account may send to people who have not answered it: many refused its mail, or an admin has stopped it.
Sending = Literal["allowed", "stopped"]


class User(Struct, frozen=True):
    """A row of the table `users`."""

    id: int
    user_name: str
    email_address: str
    name: str | None
    time_zone: str
    password_hash: str
    created_at: int
    updated_at: int
    verified_at: int | None
    response_notices: ResponseNotices = "daily"
    role: Role = "member"
    status: AccountStatus = "active"
    # Empty: as their browser says, and as people of the language write.
    language: str = ""
    hour_cycle: str = ""
    week_start: str = ""
    sending: Sending = "allowed"


class AccountInvitation(Struct, frozen=True):
    """A row of the table `account_invitations`."""

    id: int
    email_address: str
    email_key: str
    invited_by: int | None
    created_at: int
    expires_at: int


class Block(Struct, frozen=True):
    """A person whose calendars you do not want to be shared with you."""

    user_id: int
    name: str
    created_at: int


Gender = Literal["male", "female"]


class Contact(Struct, frozen=True):
    """A row of the table `contacts`. An entry of the temporary list has its service, and expires."""

    id: int
    user_id: int
    first_name: str | None
    last_name: str | None
    phone_number: str | None
    email_address: str | None
    birthday: str | None
    gender: Gender | None
    country: str | None
    zip_code: str | None
    tags: str
    unique_id: str | None
    service: str | None
    expires_at: int | None
    version: int
    created_at: int
    updated_at: int

    @property
    def etag(self) -> str:
        return f"c{self.id}-{self.version}"


class Person(Struct, frozen=True):
    """The id and display name of a user."""

    id: Annotated[int, Meta(description="Id of the record.")]
    name: Annotated[str, Meta(description="Name.")]
