"""The row of a calendar in the trash of a deleted account."""

from msgspec import Struct


class DeletedCalendar(Struct, frozen=True):
    """A row of the table `deleted_calendars`."""

    calendar_id: int
    owner_id: int
    name: str
    events: int
    set_id: int
    deleted_at: int
