"""The lines of a vCard or calendar file as they were written, with their folds: for changes that leave all other bytes alone."""

import re
from collections.abc import Iterator

from msgspec import Struct

_RAW_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
# The name of a property may follow the name of a group: `item1.EMAIL`.
_NAME = re.compile(r"(?:([A-Za-z0-9-]+)\.)?([A-Za-z0-9-]+)")


class Line(Struct):
    """A property as it was written, with its folds and its end, and unfolded."""

    raw: str
    text: str

    @property
    def name(self) -> str:
        match = _NAME.match(self.text)
        return match[2].upper() if match else ""

    @property
    def group(self) -> str:
        """The group with its dot, as it was written."""
        match = _NAME.match(self.text)
        return f"{match[1]}." if match and match[1] else ""

    @property
    def value(self) -> str:
        return self.text.partition(":")[2]


def split_lines(text: str) -> Iterator[Line]:
    """The lines of the file; joined, their raw texts are the file."""
    parts: list[str] = []
    for match in _RAW_LINE.finditer(text):
        if parts and match[0][0] not in " \t":
            yield _join(parts)
            parts = []
        parts.append(match[0])
    if parts:
        yield _join(parts)


def _join(parts: list[str]) -> Line:
    """One line of its physical lines. A photo has thousands of them."""
    first, *folded = (part.rstrip("\r\n") for part in parts)
    return Line("".join(parts), "".join([first, *(part[1:] for part in folded)]))
