"""The birthdays of contacts, and when the next one is."""

from datetime import date, timedelta

from msgspec import Struct

# Of the calendar of birthdays.
COLOR = "#b5487a"


class Birthday(Struct, frozen=True):
    """A contact with a date of birth."""

    id: int
    first_name: str | None
    last_name: str | None
    email_address: str | None
    phone_number: str | None
    birthday: str
    version: int
    updated_at: int

    @property
    def name(self) -> str:
        return " ".join(filter(None, (self.first_name, self.last_name))) or self.email_address or self.phone_number or ""

    @property
    def born(self) -> date:
        return date.fromisoformat(self.birthday)

    @property
    def etag(self) -> str:
        return f'"b{self.id}-{self.version}"'


def next_date(born: date, today: date) -> date:
    """The next birthday from today on. Who was born on the 29th of February celebrates on the last day of that month."""
    this_year = _in_year(born, today.year)
    return this_year if this_year >= today else _in_year(born, today.year + 1)


def _in_year(born: date, year: int) -> date:
    if (born.month, born.day) == (2, 29):
        return date(year, 3, 1) - timedelta(days=1)
    return born.replace(year=year)
