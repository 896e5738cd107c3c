"""Where the links of a calendar lead: to its other days and views, on a page of its own or inside another site's."""

from collections.abc import Sequence
from datetime import date
from urllib.parse import urlencode

from msgspec import Struct


class Links(Struct, frozen=True):
    """The calendar's own path, and what its reader has chosen and keeps.

    is_embedded: it is shown inside another site's page, which its events do not take the place of."""

    path: str
    kept: str = ""
    is_embedded: bool = False

    def to(self, view: str, day: date) -> str:
        return f"{self.path}?view={view}&date={day}{self.kept}"


def kept(calendar_ids: Sequence[int] | None, time_zone: str | None) -> str:
    """What the links keep of the reader's choice."""
    chosen = {"calendar_ids": ",".join(map(str, calendar_ids or ())), "time_zone": time_zone}
    return "".join(f"&{urlencode({name: value}, safe=',/')}" for name, value in chosen.items() if value)
