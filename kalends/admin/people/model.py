"""People, for admins: the queries, the input and the replies of the API."""

from typing import Annotated, ClassVar

from msgspec import UNSET, Meta, Struct, UnsetType

from kalends.http.input.options import StructOptions
from kalends.http.input.types import Instant
from kalends.http.paging import Paging
from kalends.records.user import AccountStatus, Role, Sending
from kalends.users.model import CurrentPassword


class PeopleQuery(Paging, kw_only=True, frozen=True):
    """Which people to list."""

    OPTIONS: ClassVar = StructOptions(rules={"text": "may have words and phrases of at most 100 characters, 20 in all"})

    text: Annotated[str, Meta(max_length=200, description="Words of their user name, e-mail address or name.")] | None = None
    status: Annotated[AccountStatus, Meta(description="Only those whose account has this status.")] | None = None
    role: Annotated[Role, Meta(description="Only those who have this role.")] | None = None
    sending: Annotated[Sending, Meta(description="Only those who may send to others, or are stopped.")] | None = None


class PersonInput(Struct, kw_only=True):
    """What an admin changes of an account: one of these, or both."""

    role: Annotated[Role, Meta(description="What the account may do: `admin` administers the site.")] | None = None
    sending: Annotated[Sending, Meta(description="Whether the account may send to people who have not answered it.")] | None = None
    current_password: CurrentPassword | None = None


class PersonDeletion(Struct, kw_only=True):
    """The admin's own password, where it is required."""

    current_password: CurrentPassword | None = None


class PersonItem(Struct, kw_only=True):
    """The account of someone, for admins."""

    id: int
    user_name: str
    email_address: str
    name: str | None
    role: Role
    status: AccountStatus
    sending: Sending
    verified: bool
    created_at: Instant
    last_seen_at: Instant | None


class PeopleIndex(Struct):
    people: list[PersonItem]
    limit: int
    offset: int
    next: str | None
    total: int | UnsetType = UNSET
