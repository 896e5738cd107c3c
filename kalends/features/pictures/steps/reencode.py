"""Decode a picture and encode it again, in a process with limits on memory and time: `python -m kalends.features.pictures.steps.reencode`.

It reads a file from the standard input, and writes a line of JSON and then the new files. Nothing but the pixels of the first frame,
turned upright, is taken over: no metadata, no colour profile, no bytes of the file itself."""

import json
import os
import resource
import sys
from io import BytesIO
from typing import BinaryIO, NoReturn

from PIL import AvifImagePlugin, Image, ImageCms, JpegImagePlugin, PngImagePlugin, UnidentifiedImageError, WebPImagePlugin
from PIL.Image import Transpose

from kalends.core.values.picture import MAX_HEIGHT, WIDTHS, scaled_sizes

# Named here, they are imported alone: Pillow would import forty others to find one of them.
FORMATS = [
    each.format
    for each in (
        JpegImagePlugin.JpegImageFile,
        PngImagePlugin.PngImageFile,
        WebPImagePlugin.WebPImageFile,
        AvifImagePlugin.AvifImageFile,
    )
]
MAX_PIXELS = 40_000_000
MAX_SIDE = 30_000
QUALITY = 80
MEMORY = 768 * 1024 * 1024
CPU_SECONDS = 10
# Others go first.
NICENESS = 10

_ORIENTATION = 0x0112
# How to turn a picture of each orientation (Exif 2.3, 4.6.4) upright.
_TURNS = {
    2: Transpose.FLIP_LEFT_RIGHT,
    3: Transpose.ROTATE_180,
    4: Transpose.FLIP_TOP_BOTTOM,
    5: Transpose.TRANSPOSE,
    6: Transpose.ROTATE_270,
    7: Transpose.TRANSVERSE,
    8: Transpose.ROTATE_90,
}
_SWAPS_SIDES = (5, 6, 7, 8)


class Refused(Exception):
    """Why the picture is not taken."""


def main() -> NoReturn:
    """Write the new files, or what is wrong with the picture."""
    limit_process()
    try:
        pixels = _decode(sys.stdin.buffer)
        files = encode_files(pixels)
        header = {"width": pixels.width, "height": pixels.height, "files": list(map(len, files))}
    except Refused as refusal:
        header, files = {"problem": str(refusal)}, []
    except MemoryError:
        header, files = {"problem": "needs too much memory to be opened; save it in another program first"}, []
    except Exception:
        # Pillow raises errors of many types for broken files.
        header, files = {"problem": "is damaged or cut off; save it in another program first"}, []
    sys.stdout.buffer.writelines([json.dumps(header).encode(), b"\n", *files])
    sys.stdout.buffer.flush()
    # The memory is not worth the time to free it.
    os._exit(0)


def limit_process() -> None:
    """Limit this process: it decodes what strangers sent."""
    os.nice(NICENESS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    # It writes no files.
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _decode(file: BinaryIO) -> Image.Image:
    """The pixels of the first frame, upright, in sRGB, and not larger than the largest file."""
    image = _open(BytesIO(file.read()))
    if image.width * image.height > MAX_PIXELS or max(image.size) > MAX_SIDE:
        most = f"at most {MAX_PIXELS // 1_000_000} million are taken, and {MAX_SIDE:,} on a side"
        raise Refused(f"has {image.width:,} × {image.height:,} pixels; {most}")
    orientation = image.getexif().get(_ORIENTATION)
    width, height = image.size[::-1] if orientation in _SWAPS_SIDES else image.size
    scale = min(1, WIDTHS[-1] / width, MAX_HEIGHT / height)
    size = max(1, round(image.width * scale)), max(1, round(image.height * scale))
    # A JPEG is decoded at the scale that is needed, which saves most of the time and memory.
    image.draft(None, size)
    image = _to_rgb(image)
    if image.size != size:
        image = image.resize(size, Image.Resampling.LANCZOS, reducing_gap=2.0)
    return image.transpose(_TURNS[orientation]) if orientation in _TURNS else image


def _open(file: BytesIO) -> Image.Image:
    # The limit above is lower, and has a message of its own.
    Image.MAX_IMAGE_PIXELS = None
    try:
        return Image.open(file, formats=FORMATS)
    except UnidentifiedImageError:
        raise Refused("is not a picture that can be read; send a JPEG, PNG, WebP or AVIF file") from None


def _to_rgb(image: Image.Image) -> Image.Image:
    """The image as RGB, or RGBA if it has transparent pixels."""
    if image.mode.startswith("I"):
        # 16 bits of grey.
        image = image.point(lambda value: value / 256).convert("L")
    mode = "RGBA" if image.has_transparency_data else "RGB"
    profile = image.info.get("icc_profile")
    if profile and image.mode in ("RGB", "RGBA", "CMYK"):
        image = _to_srgb(image, profile, mode)
    return image if image.mode == mode else image.convert(mode)


def _to_srgb(image: Image.Image, profile: bytes, mode: str) -> Image.Image:
    """The image in the colours that browsers assume; as it is, if its profile is wrong."""
    try:
        source = ImageCms.ImageCmsProfile(BytesIO(profile))
        return ImageCms.profileToProfile(image, source, ImageCms.createProfile("sRGB"), outputMode=mode) or image
    except (ImageCms.PyCMSError, OSError, ValueError):
        return image


def encode_files(pixels: Image.Image) -> list[bytes]:
    """The files of a picture, the smallest first."""
    return [_encode(pixels, size) for size in scaled_sizes(*pixels.size)]


def _encode(pixels: Image.Image, size: tuple[int, int]) -> bytes:
    resized = pixels if size == pixels.size else pixels.resize(size, Image.Resampling.LANCZOS)
    file = BytesIO()
    resized.save(file, "WEBP", quality=QUALITY, method=4, exif=b"", icc_profile=b"", xmp=b"")
    return file.getvalue()


if __name__ == "__main__":
    main()
