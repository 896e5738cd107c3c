"""The topics of push messages: they identify a calendar or address book to devices and push services, who cannot tell which one it is."""

from kalends.core.records.calendar import Calendar
from kalends.core.settings import Settings
from kalends.core.tokens import derive

# The longest that a push service takes (RFC 8030).
LENGTH = 32


def calendar_topic(settings: Settings, calendar: Calendar) -> str:
    return derive(settings, "push topic", f"calendar {calendar.id}")[:LENGTH]


def book_topic(settings: Settings, user_id: int, book_id: int) -> str:
    return derive(settings, "push topic", f"book {user_id} {book_id}")[:LENGTH]
