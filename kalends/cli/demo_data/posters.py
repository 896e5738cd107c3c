"""Posters for the events of `kalends demo`: abstract drawings, always the same for the same title."""

from functools import cache
from hashlib import sha256
from random import Random

from PIL import Image, ImageDraw

from kalends.features.pictures.steps.add import Converted
from kalends.features.pictures.steps.reencode import encode_files

SIZE = (960, 640)
# Drawn larger and scaled down, edges are smooth.
SCALE = 2
# Background, two shapes, and an accent.
PALETTES = [
    ("#12263a", "#f4b860", "#c83e4d", "#f4f1de"),
    ("#f6e7cb", "#d1495b", "#00798c", "#edae49"),
    ("#264653", "#2a9d8f", "#e9c46a", "#e76f51"),
    ("#fbf3e4", "#3d5a80", "#ee6c4d", "#98c1d9"),
    ("#2b2d42", "#ef233c", "#8d99ae", "#edf2f4"),
    ("#e8f1ee", "#1b4332", "#74c69d", "#f9c74f"),
]


@cache
def draw_poster(title: str) -> Converted:
    """The poster in the sizes in which pictures are served."""
    # Not for secrets: the drawing has to be the same each time.
    random = Random(sha256(title.encode()).digest())  # noqa: S311
    palette = random.choice(PALETTES)
    image = Image.new("RGB", (SIZE[0] * SCALE, SIZE[1] * SCALE), palette[0])
    random.choice([_draw_rings, _draw_bars, _draw_hills])(ImageDraw.Draw(image), random, palette)
    poster = image.resize(SIZE, Image.Resampling.LANCZOS)
    return Converted(*SIZE, encode_files(poster))


def _draw_rings(draw: ImageDraw.ImageDraw, random: Random, palette: tuple[str, ...]) -> None:
    """Rings around a few centres."""
    width, height = SIZE[0] * SCALE, SIZE[1] * SCALE
    for color in palette[1:]:
        x, y, most = random.randrange(width), random.randrange(height), random.randrange(height // 4, height // 2)
        for radius in range(most, 40, -90):
            draw.ellipse((x - radius, y - radius, x + radius, y + radius), outline=color, width=36)
        draw.ellipse((x - 40, y - 40, x + 40, y + 40), fill=palette[3])


def _draw_bars(draw: ImageDraw.ImageDraw, random: Random, palette: tuple[str, ...]) -> None:
    """Bars of different heights, as of a sound, before a disc."""
    width, height = SIZE[0] * SCALE, SIZE[1] * SCALE
    x, radius = random.randrange(width // 4, width * 3 // 4), height // 3
    draw.ellipse((x - radius, height // 2 - radius, x + radius, height // 2 + radius), fill=palette[2])
    for left in range(40, width - 40, 80):
        half = random.randrange(40, height * 2 // 5)
        draw.rounded_rectangle((left, height // 2 - half, left + 44, height // 2 + half), 22, fill=random.choice(palette[1::2]))


def _draw_hills(draw: ImageDraw.ImageDraw, random: Random, palette: tuple[str, ...]) -> None:
    """A sun over hills."""
    width, height = SIZE[0] * SCALE, SIZE[1] * SCALE
    x, y = random.randrange(width // 5, width * 4 // 5), random.randrange(height // 5, height // 2)
    draw.ellipse((x - 220, y - 220, x + 220, y + 220), fill=palette[3])
    for number, color in enumerate((palette[2], palette[1], palette[2], palette[1])):
        top = height * (5 + number) // 10
        for _ in range(3):
            left = random.randrange(-width // 3, width)
            draw.ellipse((left, top + random.randrange(120), left + width, top + height * 2), fill=color)
