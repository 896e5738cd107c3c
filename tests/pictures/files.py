"""Pictures for tests, made as they are needed, and their upload."""

import struct
import zlib
from io import BytesIO
from typing import Any

from PIL import Image

from tests.client import Client, Reply
from tests.http.multipart import multipart


def encode(image: Image.Image, format: str, **options: Any) -> bytes:
    file = BytesIO()
    image.save(file, format, **options)
    return file.getvalue()


def photo(width: int = 64, height: int = 48, mode: str = "RGB") -> Image.Image:
    """A picture whose left half is red and whose right half is blue."""
    image = Image.new("RGB", (width, height), "red")
    image.paste(Image.new("RGB", (width - width // 2, height), "blue"), (width // 2, 0))
    return image.convert(mode)


def png(width: int, height: int, rows: int) -> bytes:
    """A PNG file that claims this size, with some black rows."""
    compressor = zlib.compressobj(9)
    row = bytes(1 + 3 * width)
    data = b"".join(compressor.compress(row) for _ in range(rows)) + compressor.flush()
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*each) for each in ((b"IHDR", head), (b"IDAT", data), (b"IEND", b"")))


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


SMALL_PICTURE = encode(photo(), "PNG")


def upload(who: Client, event: dict[str, Any], content: bytes = SMALL_PICTURE, filename: str = "a.png", **fields: str) -> Reply:
    return who.post(f"/api/events/{event['id']}/image", **multipart(fields, [("file", filename, content)]))


def a_picture(who: Client, event: dict[str, Any], content: bytes = SMALL_PICTURE, **fields: str) -> str:
    """Give the event a picture; returns its path."""
    reply = upload(who, event, content, **fields)
    assert reply.status == 200, reply
    url: str = reply.json["image"]["url"]
    return url[url.index("/pictures/") :]
