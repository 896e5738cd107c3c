"""People, for admins: the queries, the input and the replies of the API."""

from typing import Annotated, ClassVar

from msgspec import Meta, Struct

from kalends.core.records.people import AccountStatus, Role, Sending
from kalends.features.users.model import CurrentPassword
from kalends.http.input.options import StructOptions
from kalends.http.input.types import CreatedAt, Instant, NameOrAddress, RecordId
from kalends.http.paging import Page, Paging


class PeopleQuery(Paging, kw_only=True, frozen=True):
    """Which people to list."""

    OPTIONS: ClassVar = StructOptions(rules={"text": "may have words and phrases of at most 100 characters, 20 in all"})

    text: Annotated[str, Meta(max_length=200, description="Words of their user name, e-mail address or name.")] | None = None
    status: Annotated[AccountStatus, Meta(description="Only those whose account has this status.")] | None = None
    role: Annotated[Role, Meta(description="Only those who have this role.")] | None = None
    sending: Annotated[Sending, Meta(description="Only those who may send to others, or are stopped.")] | None = None


class PersonInput(Struct, kw_only=True):
    """What an admin changes of an account: one of these, or both."""

    OPTIONS: ClassVar = StructOptions(rules={"role": "is required, unless there is a sending"})

    role: Annotated[Role, Meta(description="What the account may do: `admin` administers the site.")] | None = None
    sending: Annotated[Sending, Meta(description="Whether the account may send to people who have not answered it.")] | None = None
    current_password: CurrentPassword | None = None


class PersonDeletion(Struct, kw_only=True):
    """Who gets the calendars of an account that is deleted, and the admin's own password, where it is required."""

    OPTIONS: ClassVar = StructOptions(rules={"give_to": "must be someone else with an active account"})

    give_to: (
        Annotated[
            NameOrAddress,
            Meta(description="User name or e-mail address of who gets all its calendars; without it, those that others edit go to these."),
        ]
        | None
    ) = None
    current_password: CurrentPassword | None = None


class PersonItem(Struct, kw_only=True):
    """The account of someone, for admins."""

    id: RecordId
    user_name: Annotated[str, Meta(description="User name.")]
    email_address: Annotated[str, Meta(description="E-mail address.")]
    name: Annotated[str | None, Meta(description="Name.")]
    role: Annotated[Role, Meta(description="What the account may do: `admin` administers the site.")]
    status: Annotated[
        AccountStatus,
        Meta(description="Whether the account can be used: it waits for approval (`waiting`), or an admin suspended it (`suspended`)."),
    ]
    sending: Annotated[
        Sending,
        Meta(description="Whether the account may send to others: it is `stopped` if many refused its mail, or an admin stopped it."),
    ]
    verified: Annotated[bool, Meta(description="Whether the e-mail address was verified.")]
    created_at: CreatedAt
    last_seen_at: Annotated[
        Instant | None,
        Meta(description="When a session of theirs was last used, in UTC, to the hour; null if that is more than two weeks ago."),
    ]


class PeopleIndex(Page):
    people: Annotated[list[PersonItem], Meta(description="The people.")]
