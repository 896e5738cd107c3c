"""When reminders are due: a table of starts, zones and clock changes, without a database."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from kalends.core.records.delivery import Channel, Reminder
from kalends.features.events.reminders.rules.due import find_window

HOUR = 60
PARIS = "Europe/Paris"


def _reminder(before: int | None = None, days: int | None = None, at: int | None = None, channel: Channel = "email") -> Reminder:
    return Reminder(1, 1, None, None, before, days, at, "going", channel, None)


def _instant(text: str, zone: str = PARIS) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).timestamp())


@pytest.mark.parametrize(
    ("reminder", "start", "due", "until"),
    [
        (_reminder(before=60), "2026-05-12T20:00", "2026-05-12T19:00", "2026-05-12T19:30"),
        (_reminder(before=7 * 24 * HOUR), "2026-05-12T20:00", "2026-05-05T20:00", "2026-05-06T02:00"),
        (_reminder(days=1, at=18 * HOUR), "2026-05-12T20:00", "2026-05-11T18:00", "2026-05-12T00:00"),
        (_reminder(days=0, at=9 * HOUR), "2026-05-12T20:00", "2026-05-12T09:00", "2026-05-12T14:30"),
        # Over the clock changes of 29 March and 25 October: the clock of days_before stays, and 24 hours are 24 hours.
        (_reminder(days=1, at=18 * HOUR), "2026-03-29T20:00", "2026-03-28T18:00", "2026-03-29T00:00"),
        (_reminder(days=1, at=18 * HOUR), "2026-10-25T20:00", "2026-10-24T18:00", "2026-10-25T00:00"),
        (_reminder(before=24 * HOUR), "2026-03-29T20:00", "2026-03-28T19:00", "2026-03-29T01:00"),
        (_reminder(before=24 * HOUR), "2026-10-25T20:00", "2026-10-24T21:00", "2026-10-25T02:00+01:00"),
        # 02:30 does not exist on 29 March.
        (_reminder(days=0, at=150), "2026-03-29T20:00", "2026-03-29T03:30", "2026-03-29T09:30"),
        # SMS wait for the morning, or come in the evening before, and none is sent at night.
        (_reminder(before=12 * HOUR, channel="sms"), "2026-05-12T18:00", "2026-05-12T08:00", "2026-05-12T13:00"),
        (_reminder(before=60, channel="sms"), "2026-05-12T07:30", "2026-05-11T20:00", "2026-05-11T21:00"),
        (_reminder(before=60, channel="sms"), "2026-05-12T08:00", "2026-05-11T20:00", "2026-05-11T21:00"),
        (_reminder(before=12 * HOUR, channel="sms"), "2026-05-12T07:00", "2026-05-11T19:00", "2026-05-11T21:00"),
        (_reminder(before=60, channel="sms"), "2026-05-12T20:00", "2026-05-12T19:00", "2026-05-12T19:30"),
    ],
)
def test_the_window_of_a_reminder(reminder: Reminder, start: str, due: str, until: str) -> None:
    window = find_window(reminder, _instant(start), PARIS)
    assert window is not None
    expected_until = int(datetime.fromisoformat(until).timestamp()) if "+" in until else _instant(until)
    assert (window.due_at, window.until_at) == (_instant(due), expected_until)


def test_a_reminder_after_the_start_has_no_window() -> None:
    assert find_window(_reminder(days=0, at=21 * HOUR), _instant("2026-05-12T20:00"), PARIS) is None
