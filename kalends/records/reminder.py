"""The row of a reminder."""

from typing import Literal, cast

from msgspec import Struct

from kalends.records.delivery import Channel

Group = Literal["going", "maybe", "waiting", "all"]


def cause_of(reminder_id: int, event_id: int, start_at: int) -> str:
    """What the messages of a reminder are sent for: an address gets one for each start of the event."""
    return f"reminder:{reminder_id}:{event_id}:{start_at}"


class Reminder(Struct, frozen=True):
    """A row of the table `reminders`. `at` is a minute of the day; `audience` is delimited by commas."""

    id: int
    event_id: int | None
    calendar_id: int | None
    origin_id: int | None
    before: int | None
    days_before: int | None
    at: int | None
    audience: str
    channel: Channel
    text: str | None

    @property
    def origin(self) -> int:
        """What the copies of the reminder have in common."""
        return self.id if self.origin_id is None else self.origin_id

    @property
    def groups(self) -> list[Group]:
        """Whom it reminds."""
        return cast(list[Group], self.audience.split(",")) if self.audience else []
