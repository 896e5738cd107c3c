"""The row of a user."""

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
