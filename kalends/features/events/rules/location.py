"""A location and its parts: parts are parsed from the location, or the location is composed of them."""

import re
from typing import TypeVar
from urllib.parse import urlsplit

from msgspec import structs

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.features.events.input_model import EventFields
from kalends.features.events.model import MAX_LOCATION, MAX_PART, PARTS

Parts = dict[str, str | None]
T = TypeVar("T", bound=EventFields)

_STATE_AND_ZIP = re.compile(r"(?P<state>[A-Z]{2}) (?P<zip>\d{5}(?:-\d{4})?)")
_ZIP_AND_CITY = re.compile(r"(?P<zip>(?:[A-Z]{1,2}-)?\d{4,5}) (?P<city>\D+)")
_URL = re.compile("https?://")
_COUNTRY = re.compile(r"[^\d,]{2,}")
NO_PARTS: Parts = dict.fromkeys(PARTS)


def complete(fields: T, sent: set[str]) -> T:
    """Fill in the parts if only the location was sent, or the location if only parts were sent."""
    if (fields.latitude is None) != (fields.longitude is None):
        missing = "latitude" if fields.latitude is None else "longitude"
        raise errors.invalid(missing, gettext("is required: latitude and longitude go together"), "required")
    parts = sent & set(PARTS)
    if "location" in sent and not parts:
        return structs.replace(fields, **parse_parts(fields.location))
    if parts and "location" not in sent:
        location = compose({name: getattr(fields, name) for name in PARTS})
        if location and len(location) > MAX_LOCATION:
            raise errors.invalid("location", gettext("must have at most %(max)s characters in total", max=str(MAX_LOCATION)), "too_long")
        return structs.replace(fields, location=location)
    return fields


def parse_parts(location: str | None) -> Parts:
    """The parts of `Blue Note, 131 W 3rd St, New York, NY 10012, USA` or `Le Sunset, 60 rue des Lombards, 75001 Paris, France`."""
    pieces = [piece.strip() for piece in (location or "").split(",")]
    for i, piece in enumerate(pieces):
        if i >= 1 and (match := _STATE_AND_ZIP.fullmatch(piece)):
            return _add_surrounding(pieces, before=i - 1, after=i + 1, known=match.groupdict() | {"city": pieces[i - 1]})
        if i >= 1 and (match := _ZIP_AND_CITY.fullmatch(piece)):
            return _add_surrounding(pieces, before=i, after=i + 1, known=match.groupdict())
    return dict(NO_PARTS)


def compose(parts: Parts) -> str | None:
    """The parts as one line."""
    state_and_zip = " ".join(filter(None, (parts["state"], parts["zip"])))
    line = [parts["location_name"], parts["street"], parts["city"], state_and_zip, parts["country"]]
    return ", ".join(piece for piece in line if piece) or None


def shorten(location: str) -> str:
    """Where to go in few words: the name of the place and the city, `Blue Note, New York`; of a URL, the host."""
    if _URL.match(location):
        return urlsplit(location).netloc
    parts = parse_parts(location)
    name = parts["location_name"] or parts["street"]
    if name and parts["city"]:
        return f"{name}, {parts['city']}"
    first, *others = [piece.strip() for piece in location.split(",")]
    # A piece with digits is a street or a postal code.
    district = next((piece for piece in others if piece and not any(c.isdigit() for c in piece)), None)
    return f"{first}, {district}" if district else first


def _add_surrounding(pieces: list[str], *, before: int, after: int, known: dict[str, str | None]) -> Parts:
    """The known parts with the name and street before the city and the country after it; no parts at all if there are others."""
    first, rest = pieces[:before], pieces[after:]
    if (
        not all(0 < len(piece) <= MAX_PART for piece in pieces)
        or len(first) > 2
        or len(rest) > 1
        or (rest and not _COUNTRY.fullmatch(rest[0]))
    ):
        return dict(NO_PARTS)
    parts: Parts = NO_PARTS | known
    if len(first) == 2:
        parts["location_name"], parts["street"] = first
    elif first:
        parts["street" if any(c.isdigit() for c in first[0]) else "location_name"] = first[0]
    if rest:
        parts["country"] = rest[0]
    return parts
