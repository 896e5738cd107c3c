"""A location and its parts: derived from its shape where that is clear, and composed of them."""

import re

from kalends.events.model import MAX_PART, PARTS

Parts = dict[str, str | None]

_STATE_AND_ZIP = re.compile(r"(?P<state>[A-Z]{2}) (?P<zip>\d{5}(?:-\d{4})?)")
_ZIP_AND_CITY = re.compile(r"(?P<zip>(?:[A-Z]{1,2}-)?\d{4,5}) (?P<city>\D+)")
_COUNTRY = re.compile(r"[^\d,]{2,}")
NOTHING: Parts = dict.fromkeys(PARTS)


def derived(location: str | None) -> Parts:
    """`Blue Note, 131 W 3rd St, New York, NY 10012, USA` or `Le Sunset, 60 rue des Lombards, 75001 Paris, France` in parts."""
    pieces = [piece.strip() for piece in (location or "").split(",")]
    for i, piece in enumerate(pieces):
        if i >= 1 and (found := _STATE_AND_ZIP.fullmatch(piece)):
            return _around(pieces, before=i - 1, after=i + 1, known=found.groupdict() | {"city": pieces[i - 1]})
        if i >= 1 and (found := _ZIP_AND_CITY.fullmatch(piece)):
            return _around(pieces, before=i, after=i + 1, known=found.groupdict())
    return dict(NOTHING)


def composed(parts: Parts) -> str | None:
    """The parts as one line."""
    state_and_zip = " ".join(filter(None, (parts["state"], parts["zip"])))
    line = [parts["location_name"], parts["street"], parts["city"], state_and_zip, parts["country"]]
    return ", ".join(piece for piece in line if piece) or None


def _around(pieces: list[str], *, before: int, after: int, known: dict[str, str | None]) -> Parts:
    """What stands before the city is the place's name and its street; what stands after it, the country."""
    first, rest = pieces[:before], pieces[after:]
    if (
        not all(0 < len(piece) <= MAX_PART for piece in pieces)
        or len(first) > 2
        or len(rest) > 1
        or (rest and not _COUNTRY.fullmatch(rest[0]))
    ):
        return dict(NOTHING)
    parts: Parts = NOTHING | known
    if len(first) == 2:
        parts["location_name"], parts["street"] = first
    elif first:
        parts["street" if any(c.isdigit() for c in first[0]) else "location_name"] = first[0]
    if rest:
        parts["country"] = rest[0]
    return parts
