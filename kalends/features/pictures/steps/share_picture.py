"""The picture that networks and messengers show beside a link to an event."""

import subprocess
from functools import lru_cache
from threading import BoundedSemaphore

import msgspec
from msgspec import Struct

from kalends.core import errors
from kalends.features.pictures.steps.child_process import run

WIDTH, HEIGHT = 1200, 630
# How many pictures are kept, and drawn at once, in each process of the service: one takes about a quarter of a second of a core.
MAX_CACHED = 32
MAX_DRAWN = 1

_drawing = BoundedSemaphore(MAX_DRAWN)


class SharePicture(Struct, frozen=True):
    """What is in the picture.

    english_date: the date for a picture whose font cannot spell it in the language of the site.
    circles, heights: the drawing of the event; image: its picture instead."""

    title: str
    date: str
    english_date: str
    place: str
    site_name: str
    color: str
    circles: tuple[tuple[int, int, int], ...]
    heights: tuple[int, int, int]
    image: bytes = b""


@lru_cache(MAX_CACHED)
def draw(picture: SharePicture) -> bytes:
    """The picture as PNG."""
    fields = msgspec.structs.asdict(picture)
    image = fields.pop("image")
    if not _drawing.acquire(blocking=False):
        raise errors.Unavailable("Another picture is being drawn. Try again shortly.")
    try:
        content = run("kalends.features.pictures.steps.draw_share_picture", msgspec.json.encode(fields) + b"\n" + image)
    except subprocess.TimeoutExpired:
        content = b""
    finally:
        _drawing.release()
    if not content:
        raise errors.Unavailable("The picture could not be drawn. Try again later.", retry_after=60)
    return content
