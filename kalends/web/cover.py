"""Covers: what to draw for events that have no picture of their own."""

from hashlib import sha256

from msgspec import Struct

# The colour of covers of events whose calendar the reader cannot see.
DEFAULT_COLOR = "#5f5a54"


class Cover(Struct, frozen=True):
    """Circles (centre and radius) and the heights of a wave, in a square of 100 by 100."""

    circles: list[tuple[int, int, int]]
    heights: tuple[int, int, int]

    @property
    def wave(self) -> str:
        """The wave as a path of SVG."""
        left, middle, right = self.heights
        return f"M0 {left}C30 {left - 18} 45 {middle + 22} 70 {middle}S90 {right} 100 {right - 20}V100H0Z"


def draw_cover(event_id: int) -> Cover:
    """Always the same drawing for the same event."""
    digest = sha256(str(event_id).encode()).digest()
    circles = [(x % 100, y % 70, 14 + radius % 32) for x, y, radius in zip(digest[0:4], digest[4:8], digest[8:12], strict=True)]
    left, middle, right = (55 + each % 35 for each in digest[12:15])
    return Cover(circles, (left, middle, right))
