"""Events within a distance of a point. A box around it is read from the index of coordinates; the distance decides in its corners.

An event whose exact place is not for everyone has no coordinates there, so that nobody finds it by asking from several points."""

import math
from typing import Any

from kalends.features.events.listing.store.conditions import Conditions
from kalends.features.events.rules.coordinates import DEGREE, MILLION, RADIUS, parse_point
from kalends.http.context import Context

_IN_LATITUDES = "e.latitude BETWEEN CAST(:near_south AS BIGINT) AND CAST(:near_north AS BIGINT)"
_FROM_WEST, _TO_EAST = "e.longitude >= CAST(:near_west AS BIGINT)", "e.longitude <= CAST(:near_east AS BIGINT)"
_RADIANS = math.pi / 180 / MILLION
_TO_NORTH = f"sin((e.latitude * {_RADIANS!r} - CAST(:near_latitude AS DOUBLE PRECISION)) / 2)"
_TO_SIDE = f"sin((e.longitude * {_RADIANS!r} - CAST(:near_longitude AS DOUBLE PRECISION)) / 2)"
# The haversine of the angle between the two points. As one opaque condition, since planners would take a comparison for very selective.
_WITHIN = f"""CASE WHEN {_TO_NORTH} * {_TO_NORTH}
    + cos(e.latitude * {_RADIANS!r}) * CAST(:near_cosine AS DOUBLE PRECISION) * {_TO_SIDE} * {_TO_SIDE}
    <= CAST(:near_haversine AS DOUBLE PRECISION) THEN TRUE ELSE FALSE END"""


def add(where: Conditions, near: str, km: int) -> None:
    """Only events at most this far from the point."""
    latitude, longitude = parse_point(near)
    box, params = _box(latitude, longitude, km)
    where.on_event += [*box, _WITHIN]
    where.params |= params | {
        "near_latitude": math.radians(latitude),
        "near_longitude": math.radians(longitude),
        "near_cosine": math.cos(math.radians(latitude)),
        "near_haversine": math.sin(km / RADIUS / 2) ** 2,
    }


def select_ids_if_few(ctx: Context, near: str, km: int, most: int) -> tuple[str, dict[str, Any]] | None:
    """SQL for the ids of the events in the box, with its parameters, if there are at most so many."""
    latitude, longitude = parse_point(near)
    box, params = _box(latitude, longitude, km)
    select = f"SELECT e.id AS id FROM events e WHERE e.latitude IS NOT NULL AND {' AND '.join(box)}"
    count = int(ctx.tx.value(f"SELECT count(*) FROM ({select} LIMIT {most + 1}) AS few", **params))
    return (select, params) if count <= most else None


def _box(latitude: float, longitude: float, km: int) -> tuple[list[str], dict[str, Any]]:
    """The conditions on a box that has the whole circle. One with a pole in it has all longitudes."""
    height = km / DEGREE * 1.001
    south, north = latitude - height, latitude + height
    conditions, params = [_IN_LATITUDES], {"near_south": math.floor(south * MILLION), "near_north": math.ceil(north * MILLION)}
    if south <= -90 or north >= 90:
        return conditions, params
    # The circle is widest a little nearer to the pole than its centre.
    width = math.degrees(math.asin(min(1.0, math.sin(km / RADIUS) / math.cos(math.radians(latitude))))) * 1.001
    west, east = longitude - width, longitude + width
    if west < -180 or east > 180:
        # It lies on both sides of the date line.
        west, east = (west + 360 if west < -180 else west), (east - 360 if east > 180 else east)
        conditions.append(f"({_FROM_WEST} OR {_TO_EAST})")
    else:
        conditions += [_FROM_WEST, _TO_EAST]
    return conditions, params | {"near_west": math.floor(west * MILLION), "near_east": math.ceil(east * MILLION)}
