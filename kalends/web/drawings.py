"""Small drawings: icons, covers of events without a picture, the initials of people without a picture, and QR codes."""

from hashlib import sha256
from zlib import crc32

import segno
from markupsafe import Markup
from msgspec import Struct

FACES = 6
# The paths of icons, each a line in a square of 24.
ICONS = {
    "announce": "M4 10v4l11 5V5zM15 9.500a3 3 0 0 1 0 5M6 15v4h3v-3",
    "back": "m15 5-7 7 7 7",
    "bell": "M6 16v-5a6 6 0 0 1 12 0v5l2 2H4zM10 21h4",
    "bin": "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v6M14 11v6",
    "calendar": "M7 5h10a3 3 0 0 1 3 3v10a3 3 0 0 1-3 3H7a3 3 0 0 1-3-3V8a3 3 0 0 1 3-3zM4 10h16M8 3v4M16 3v4",
    "close": "M6 6l12 12M18 6L6 18",
    "comment": "M4 5h16v11H10l-5 4v-4H4z",
    "compass": "M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0zM15.5 8.5l-2 5-5 2 2-5z",
    "down": "m6 9 6 6 6-6",
    "download": "M12 4v12m0 0 5-5m-5 5-5-5M4 20h16",
    "edit": "M4 20h4L19 9l-4-4L4 16zM13 7l4 4",
    "globe": "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM3 12h18M12 3c5 5 5 13 0 18M12 3c-5 5-5 13 0 18",
    "lock": "M7 11h10a2 2 0 0 1 2 2v6a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2v-6a2 2 0 0 1 2-2zM8 11V8a4 4 0 0 1 8 0v3",
    "mail": "M6 5h12a3 3 0 0 1 3 3v8a3 3 0 0 1-3 3H6a3 3 0 0 1-3-3V8a3 3 0 0 1 3-3zm-2 3 8 6 8-6",
    "menu": "M4 7h16M4 12h16M4 17h16",
    "open": "M14 4h6v6M20 4l-9 9M10 5H6a2 2 0 0 0-2 2v11a2 2 0 0 0 2 2h11a2 2 0 0 0 2-2v-4",
    "person": "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zm-8 9c0-4 3.600-6 8-6s8 2 8 6",
    "phone": "M10 2.500h4a3 3 0 0 1 3 3v13a3 3 0 0 1-3 3h-4a3 3 0 0 1-3-3v-13a3 3 0 0 1 3-3zM11 18.500h2",
    "plus": "M12 5v14M5 12h14",
    "search": "M18 11a7 7 0 1 1-14 0 7 7 0 0 1 14 0zM20 20l-4-4",
    "share": "M12 15V3m0 0L7.500 7.500M12 3l4.500 4.500M5 13v6a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2v-6",
    "ticket": "M4 7h16v3.5a1.5 1.5 0 0 0 0 3V17H4v-3.5a1.5 1.5 0 0 0 0-3zM14 7v10",
    "upload": "M12 16V4m0 0L7 9m5-5 5 5M4 16v4h16v-4",
}
# The colour of covers of events whose calendar the reader cannot see.
DEFAULT_COLOR = "#5f5a54"


def initials(name: str) -> str:
    """The first letters of the first and the last word of a name or an address: `IB` for Ida Berg."""
    words = [word for word in name.partition("@")[0].replace(".", " ").split() if word[0].isalnum()]
    return "".join(word[0] for word in dict.fromkeys((*words[:1], *words[1:][-1:]))).upper() or "?"


def face_number(name: str) -> int:
    """Which of the pairs of colours the initials of this name have."""
    return crc32(name.encode("utf-8", "replace")) % FACES + 1


def draw_qr_code(text: str) -> Markup:
    """A QR code of the text, black on white in every colour scheme, with the margin that cameras need."""
    return Markup(_make(text).svg_inline(border=4, dark="#000", light="#fff", omitsize=True, svgclass="qr"))  # noqa: S704


def qr_code_url(text: str) -> str:
    """The QR code as a file for download, in a URL of its own."""
    return _make(text).svg_data_uri(border=4, scale=16, dark="#000", light="#fff")


def _make(text: str) -> segno.QRCode:
    return segno.make(text, error="m", micro=False)


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
