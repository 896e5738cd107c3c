"""Until when an offered seat is reserved."""

from datetime import datetime, timedelta

from kalends.values import datetimes

HOUR = 3600
# No seat is offered in the last hour before the start.
LAST_HOUR = HOUR
# An offer does not end between these hours on the event's clocks, while people sleep.
NIGHT_BEGINS, NIGHT_ENDS = 22, 8


def end(now: int, hours: int, start_at: int, zone: str) -> int:
    """The end of an offer that is made now: after some hours, not at night, and at least an hour before the start."""
    return min(_after_night(now + hours * HOUR, zone), start_at - LAST_HOUR)


def _after_night(instant: int, zone: str) -> int:
    local = datetimes.to_local(instant, zone)
    if NIGHT_ENDS <= local.hour < NIGHT_BEGINS:
        return instant
    day = local.date() + timedelta(days=1 if local.hour >= NIGHT_BEGINS else 0)
    return datetimes.to_instant(datetime(day.year, day.month, day.day, NIGHT_ENDS), zone)
