"""Find IANA time zones by the names that calendar programs use."""

from functools import cache

from kalends.core.values.datetimes import known_zones

MAX_CHARACTERS = 200

_BEST_KNOWN = (
    *("UTC", "Europe/London", "Europe/Berlin", "America/New_York", "America/Chicago", "America/Los_Angeles"),
    *("Asia/Kolkata", "Australia/Sydney"),
)


def find_zone(name: str) -> str | None:
    """The IANA zone of this name, which may have a prefix or be a Windows name."""
    if len(name) > MAX_CHARACTERS:
        return None
    pieces = name.strip().upper().split("/")
    for first in range(len(pieces)):
        if zone := _names().get("/".join(pieces[first:])):
            return zone
    return None


@cache
def common_zones() -> tuple[str, ...]:
    """A zone for each that Windows has: the best known ones first."""
    from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

    return tuple(dict.fromkeys([*_BEST_KNOWN, *sorted(zone for zone in WINDOWS_TO_OLSON.values() if zone in known_zones())]))


@cache
def _names() -> dict[str, str]:
    """The zones by their names in upper case."""
    # Imported late, to start fast.
    from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

    windows = {name.upper(): zone for name, zone in WINDOWS_TO_OLSON.items() if zone in known_zones()}
    return windows | {zone.upper(): zone for zone in known_zones()}
