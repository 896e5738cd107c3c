"""Where on Earth an event is: degrees for people and programs, and whole millionths of them in the database, which are the same on both."""

import math
import re
from collections.abc import Callable
from typing import Any

from kalends.core.i18n import gettext
from kalends.http.input.readers import FieldInvalid

MILLION = 1_000_000
# The mean radius, and the length of a degree of latitude, in kilometres.
RADIUS, DEGREE = 6_371.0088, 111.195
_NUMBER = re.compile(r"[+-]?[0-9]{1,3}(\.[0-9]{1,20})?")

Point = tuple[float, float]


def to_degrees(millionths: int | None) -> float | None:
    return None if millionths is None else millionths / MILLION


def to_millionths(degrees: float | None) -> int | None:
    return None if degrees is None else round(degrees * MILLION)


def degrees_reader(limit: int) -> Callable[[Any], float]:
    """Reads a number of degrees up to the limit, north or south of zero."""

    def read_degrees(value: Any) -> float:
        text = str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
        if not _NUMBER.fullmatch(text) and not isinstance(value, float):
            raise FieldInvalid(gettext("must be a number of degrees, such as 48.8583"), "wrong_type")
        degrees = float(text)
        if not math.isfinite(degrees) or abs(degrees) > limit:
            raise FieldInvalid(gettext("must be between %(min)s and %(max)s", min=str(-limit), max=str(limit)), "too_large")
        return degrees

    return read_degrees


def parse_point(text: str) -> Point:
    """The latitude and the longitude of `48.8583,2.2945`; raises FieldInvalid."""
    latitude, comma, longitude = text.replace(";", ",").partition(",")
    if not comma:
        raise FieldInvalid(gettext("must be two numbers of degrees, such as 48.8583,2.2945"))
    return degrees_reader(90)(latitude), degrees_reader(180)(longitude)


def distance(first: Point, second: Point) -> float:
    """Kilometres between two points along the surface."""
    (lat1, lon1), (lat2, lon2) = ((math.radians(a), math.radians(b)) for a, b in (first, second))
    half = math.sin((lat2 - lat1) / 2) ** 2 + math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ** 2
    return 2 * RADIUS * math.asin(min(1.0, math.sqrt(half)))
