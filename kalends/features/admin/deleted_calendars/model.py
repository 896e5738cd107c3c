"""Calendars of deleted accounts, for admins: the input and the replies of the API."""

from typing import Annotated, ClassVar

from msgspec import Meta, Struct

from kalends.features.users.model import CurrentPassword
from kalends.http.input.options import StructOptions
from kalends.http.input.types import Instant, Name, RecordId
from kalends.http.paging import Page


class Recipient(Struct, kw_only=True):
    """Who gets a calendar of a deleted account."""

    OPTIONS: ClassVar = StructOptions(rules={"user_name": "must be someone with an active account"})

    user_name: Annotated[Name, Meta(description="The user name of someone with an active account; your own, too.")]
    current_password: CurrentPassword | None = None


class DeletedCalendarItem(Struct, kw_only=True):
    """A calendar that was deleted with its owner's account."""

    id: RecordId
    name: Annotated[str, Meta(description="Its name; `Calendar` if it was that of the person.")]
    events: Annotated[int, Meta(description="How many events it has.")]
    deleted_at: Annotated[Instant, Meta(description="When it was deleted, in UTC.")]
    expires_at: Annotated[Instant, Meta(description="When it is gone for good, in UTC.")]


class DeletedCalendarIndex(Page):
    deleted_calendars: Annotated[list[DeletedCalendarItem], Meta(description="The calendars, the last one first.")]


class GivenCalendar(Struct, kw_only=True):
    """A calendar that somebody got from the trash."""

    calendar_id: Annotated[int, Meta(description="Id of the calendar, which is the same as before.")]
    user_name: Annotated[str, Meta(description="The user name of its owner.")]
