"""Text in pictures, in the font that Pillow carries. That has no letters with accents: they are drawn as strokes over the letters."""

import unicodedata
from bisect import bisect
from collections.abc import Iterable

from PIL import ImageDraw, ImageFont
from PIL.ImageFont import FreeTypeFont

# What the font lacks, in letters that it has: U+0338 is a stroke through the letter before it.
SPELLING = {
    "–": "-",
    "—": "-",
    "ß": "ss",
    "æ": "ae",
    "Æ": "AE",
    "œ": "oe",
    "Œ": "OE",
    "ø": "o\u0338",
    "Ø": "O\u0338",
    "ł": "l\u0338",
    "Ł": "L\u0338",
}
SPELLING |= {"€": "EUR", "đ": "d", "Đ": "D", "ı": "i", "„": "“", "‚": "‘", "\u00a0": " ", "\u2009": " ", "\u202f": " "}
LETTERS = frozenset(" !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~©«°±´·»‘’“”…‹›0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
# The lines of each combining mark in parts of the size of the font, from the middle of the top of the letter; `BELOW` from its foot.
ABOVE: dict[str, list[list[tuple[float, float]]]] = {
    "\u0300": [[(-0.11, -0.19), (0.05, -0.07)]],
    "\u0301": [[(-0.05, -0.07), (0.11, -0.19)]],
    "\u0302": [[(-0.14, -0.07), (0, -0.18), (0.14, -0.07)]],
    "\u0303": [[(-0.16, -0.09), (-0.08, -0.15), (0.06, -0.10), (0.16, -0.16)]],
    "\u0304": [[(-0.14, -0.12), (0.14, -0.12)]],
    "\u0306": [[(-0.13, -0.18), (-0.07, -0.09), (0.07, -0.09), (0.13, -0.18)]],
    "\u0307": [[(0, -0.12), (0.001, -0.12)]],
    "\u0308": [[(-0.11, -0.12), (-0.109, -0.12)], [(0.11, -0.12), (0.111, -0.12)]],
    "\u030a": [[(0, -0.06), (-0.07, -0.12), (0, -0.19), (0.07, -0.12), (0, -0.06)]],
    "\u030b": [[(-0.11, -0.07), (-0.01, -0.19)], [(0.04, -0.07), (0.14, -0.19)]],
    "\u030c": [[(-0.14, -0.18), (0, -0.07), (0.14, -0.18)]],
}
BELOW: dict[str, list[list[tuple[float, float]]]] = {
    "\u0323": [[(0, 0.11), (0.001, 0.11)]],
    "\u0326": [[(0.02, 0.08), (-0.04, 0.2)]],
    "\u0327": [[(0.01, 0.0), (0.05, 0.1), (0.01, 0.17), (-0.08, 0.16)]],
    "\u0328": [[(0.08, 0.0), (0.02, 0.09), (0.06, 0.16), (0.12, 0.15)]],
    "\u0338": [[(-0.24, 0.05), (0.24, -0.55)]],
}
STROKE = 0.085
# Longer texts are cut before they are measured.
MAX_TEXT = 120


def spell(text: str) -> str | None:
    """The text in letters and marks that can be drawn, without pictograms; None if there are others in it."""
    composed = unicodedata.normalize("NFC", text)
    if len(composed) > MAX_TEXT:
        composed = f"{composed[: MAX_TEXT - 1].rstrip()}…"
    known = unicodedata.normalize("NFD", "".join(SPELLING.get(each, each) for each in composed))
    drawn = "".join(
        each for each in known if unicodedata.category(each) not in ("So", "Sk", "Cf", "Cc") and not "\ufe00" <= each <= "\ufe0f"
    )
    is_drawable = all(each in LETTERS or each in ABOVE or each in BELOW for each in drawn)
    return " ".join(drawn.split()) if is_drawable and drawn.strip() else None


class Lettering:
    """Spelled text in one size, bold or regular, on a plain ground."""

    def __init__(self, size: int, *, is_bold: bool = False):
        font = ImageFont.load_default(size)
        assert isinstance(font, FreeTypeFont)
        self.size, self._font, self._weight = size, font, round(size * 0.03) if is_bold else 0
        self._foot = font.getbbox("x")[3]

    def width(self, text: str) -> float:
        return self._font.getlength(_without_marks(text))

    def wrap(self, text: str, width: int, lines: int) -> list[str] | None:
        """The text in lines of at most this width; None if it needs more of them."""
        wrapped = [""]
        for word in text.split():
            longer = f"{wrapped[-1]} {word}".strip()
            if self.width(longer) <= width:
                wrapped[-1] = longer
            else:
                wrapped.append(word)
        wrapped = [line for line in wrapped if line]
        return wrapped if len(wrapped) <= lines and all(self.width(line) <= width for line in wrapped) else None

    def cut(self, text: str, width: int, lines: int) -> list[str]:
        """The text in lines of at most this width, with dots in place of the end if it is too long."""
        whole = self.wrap(text, width, lines)
        if whole:
            return whole
        # A longer text does not fit where a shorter one does not.
        first_too_long = bisect(range(len(text)), False, key=lambda length: not self._wrap_start(text, length, width, lines))
        return self._wrap_start(text, first_too_long - 1, width, lines) or []

    def _wrap_start(self, text: str, length: int, width: int, lines: int) -> list[str] | None:
        return self.wrap(f"{text[:length].rstrip()}…", width, lines)

    def draw(self, canvas: ImageDraw.ImageDraw, x: int, y: int, text: str, color: str, ground: str) -> None:
        letters = _without_marks(text)
        canvas.text((x, y), letters, fill=color, font=self._font, stroke_width=self._weight, stroke_fill=color)
        for position, mark in _marks(text):
            before, letter = letters[: position + 1], letters[position]
            middle = x + self._font.getlength(before) - self._font.getlength(letter) / 2
            top = y + self._font.getbbox(letter)[1]
            if letter in "ij" and mark in ABOVE:
                top = self._erase_dot(canvas, middle, y, ground)
            foot = y + self._foot
            self._stroke(canvas, middle, top if mark in ABOVE else foot, ABOVE.get(mark) or BELOW[mark], color)

    def _erase_dot(self, canvas: ImageDraw.ImageDraw, middle: float, y: int, ground: str) -> float:
        """Make room for a mark over an i; returns where the letter ends then."""
        top, half = y + self._font.getbbox("x")[1], self.size * 0.11
        canvas.rectangle((middle - half, y, middle + half, top - 0.03 * self.size - self._weight), fill=ground)
        return top

    def _stroke(self, canvas: ImageDraw.ImageDraw, x: float, y: float, lines: list[list[tuple[float, float]]], color: str) -> None:
        width = max(2, round(self.size * STROKE) + self._weight)
        for line in lines:
            points = [(x + dx * self.size, y + dy * self.size) for dx, dy in line]
            canvas.line(points, fill=color, width=width, joint="curve")
            for px, py in points:
                canvas.circle((px, py), width / 2, fill=color)


def _without_marks(text: str) -> str:
    return "".join(each for each in text if each not in ABOVE and each not in BELOW)


def _marks(text: str) -> Iterable[tuple[int, str]]:
    """Each mark, and the position of its letter among the letters."""
    position = -1
    for each in text:
        if each in ABOVE or each in BELOW:
            if position >= 0:
                yield position, each
        else:
            position += 1
