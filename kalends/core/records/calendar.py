"""The rows of calendars, of those in the trash of deleted accounts, of co-hosts and of offers of ownership."""

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from msgspec import Meta, Struct

Moderation = Annotated[
    Literal["none", "guests", "all"],
    Meta(description="Whose comments wait for approval: nobody's, guests' (the default), or everyone's."),
]


Confirmations = Annotated[
    Literal["on", "off"], Meta(description="Whether those who respond to an event get mail about it, with a link to change the response.")
]
ConfirmResponses = Annotated[
    Literal["none", "always"],
    Meta(description="Which responses count only when the link in a mail to their address was followed: none, or all without proof."),
]

Scheduling = Annotated[
    Literal["on", "off"],
    Meta(description="Whether the guests of events that programs write by CalDAV are invited, and notified of changes and deletions."),
]


class NamedCalendar(Struct, frozen=True, array_like=True):
    """No more of a calendar than is shown among others, with the role that the actor has in it: owner, editor, viewer or none."""

    id: int
    name: str
    color: str
    time_zone: str
    role: str | None
    public: bool

    @property
    def is_member(self) -> bool:
        """Whether the actor owns it, or it is shared with them."""
        return self.role is not None


class Calendar(NamedCalendar, frozen=True, array_like=True):
    """A calendar."""

    owner_id: int
    description: str | None
    moderation: Moderation
    is_primary: bool
    created_at: int
    updated_at: int
    revision: int
    changed_at: int
    feed_version: int
    public_revision: int
    public_changed_at: int
    owner_name: str
    party_max: int | None
    confirmations: Confirmations
    confirm_responses: ConfirmResponses
    confirm_above: int
    hold_minutes: int
    scheduling: Scheduling
    keep_responses_days: int | None

    @property
    def device_notify(self) -> Literal["auto", "none"]:
        """Whom to notify of what a program writes to the calendar, as `notify` of the API says it."""
        return "auto" if self.scheduling == "on" else "none"


class TargetCalendar(NamedCalendar, frozen=True, array_like=True):
    """No more of a calendar than it takes to create an event on it, with the id that the event will have, and whether it has questions."""

    party_max: int | None
    next_event_id: int
    has_questions: bool


class MemberCalendar(Struct, frozen=True, array_like=True):
    """The id of a calendar that the actor owns or that is shared with them, for searches."""

    is_member: ClassVar = True

    id: int


class MemberCalendars(Struct, frozen=True):
    """All of the actor's calendars, whose ids need not be known."""


Calendars = Sequence[NamedCalendar | MemberCalendar]
Searched = Calendars | MemberCalendars


class Cohost(Struct, frozen=True):
    """Someone who may edit one event. Without an address they were added by their user name."""

    id: int
    event_id: int
    user_id: int | None
    user_name: str | None
    name: str | None
    email_address: str | None
    created_at: int


class OwnershipOffer(Struct, frozen=True):
    """A calendar that somebody offers to another user, who may accept it."""

    id: int
    calendar_id: int
    calendar_name: str
    # Its owner now.
    owner_id: int
    user_id: int
    user_name: str
    user_display_name: str
    offered_by: int
    offered_by_name: str
    created_at: int


class DeletedCalendar(Struct, frozen=True):
    """A row of the table `deleted_calendars`."""

    calendar_id: int
    owner_id: int
    name: str
    events: int
    set_id: int
    deleted_at: int
