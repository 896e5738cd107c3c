"""The links of a calendar to its other days and views, on its own page or embedded in another site."""

from collections.abc import Sequence
from datetime import date
from urllib.parse import urlencode

from markupsafe import escape
from msgspec import Struct

from kalends.calendar_view.days import AGENDA, DAY


class Links(Struct, frozen=True):
    """The path of the calendar's page, and the query parameters that its links repeat.

    is_embedded: the calendar is embedded in another site, so events open in a new window."""

    path: str
    query: str = ""
    is_embedded: bool = False

    def to(self, view: str, day: date) -> str:
        return f"{self.path}?view={view}&date={day}{self.query}"

    def path_to(self, view: str) -> tuple[str, str]:
        """What is before and after the date in the links to a view, escaped."""
        return escape(f"{self.path}?view={view}&date="), escape(self.query)

    def path_to_day(self) -> tuple[str, str]:
        return self.path_to(AGENDA if self.is_embedded else DAY)


def repeated_query(calendar_ids: Sequence[int] | None, time_zone: str | None) -> str:
    """The reader's choice of calendars and time zone, as query parameters."""
    values = {"calendar_ids": ",".join(map(str, calendar_ids or ())), "time_zone": time_zone}
    return "".join(f"&{urlencode({name: value}, safe=',/')}" for name, value in values.items() if value)
