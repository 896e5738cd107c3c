"""Draw the picture of a shared link, in a process of its own: `python -m kalends.features.pictures.steps.draw_share_picture`.

It reads a line of JSON and, if the event has a picture, that file; it writes a PNG. A title that the font cannot spell is left out,
and all else with it: the drawing or the picture then fills the whole."""

import json
import os
import sys
from io import BytesIO
from typing import Any, NoReturn

from PIL import Image, ImageDraw, PngImagePlugin, WebPImagePlugin

from kalends.features.pictures.steps.lettering import Lettering, spell
from kalends.features.pictures.steps.reencode import limit_process

WIDTH, HEIGHT = 1200, 630
# Drawn twice as large, and then made smaller, which smooths all edges.
SCALE = 2
TEXT_WIDTH, MARGIN = 740, 64
PAPER, INK, SOFT, ACCENT = "#faf7f2", "#1d1b19", "#5f5a54", "#9c3318"
TITLE_SIZES, TITLE_LINES = (108, 84, 72, 60, 50), 4
SMALL, SMALL_LINES = 34, 2
LEADING = 1.18
COLOURS = 256
BEZIER_STEPS = 24
# Named so that Pillow imports no others.
FORMATS = [WebPImagePlugin.WebPImageFile.format, PngImagePlugin.PngImageFile.format]


def main() -> NoReturn:
    """Write the picture to the standard output."""
    limit_process()
    line, _, picture = sys.stdin.buffer.read().partition(b"\n")
    sys.stdout.buffer.write(draw(json.loads(line), picture))
    sys.stdout.buffer.flush()
    # The memory is not worth the time to free it.
    os._exit(0)


def draw(fields: dict[str, Any], picture: bytes) -> bytes:
    """The picture as PNG. The fields are those of SharePicture."""
    title = spell(fields["title"])
    image = Image.new("RGB", (SCALE * WIDTH, SCALE * HEIGHT), PAPER)
    left = SCALE * TEXT_WIDTH if title else 0
    cover = (image.width - left, image.height)
    image.paste(_crop(picture, cover) if picture else _draw_cover(fields, cover), (left, 0))
    if title:
        date = spell(fields["date"]) or spell(fields["english_date"])
        _write(image, title, date, spell(fields["place"]), spell(fields["site_name"]))
    # A palette makes a file that also those take who read small pictures only.
    image = image.resize((WIDTH, HEIGHT), Image.Resampling.BOX).quantize(COLOURS)
    file = BytesIO()
    image.save(file, "PNG", optimize=True)
    return file.getvalue()


def _crop(picture: bytes, size: tuple[int, int]) -> Image.Image:
    """The middle of the picture, as large as it has to be."""
    image = Image.open(BytesIO(picture), formats=FORMATS).convert("RGB")
    scale = max(size[0] / image.width, size[1] / image.height)
    width, height = size[0] / scale, size[1] / scale
    x, y = (image.width - width) / 2, (image.height - height) / 2
    return image.resize(size, Image.Resampling.BILINEAR, box=(x, y, x + width, y + height))


def _draw_cover(fields: dict[str, Any], size: tuple[int, int]) -> Image.Image:
    """The drawing of an event without a picture: that of its page, from the middle of a square."""
    image = Image.new("RGB", size, fields["color"])
    canvas = ImageDraw.Draw(image, "RGBA")
    side = max(size)
    dx, dy = (side - size[0]) / 2, (side - size[1]) / 2

    def place(x: float, y: float) -> tuple[float, float]:
        return x * side / 100 - dx, y * side / 100 - dy

    for x, y, radius in fields["circles"]:
        canvas.circle(place(x, y), radius * side / 100, fill=(255, 255, 255, 41))
    left, middle, right = fields["heights"]
    wave = _curve((0, left), (30, left - 18), (45, middle + 22), (70, middle))
    wave += _curve((70, middle), (95, middle - 22), (90, right), (100, right - 20))
    canvas.polygon([place(*point) for point in [*wave, (100, 100), (0, 100)]], fill=(0, 0, 0, 56))
    return image


def _curve(*points: tuple[float, float]) -> list[tuple[float, float]]:
    """A cubic Bézier curve as short lines."""
    curve = []
    for step in range(BEZIER_STEPS + 1):
        t = step / BEZIER_STEPS
        weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
        x, y = (sum(weight * point[axis] for weight, point in zip(weights, points, strict=True)) for axis in (0, 1))
        curve.append((x, y))
    return curve


def _write(image: Image.Image, title: str, date: str | None, place: str | None, site_name: str | None) -> None:
    """The site at the top, the title below it, and when and where at the bottom; what cannot be spelled is left out."""
    canvas = ImageDraw.Draw(image)
    width, margin = SCALE * (TEXT_WIDTH - 2 * MARGIN), SCALE * MARGIN
    small = Lettering(SCALE * SMALL)
    step = round(small.size * LEADING)
    if site_name:
        small.draw(canvas, margin, margin, small.cut(site_name, width, 1)[0], ACCENT, PAPER)
    y = margin + 2 * step
    lettering, lines = _fit_title(title, width)
    for line in lines:
        lettering.draw(canvas, margin, y, line, INK, PAPER)
        y += round(lettering.size * LEADING)
    facts = [(line, color) for text, color in ((date, INK), (place, SOFT)) if text for line in small.cut(text, width, SMALL_LINES)]
    y = image.height - margin - step * len(facts)
    for line, color in facts:
        small.draw(canvas, margin, y, line, color, PAPER)
        y += step


def _fit_title(title: str, width: int) -> tuple[Lettering, list[str]]:
    """The largest letters in which the title fits; the smallest, if it is cut."""
    for size in TITLE_SIZES:
        lettering = Lettering(SCALE * size, is_bold=True)
        lines = lettering.wrap(title, width, TITLE_LINES)
        if lines and len(lines) * lettering.size * LEADING <= SCALE * (HEIGHT - 2 * MARGIN - 7 * SMALL):
            return lettering, lines
    return lettering, lettering.cut(title, width, TITLE_LINES)


if __name__ == "__main__":
    main()
