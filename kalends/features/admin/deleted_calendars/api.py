"""The calendars that deleted accounts leave in the trash, which admins give to somebody else."""

from typing import Annotated, ClassVar

from msgspec import Meta, Struct

from kalends import policy
from kalends.core.values import timestamps
from kalends.features.admin.audit import store as audit
from kalends.features.admin.deleted_calendars import steps, store
from kalends.features.sessions.steps.credentials import confirm_admin
from kalends.features.users.model import CurrentPassword
from kalends.http.context import Context
from kalends.http.endpoint import endpoint
from kalends.http.input.options import StructOptions
from kalends.http.input.types import Deletion, Instant, Name, RecordId
from kalends.http.paging import Page, Paging, build_page


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


@endpoint("GET", "/api/admin/deleted_calendars", for_admins=True)
def deleted_calendars(ctx: Context, params: Paging) -> DeletedCalendarIndex:
    """The calendars that were deleted with their owners' accounts within the last 30 days, since nobody else edits them; for admins."""
    rows, page = build_page(
        ctx, params, policy.deleted_calendars(ctx, params.fetch, params.offset), lambda: policy.count_deleted_calendars(ctx)
    )
    items = [
        DeletedCalendarItem(
            id=row.calendar_id,
            name=row.name,
            events=row.events,
            deleted_at=timestamps.format_utc(row.deleted_at),
            expires_at=timestamps.format_utc(row.deleted_at + policy.TRASH_SECONDS),
        )
        for row in rows
    ]
    return DeletedCalendarIndex(items, **page)


@endpoint("PUT", "/api/admin/deleted_calendars/{deleted_calendar_id}", transaction=False, pool="hash")
def give_calendar(ctx: Context, deleted_calendar_id: int, params: Recipient) -> GivenCalendar:
    """Restore the calendar of a deleted account for somebody else, who owns it from then on and gets mail; for admins.

    Its events come back with their ids, guests and comments, and so do the people with whom it was shared. Its feed has a new URL. What the
    deleted account wrote as a guest, and its name, stay erased. It counts in the quota of its new owner (409). This requires a session that
    was opened within the last 15 minutes, in any way, or `current_password`. A key cannot do it.
    """
    with ctx.read():
        policy.deleted_calendar(ctx, deleted_calendar_id)
    confirm_admin(ctx, params.current_password)
    owner = steps.give(ctx, deleted_calendar_id, params.user_name)
    return GivenCalendar(calendar_id=deleted_calendar_id, user_name=owner.user_name)


@endpoint("DELETE", "/api/admin/deleted_calendars/{deleted_calendar_id}", transaction=False)
def erase_calendar(ctx: Context, deleted_calendar_id: int) -> Deletion:
    """Erase the calendar of a deleted account for good, before its 30 days have passed; for admins."""
    steps.erase(ctx, deleted_calendar_id)
    with ctx.write():
        store.delete(ctx, policy.deleted_calendar(ctx, deleted_calendar_id).calendar_id)
        audit.record(ctx, "calendar_erased", "calendar", deleted_calendar_id)
        return Deletion([deleted_calendar_id])
