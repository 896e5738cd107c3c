"""Time zones by the names that calendar programs give them."""

from functools import cache

from kalends.values.datetimes import known_zones

MOST_CHARACTERS = 200


def known(name: str) -> str | None:
    """The zone of the IANA database that is meant, whatever stands before its name; or that Windows calls so."""
    if len(name) > MOST_CHARACTERS:
        return None
    pieces = name.strip().upper().split("/")
    for first in range(len(pieces)):
        if found := _names().get("/".join(pieces[first:])):
            return found
    return None


@cache
def _names() -> dict[str, str]:
    """Every name in capitals, as parameters are read."""
    # Imported late, for a quick start.
    from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

    windows = {name.upper(): zone for name, zone in WINDOWS_TO_OLSON.items() if zone in known_zones()}
    return windows | {zone.upper(): zone for zone in known_zones()}
