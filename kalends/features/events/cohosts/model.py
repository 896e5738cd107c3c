"""Co-hosts: the input and the replies of the API."""

from typing import Annotated, ClassVar

from msgspec import Meta, Struct

from kalends.features.calendars.model import LeftPeople
from kalends.http.input.options import StructOptions
from kalends.http.input.types import CreatedAt, Deletion, NameOrCheckedAddress, RecordId, Scope
from kalends.http.paging import Page

MAX_COHOSTS = 20


class CohostScope(Struct, kw_only=True):
    """Which dates of a series."""

    scope: Scope = "this"


class CohostRemoval(CohostScope, kw_only=True):
    """Which co-host is removed, and what ends with it."""

    withdraw_invitations: Annotated[
        bool, Meta(description="Withdraw their invitations to these dates, and what guests see whom they added.")
    ] = False
    reset_links: Annotated[bool, Meta(description="Replace the links by which these dates are seen: a co-host knows them.")] = False


class RemovedCohost(Deletion, kw_only=True):
    """The ids of what was deleted, and whom the co-host has invited."""

    left: Annotated[LeftPeople, Meta(description="The people whom they have invited or added to these dates.")]


class CohostInput(CohostScope, kw_only=True):
    """The person who may edit the event from now on."""

    OPTIONS: ClassVar = StructOptions(rules={"user_name": "must be somebody else's user name or e-mail address"})

    user_name: NameOrCheckedAddress


class CohostItem(Struct, kw_only=True):
    """A co-host: a user by name, or an address, which may have no account yet."""

    id: RecordId
    user_name: Annotated[str | None, Meta(description="The user name; null for an address.")]
    name: Annotated[str | None, Meta(description="The display name; null for an address.")]
    email_address: Annotated[str | None, Meta(description="The address; null for a user who was added by name.")]
    created_at: CreatedAt


class CohostIndex(Page):
    """The co-hosts of an event."""

    cohosts: Annotated[list[CohostItem], Meta(description="The co-hosts.")]
