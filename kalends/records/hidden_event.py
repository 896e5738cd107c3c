"""The rows of what admins have hidden."""

from msgspec import Struct


class HiddenEvent(Struct, frozen=True):
    """A row of the table `hidden_events`, with the title of its first date that was not deleted, if there is one."""

    id: int
    event_id: int
    reason: str
    hidden_at: int
    title: str | None


class HiddenDate(Struct, frozen=True):
    """A row of the table `hidden_dates`: what the event was before."""

    event_id: int
    public: bool
    by_link: bool
    granting: str

    @property
    def placement_ids(self) -> list[int]:
        return [int(number) for number in self.granting.split(",") if number]
